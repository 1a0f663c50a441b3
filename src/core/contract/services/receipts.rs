//! The ledger, to be read by the bot's own commands.

use crate::contract::services::error::ServiceError;
use crate::inbound::{Caller, Place};
use crate::record::{KeptTurn, LedgerEntry, ReceiptId};
use async_trait::async_trait;
use std::ops::Range;
use std::time::SystemTime;

/// Some of a person's receipts in one place.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiptList {
    /// Those that were asked for, newest first.
    pub entries: Vec<LedgerEntry>,
    /// How many there are in all.
    pub total: u64,
}

/// The ledger, to be read.
#[async_trait]
pub trait ReceiptBook: Send + Sync {
    /// The receipt of that id.
    async fn find(&self, id: ReceiptId) -> Result<Option<LedgerEntry>, ServiceError>;
    /// The caller's last receipt in this place, of any command but `except`.
    async fn last(&self, caller: &Caller, place: Place, except: &str) -> Result<Option<LedgerEntry>, ServiceError>;
    /// What the command of that receipt answered, if its answer could not be shown when it came.
    async fn kept_answer(&self, id: ReceiptId, now: SystemTime) -> Result<Option<String>, ServiceError>;
    /// The caller's receipts in this place, newest first, of any command but `except`: so many of them from this one on,
    /// and how many there are.
    async fn list(
        &self,
        caller: &Caller,
        place: Place,
        except: &str,
        range: Range<u64>,
    ) -> Result<ReceiptList, ServiceError>;
    /// The chat turn that a message of Discord shows the reply of.
    async fn turn_of_message(&self, message: u64) -> Result<Option<KeptTurn>, ServiceError>;
    /// The caller's last chat turn in this place.
    async fn last_turn(&self, caller: &Caller, place: Place) -> Result<Option<KeptTurn>, ServiceError>;
}
