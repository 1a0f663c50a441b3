//! Read access to the ledger, and its signed heads: published where nobody with access to the store can take them back.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use candor_core::contract::ServiceError;
use candor_core::inbound::{Caller, ChannelId, Place};
use candor_core::record::{LedgerEntry, PublicKey, ReceiptId, SignedHead};
use candor_core::text::names;

/// How many of a caller's newest receipts in one place are listed. The bound keeps the cost of a page constant.
pub const RECEIPTS_LISTED_MAX: u64 = 1_000;

/// A range of a caller's receipts in one place.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiptList {
    /// The receipts of the requested range, newest first.
    pub entries: Vec<LedgerEntry>,
    /// The number of receipts that can be listed, at most [`RECEIPTS_LISTED_MAX`].
    pub total: u64,
}

/// A message that a run sent to a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageOfReceipt {
    pub channel: ChannelId,
    /// The outcome of the message. `None` while it is pending.
    pub end: Option<MessageEnd>,
}

names! {
    /// The outcome of a message to a channel.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MessageEnd {
            Sent = "sent",
        /// Its channel refused it, and the person got it as a direct message.
        SentDirectly = "sent-directly",
        /// It was dropped. The log says why.
        GivenUp = "given-up",
    }
}

impl MessageEnd {
    /// Returns whether the message reached anyone.
    pub fn is_shown(self) -> bool {
        self != Self::GivenUp
    }
}

/// Read access to the ledger.
#[async_trait]
pub trait ReceiptBook: Send + Sync {
    /// Returns the receipt with that id.
    async fn find(&self, id: ReceiptId) -> Result<Option<LedgerEntry>, ServiceError>;
    /// Returns the caller's last receipt in this place, ignoring the command `except`.
    async fn last(&self, caller: &Caller, place: Place, except: &str) -> Result<Option<LedgerEntry>, ServiceError>;
    /// Returns the answer of that receipt's command, if it was stored because it could not be shown in time.
    async fn kept_answer(&self, id: ReceiptId) -> Result<Option<String>, ServiceError>;
    /// Returns the file that proves this receipt. `None` if it is not signed.
    async fn proof(&self, id: ReceiptId) -> Result<Option<String>, ServiceError>;
    /// Returns the public key that signs receipts. `None` if none does.
    fn public_key(&self) -> Option<PublicKey>;
    /// Returns the messages that this receipt's run sent to channels, the first one first.
    async fn messages(&self, id: ReceiptId) -> Result<Vec<MessageOfReceipt>, ServiceError>;
    /// Returns the requested range of the caller's receipts in this place, newest first, and how many can be listed.
    /// Ignores the command `except`.
    async fn list(
        &self,
        caller: &Caller,
        place: Place,
        except: &str,
        range: Range<u64>,
    ) -> Result<ReceiptList, ServiceError>;
}

#[async_trait]
pub trait PublishedHeads: Send + Sync {
    /// Returns the last signed head. `None` if there is no receipt yet.
    async fn newest_head(&self) -> Result<Option<SignedHead>, ServiceError>;
    /// Returns whether it is this process's turn to publish in a place: once in `every`, over all processes.
    async fn takes_turn(&self, place: &str, now: SystemTime, every: Duration) -> Result<bool, ServiceError>;
    /// Gives the turn back, until a moment: nothing was published.
    async fn gives_back(&self, place: &str, until: SystemTime, every: Duration) -> Result<(), ServiceError>;
}
