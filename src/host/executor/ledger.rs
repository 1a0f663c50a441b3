//! What the executor stores: claims and receipts, and all that a command changes together with them.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use candor_core::access::CooldownKey;
use candor_core::contract::{RecordChange, ServiceError};
use candor_core::inbound::EventId;
use candor_core::record::{Receipt, ReceiptId};

/// Stores what the executor records.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// The number of a receipt to come: unique, and larger than those before it in this process. Numbers are reserved
    /// in blocks, so there are gaps, and most calls write nothing.
    async fn number(&self) -> Result<u64, ServiceError>;
    /// Claims an event, so that it runs once however often it is delivered. False if it was claimed before.
    async fn claim(&self, event: EventId, at: SystemTime) -> Result<bool, ServiceError>;
    /// Appends a receipt to the chain.
    async fn append(&self, receipt: &Receipt) -> Result<(), ServiceError>;
    /// Stores all that a command changes, together with its claim and its receipt: after a crash at any moment either
    /// all of it is there or nothing. A staged change that is one too many for its scope fails. Where a server goes
    /// away or is late during the commit itself, the error leaves open whether it is stored; the same commit once more
    /// then says that it was claimed before.
    ///
    /// The executor does not use it yet: it claims the event, the handler changes its records, and the receipt is
    /// appended, each in a transaction of its own. A crash in between leaves what came before it.
    async fn commit(&self, commit: Commit) -> Result<Committed, ServiceError>;
    /// Stores a command's answer for a while, because it could not be shown in time.
    async fn keep_answer(&self, id: ReceiptId, content: &str, at: SystemTime) -> Result<(), ServiceError>;
}

/// All that one run of a command changes in the store.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// The event that it ran for, which is claimed with it.
    pub event: EventId,
    /// When it began; cooldowns count from here.
    pub at: SystemTime,
    /// The cooldowns that it takes.
    pub cooldowns: Vec<(CooldownKey, Duration)>,
    /// The changes of modules' records, in their order.
    pub changes: Vec<RecordChange>,
    /// Its receipt.
    pub receipt: Receipt,
}

/// What became of a [`Commit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    /// All of it is stored.
    Committed,
    /// Nothing is stored: the event was claimed before. The run that claimed it answers.
    ClaimedBefore,
    /// Nothing is stored: a record is no longer as the run saw it, or another event took a cooldown meanwhile.
    Conflict,
}
