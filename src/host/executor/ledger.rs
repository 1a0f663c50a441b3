//! The executor's store: claims and receipts, and all that a command changes together with them.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::host::stored::LeftOpen;
use candor_core::access::CooldownKey;
use candor_core::contract::{CallChange, Outgoing, RecordChange, ServiceError};
use candor_core::execution::Begun;
use candor_core::inbound::EventId;
use candor_core::record::{Receipt, ReceiptId};

/// Stores what the executor records.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Whether any number of processes use it at the same time.
    fn is_shared(&self) -> bool;
    /// Whether all processes that ran commands on it before this one have ended: true from the first time on that this
    /// is found, at the start or while it is looked for what is left open.
    fn was_alone(&self) -> bool;
    /// The number of a receipt to come: unique, and larger than those before it in this process. Numbers are reserved
    /// in blocks, so there are gaps, and most calls write nothing.
    async fn number(&self) -> Result<u64, ServiceError>;
    /// Claims the event of a chat turn, so that it runs once however often it is delivered. False if it was claimed
    /// before.
    async fn claim(&self, event: EventId, at: SystemTime) -> Result<bool, ServiceError>;
    /// Releases a claim, if nothing happened behind it.
    async fn release(&self, event: EventId) -> Result<(), ServiceError>;
    /// Stores an intent with its claim and cooldowns, before a run does anything that no commit can undo. The same run
    /// may store it again with more facts.
    async fn begin(&self, intent: Intent) -> Result<Beginning, ServiceError>;
    /// Stores a command's changes, claim and receipt atomically. What is added beyond its limit fails.
    /// If a server disconnects or times out during the commit, the error leaves open whether it is stored; repeat the
    /// same commit then, it is idempotent. Cooldowns are taken here by a run that did not begin before.
    async fn commit(&self, commit: Commit) -> Result<Committed, ServiceError>;
    /// Keeps a committed run open, with this answer, because it was deferred meanwhile and its person has not seen it
    /// yet.
    async fn leave_open(&self, intent: Intent, answer: String) -> Result<(), ServiceError>;
    /// Forgets the intent of a run that is committed and whose person saw its answer.
    async fn shown(&self, event: EventId) -> Result<(), ServiceError>;
    /// The first intents that are left open, some at once; none if there are no more. One that cannot be read is
    /// forgotten.
    async fn open_intents(&self, left: LeftOpen) -> Result<Vec<OpenIntent>, ServiceError>;
    /// Forgets the intent of a run that has ended without a word, and appends its receipt if it has none yet. False if
    /// another process did so before. A later call that changed nothing may be made again then; of one that may have
    /// changed something, the answer that is kept under its receipt is to be sent.
    async fn close_intent(&self, event: EventId, receipt: Option<Arc<Receipt>>) -> Result<bool, ServiceError>;
    /// A later call found nothing to do: it is made again at this time, and nothing of the run stays. A call that its
    /// person took back meanwhile is not made again.
    async fn call_again(&self, event: EventId, until: SystemTime) -> Result<(), ServiceError>;
    /// Stores a command's answer for a while, because it could not be shown in time.
    async fn keep_answer(&self, id: ReceiptId, content: &str, at: SystemTime) -> Result<(), ServiceError>;
}

/// A run that begins: what is written down of it before it does anything that no commit can take back.
#[derive(Clone, Debug, PartialEq)]
pub struct Intent {
    /// The run.
    pub begun: Begun,
    /// The cooldowns that it takes.
    pub cooldowns: Vec<(CooldownKey, Duration)>,
    /// It may change something outside of the store.
    pub is_outside: bool,
    /// The sealed interaction token, only of a deferred answer: see [`Sealer`](crate::host::Sealer).
    pub reply_to: Option<Vec<u8>>,
}

/// What became of an [`Intent`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// It is written down.
    Begun,
    /// The event was claimed before. The run that claimed it answers.
    ClaimedBefore,
    /// A cooldown is not free.
    Wait(Wait),
}

/// An [`Intent`] that is still there after its process ended.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenIntent {
    /// The run.
    pub begun: Begun,
    /// It may have changed something outside of the store.
    pub is_outside: bool,
    /// The sealed interaction token, if the answer was deferred.
    pub reply_to: Option<Vec<u8>>,
    /// The text of its answer, if it ran to its end: then its receipt is stored.
    pub answer: Option<String>,
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
    /// What it changes: records and messages in this order, and later calls, of which those that are removed make room
    /// for all that are added.
    pub changes: Vec<StagedChange>,
    /// Its receipt.
    pub receipt: Arc<Receipt>,
    /// Its intent was written down before, and its event is claimed.
    pub intent: Intended,
    /// Of a later call, the text of its answer: kept until it is sent. The call is not made again.
    pub due: Option<String>,
}

/// A change that a run staged.
#[derive(Clone, Debug, PartialEq)]
pub enum StagedChange {
    /// Of a module's record.
    Record(RecordChange),
    /// Of the calls that wait for their time.
    Call(Box<CallChange>),
    /// A message to a channel.
    Message(Box<Outgoing>),
}

impl StagedChange {
    /// The change of a record, if it is one.
    pub fn record(&self) -> Option<&RecordChange> {
        match self {
            Self::Record(change) => Some(change),
            Self::Call(_) | Self::Message(_) => None,
        }
    }

    /// The change of a later call, if it is one.
    pub fn call(&self) -> Option<&CallChange> {
        match self {
            Self::Call(change) => Some(change),
            Self::Record(_) | Self::Message(_) => None,
        }
    }

    /// The message, if it is one.
    pub fn message(&self) -> Option<&Outgoing> {
        match self {
            Self::Message(message) => Some(message),
            Self::Record(_) | Self::Call(_) => None,
        }
    }
}

/// The state of an intent at the commit of its run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intended {
    /// Nothing.
    No,
    /// Its intent, which ends with the commit.
    Yes,
    /// Its intent, which stays with this answer until its person saw it.
    Deferred(String),
}

/// What became of a [`Commit`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Committed {
    /// All of it is stored.
    Committed,
    /// Nothing is stored: the event was claimed before. The run that claimed it answers.
    ClaimedBefore,
    /// Nothing is stored: a record is no longer as the run saw it.
    Conflict,
    /// Nothing is stored: another event took a cooldown meanwhile.
    Wait(Wait),
}

/// A cooldown that is not free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The key that stays taken the longest.
    pub key: CooldownKey,
    /// When it is free again.
    pub until: SystemTime,
}
