//! Calls that modules asked for at a later time, stored so that they survive restarts.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::sync::Notify;

use candor_core::contract::{DueCall, DueCallId, DueCalls, LaterCall, MessageEnd, ServiceError};
use candor_core::inbound::UserId;
use candor_core::record::ReceiptId;

/// A call that is due, lent to this process.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenCall {
    /// The call.
    pub due: DueCall,
    /// What it answered, if it ran: then nothing is left but to send that.
    pub ran: Option<DueAnswer>,
    /// How often Discord refused its answer.
    pub refusals: u32,
}

/// How a try of a call ended that another one follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueTry {
    /// Discord refused the answer.
    Refused,
    /// It failed in another way.
    Failed,
    /// The bot itself held it back. It does not count as a try.
    HeldBack,
}

/// The answer of a call that was made and was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueAnswer {
    /// The receipt.
    pub receipt: ReceiptId,
    /// Its text. None if it is not kept any more.
    pub text: Option<String>,
}

/// Stores calls, and lends each that is due to one process.
#[async_trait]
pub trait DueStore: DueCalls {
    /// Takes the call that has been due for longest, if one is. No other process takes it for `lasts`; afterwards this
    /// one is taken to have ended in the middle of it. The time doubles with each try, up to an hour: a call outlasts
    /// an outage of Discord.
    async fn take_due(&self, now: SystemTime, lasts: Duration) -> Result<Option<TakenCall>, ServiceError>;
    /// When there is something to take.
    async fn next_due(&self) -> Result<Option<SystemTime>, ServiceError>;
    /// A call cannot be made now: it is due again at this time, as if it had not been tried.
    async fn due_again(&self, id: DueCallId, at: SystemTime) -> Result<(), ServiceError>;
    /// A call, or the sending of its answer, is tried again at this time.
    async fn due_is_tried_again(&self, id: DueCallId, at: SystemTime, how: DueTry) -> Result<(), ServiceError>;
    /// Forgets a call that was made, or never will be. `end` says how its answer was delivered, which stays with its
    /// receipt. An answer that was shown is forgotten.
    async fn due_is_over(&self, due: &DueCall, end: Option<MessageEnd>) -> Result<(), ServiceError>;
}

/// The calls of the store, and a bell that rings when one is added: whoever waits for the next may have to wait less.
pub struct DueAlarm {
    store: Arc<dyn DueStore>,
    added: Notify,
}

impl DueAlarm {
    /// The calls of this store.
    pub fn new(store: Arc<dyn DueStore>) -> Self {
        Self { store, added: Notify::new() }
    }

    /// The store.
    pub fn store(&self) -> &dyn DueStore {
        &*self.store
    }

    /// Waits until this process adds a call.
    pub async fn added(&self) {
        self.added.notified().await;
    }
}

#[async_trait]
impl DueCalls for DueAlarm {
    async fn reserve_call(&self, call: &LaterCall, limit: usize) -> Result<DueCallId, ServiceError> {
        self.store.reserve_call(call, limit).await
    }

    async fn call_later(&self, call: &LaterCall) -> Result<DueCallId, ServiceError> {
        let id = self.store.call_later(call).await?;
        DueCalls::added(self);
        Ok(id)
    }

    async fn waiting(&self, module: &str, scope: &str, user: UserId) -> Result<Vec<DueCall>, ServiceError> {
        self.store.waiting(module, scope, user).await
    }

    async fn cancel(&self, module: &str, scope: &str, user: UserId, id: DueCallId) -> Result<bool, ServiceError> {
        self.store.cancel(module, scope, user, id).await
    }

    fn added(&self) {
        self.added.notify_one();
    }
}
