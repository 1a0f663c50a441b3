//! Receipts of the commands at the command line that change the ledger itself.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::inbound::{Place, UserId};
use crate::record::{Facts, Origin, Outcome, Receipt, ReceiptId};

/// A command at the command line that leaves a receipt. Its name has no slash, so that it is no command of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorCommand {
    /// `candor restore`
    Restore,
    /// `candor receipts rotate`
    RotateKey,
    /// `candor receipts rotate --leaked`
    WithdrawKey,
}

impl OperatorCommand {
    pub fn name(self) -> &'static str {
        match self {
            Self::Restore => "candor restore",
            Self::RotateKey => "candor receipts rotate",
            Self::WithdrawKey => "candor receipts rotate --leaked",
        }
    }
}

/// Makes the receipt of an operator's command while the command runs. `arguments` describe its change.
pub fn operator_receipt(command: OperatorCommand, id: ReceiptId, arguments: &Value, at: SystemTime) -> Arc<Receipt> {
    let facts = Facts {
        command: command.name().to_owned(),
        arguments: arguments.to_string(),
        // The user of the console.
        caller: UserId(0),
        place: Place::Console,
        started: at,
        took: Duration::ZERO,
        outcome: Outcome::Done,
        origin: Origin::Person,
        source: None,
        code: None,
        model: None,
    };
    Receipt::mint(id, facts, command.name())
}
