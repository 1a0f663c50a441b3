//! Read access to the ledger, for built-in commands.

use std::ops::Range;

use async_trait::async_trait;

use crate::contract::services::error::ServiceError;
use crate::inbound::{Caller, ChannelId, Place};
use crate::record::{KeptTurn, LedgerEntry, ReceiptId};

/// How many of a caller's receipts in one place are listed, the newest: so that a page costs the same however many
/// there are.
pub const RECEIPTS_LISTED_MAX: u64 = 1_000;

/// A range of a caller's receipts in one place.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiptList {
    /// The receipts of the requested range, newest first.
    pub entries: Vec<LedgerEntry>,
    /// The number of receipts that can be listed: [`RECEIPTS_LISTED_MAX`] at most.
    pub total: u64,
}

/// A message that a run sent to a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageOfReceipt {
    /// The channel.
    pub channel: ChannelId,
    /// What became of it; `None`: it waits.
    pub end: Option<MessageEnd>,
}

/// What became of a message to a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageEnd {
    /// It was sent.
    Sent,
    /// Its channel took no message, and the person got it as a direct message.
    SentDirectly,
    /// It was given up, and the log says why.
    GivenUp,
}

impl MessageEnd {
    const ALL: [Self; 3] = [Self::Sent, Self::SentDirectly, Self::GivenUp];

    /// Whether somebody saw the message.
    pub fn is_shown(self) -> bool {
        self != Self::GivenUp
    }

    /// Reads a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|end| end.name() == name)
    }

    /// The stable word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::SentDirectly => "sent-directly",
            Self::GivenUp => "given-up",
        }
    }
}

/// Read access to the ledger.
#[async_trait]
pub trait ReceiptBook: Send + Sync {
    /// The receipt with that id.
    async fn find(&self, id: ReceiptId) -> Result<Option<LedgerEntry>, ServiceError>;
    /// The caller's last receipt in this place, ignoring the command `except`.
    async fn last(&self, caller: &Caller, place: Place, except: &str) -> Result<Option<LedgerEntry>, ServiceError>;
    /// The answer of that receipt's command, if it was kept because it could not be shown in time.
    async fn kept_answer(&self, id: ReceiptId) -> Result<Option<String>, ServiceError>;
    /// The messages that this receipt's run sent to channels, the first one first.
    async fn messages(&self, _id: ReceiptId) -> Result<Vec<MessageOfReceipt>, ServiceError> {
        Ok(Vec::new())
    }
    /// The caller's receipts in this place, newest first, ignoring the command `except`: the requested range, and how
    /// many can be listed.
    async fn list(
        &self,
        caller: &Caller,
        place: Place,
        except: &str,
        range: Range<u64>,
    ) -> Result<ReceiptList, ServiceError>;
    /// The chat turn whose reply is in that Discord message.
    async fn turn_of_message(&self, message: u64) -> Result<Option<KeptTurn>, ServiceError>;
    /// The caller's last chat turn in this place.
    async fn last_turn(&self, caller: &Caller, place: Place) -> Result<Option<KeptTurn>, ServiceError>;
}
