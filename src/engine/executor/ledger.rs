//! The executor's store: claims, receipts, and the changes that a command commits with them.
//!
//! Late receipts are stored while the answer is being sent.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::sync::oneshot;

use crate::storage::LeftOpen;
use candor_core::access::CooldownKey;
use candor_core::contract::{CallChange, Outgoing, RecordChange, ServiceError};
use candor_core::execution::Begun;
use candor_core::inbound::EventId;
use candor_core::record::{Receipt, ReceiptId};

#[async_trait]
pub trait Ledger: Send + Sync {
    /// Whether several processes may use it at the same time.
    fn is_shared(&self) -> bool;
    /// Whether all processes that ran commands on it before this one have ended. True from the first time that this is
    /// found, at the start or during a search for work left open.
    fn was_alone(&self) -> bool;
    /// Returns the number of a future receipt: unique, and larger than those before it in this process. Numbers are
    /// reserved in blocks, so there are gaps, and most calls write nothing.
    async fn number(&self) -> Result<u64, ServiceError>;
    /// Claims the event of a chat turn, so that it runs once even if it is delivered several times. Returns false if it
    /// was claimed before.
    async fn claim(&self, event: EventId, at: SystemTime) -> Result<bool, ServiceError>;
    /// Releases a claim if nothing happened after it.
    async fn release(&self, event: EventId) -> Result<(), ServiceError>;
    /// Stores an intent with its claim and cooldowns before a run does anything that no commit can undo. The same run
    /// may store it again with more facts.
    async fn begin(&self, intent: Intent) -> Result<Beginning, ServiceError>;
    /// Stores a command's changes, claim and receipt atomically. Fails if an addition exceeds its limit. If a server
    /// disconnects or times out during the commit, the error does not say whether it is stored; then repeat the same
    /// commit, which is idempotent. A run without an intent takes its cooldowns here.
    async fn commit(&self, commit: Commit) -> Result<Committed, ServiceError>;
    /// Keeps a committed run open with this answer, because it was deferred meanwhile and its person has not seen the
    /// answer yet.
    async fn leave_open(&self, intent: Intent, answer: String) -> Result<(), ServiceError>;
    /// Deletes the intent of a committed run whose person saw its answer.
    async fn shown(&self, event: EventId) -> Result<(), ServiceError>;
    /// Returns the first intents left open, several at once; empty if there are no more. Deletes an intent that cannot
    /// be read.
    async fn open_intents(&self, left: LeftOpen) -> Result<Vec<OpenIntent>, ServiceError>;
    /// Deletes the intent of a run that ended without an answer, and appends its receipt if it has none yet. Returns
    /// false if another process did so before. A later call that changed nothing may then be made again. For one that
    /// may have changed something, the answer stored under its receipt is to be sent.
    async fn close_intent(&self, event: EventId, receipt: Option<Arc<Receipt>>) -> Result<bool, ServiceError>;
    /// Schedules a later call that found nothing to do again at this time, and stores nothing of the run. A call that
    /// its person took back meanwhile is not made again.
    async fn call_again(&self, event: EventId, until: SystemTime) -> Result<(), ServiceError>;
    /// Claims the events of runs that changed nothing, and appends their receipts, all or none. Returns false if an event
    /// was claimed before: then nothing is stored.
    async fn commit_receipts(&self, commits: Vec<ReceiptCommit>) -> Result<bool, ServiceError>;
    /// Stores a command's answer for a while, because it could not be shown in time.
    async fn keep_answer(&self, id: ReceiptId, content: &str, at: SystemTime) -> Result<(), ServiceError>;
}

/// The record of a run, stored before the run does anything that no commit can undo.
#[derive(Clone, Debug, PartialEq)]
pub struct Intent {
    pub begun: Begun,
    pub cooldowns: Vec<(CooldownKey, Duration)>,
    /// Whether it may change something outside of the store.
    pub is_outside: bool,
    /// The sealed interaction token of a deferred answer: see [`Sealer`](crate::Sealer).
    pub reply_to: Option<Vec<u8>>,
}

/// The result of storing an [`Intent`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beginning {
    Begun,
    /// The event was claimed before. The run that claimed it answers.
    ClaimedBefore,
    /// A cooldown is not free.
    Wait(Wait),
}

/// An [`Intent`] that remains after its process ended.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenIntent {
    pub begun: Begun,
    pub is_outside: bool,
    /// The sealed interaction token, if the answer was deferred.
    pub reply_to: Option<Vec<u8>>,
    /// The text of its answer, if it ran to its end: then its receipt is stored.
    pub answer: Option<String>,
}

/// All changes that one run of a command makes in the store.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// The event of the run, which is claimed with it.
    pub event: EventId,
    /// When the run began. Cooldowns count from here.
    pub at: SystemTime,
    pub cooldowns: Vec<(CooldownKey, Duration)>,
    /// The changes. Records and messages are changed in this order. Later calls are removed before any are added.
    pub changes: Vec<StagedChange>,
    pub receipt: Arc<Receipt>,
    /// Whether the intent was stored before. If so, the event is claimed.
    pub intent: Intended,
    /// The text of a later call's answer, which is stored until it is sent. The call is not made again.
    pub due: Option<String>,
}

/// A receipt of a run that changed nothing, with the event that it claims.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiptCommit {
    pub event: EventId,
    pub at: SystemTime,
    pub receipt: Arc<Receipt>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StagedChange {
    Record(RecordChange),
    Call(Box<CallChange>),
    Message(Box<Outgoing>),
}

impl StagedChange {
    pub fn record(&self) -> Option<&RecordChange> {
        match self {
            Self::Record(change) => Some(change),
            Self::Call(_) | Self::Message(_) => None,
        }
    }

    pub fn call(&self) -> Option<&CallChange> {
        match self {
            Self::Call(change) => Some(change),
            Self::Record(_) | Self::Message(_) => None,
        }
    }

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
    /// There is no intent.
    No,
    Yes,
    /// The intent stays with this answer until its person saw the answer.
    Deferred(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Committed {
    Committed,
    /// Nothing is stored: the event was claimed before. The run that claimed it answers.
    ClaimedBefore,
    /// Nothing is stored: a record changed since the run read it.
    Conflict,
    /// Nothing is stored: another event took a cooldown meanwhile.
    Wait(Wait),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The key that stays taken the longest.
    pub key: CooldownKey,
    pub until: SystemTime,
}

/// Whether the receipt of a run that changes nothing may be stored while its answer is being sent. The default is no.
#[derive(Clone, Default)]
pub struct Keeping(Option<Arc<Mutex<Option<oneshot::Receiver<bool>>>>>);

impl Keeping {
    /// Allows it. The caller must ask [`Keeping::is_kept`] after giving the answer.
    pub fn later() -> Self {
        Self(Some(Arc::default()))
    }

    pub(super) fn store_later(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn storing(&self, storing: oneshot::Receiver<bool>) {
        if let Some(cell) = &self.0 {
            *cell.lock().unwrap_or_else(PoisonError::into_inner) = Some(storing);
        }
    }

    pub fn is_storing(&self) -> bool {
        self.0.as_ref().is_some_and(|cell| cell.lock().unwrap_or_else(PoisonError::into_inner).is_some())
    }

    /// Waits until the receipt is stored. Returns false if it could not be stored: then the given answer is wrong about
    /// it.
    pub async fn is_kept(self) -> bool {
        let storing = self.0.and_then(|cell| cell.lock().unwrap_or_else(PoisonError::into_inner).take());
        match storing {
            Some(storing) => storing.await.unwrap_or(false),
            None => true,
        }
    }
}
