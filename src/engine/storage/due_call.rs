//! Later calls that modules requested, stored so that they survive restarts.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::sync::Notify;

use crate::storage::receipts::MessageEnd;
use candor_core::contract::{DueCall, DueCallId, DueCalls, LaterCall, ServiceError};
use candor_core::inbound::UserId;
use candor_core::record::ReceiptId;

#[derive(Clone, Debug, PartialEq)]
pub struct TakenCall {
    pub due: DueCall,
    /// The answer, if the call ran. Then only the answer remains to be sent.
    pub ran: Option<DueAnswer>,
    pub refusals: u32,
}

/// The reason why a call is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueTry {
    Refused,
    Failed,
    /// The bot itself held it back. It does not count as a try.
    HeldBack,
}

/// The answer of a call that ran, before it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueAnswer {
    pub receipt: ReceiptId,
    /// The text; `None` if it is no longer stored.
    pub text: Option<String>,
}

/// Stores calls, and lends each due call to one process.
#[async_trait]
pub trait DueStore: DueCalls {
    /// Takes the longest due call. No other process takes it for `lasts`; afterwards this process counts as ended in
    /// the middle of it. The time doubles with each try, up to an hour, so that a call outlasts an outage of Discord.
    async fn take_due(&self, now: SystemTime, lasts: Duration) -> Result<Option<TakenCall>, ServiceError>;
    /// Returns when the next call is due.
    async fn next_due(&self) -> Result<Option<SystemTime>, ServiceError>;
    /// Schedules a call that cannot be made now for this time, as if it had not been tried.
    async fn due_again(&self, id: DueCallId, at: SystemTime) -> Result<(), ServiceError>;
    /// Schedules the next try of a call, or of sending its answer.
    async fn due_is_tried_again(&self, id: DueCallId, at: SystemTime, how: DueTry) -> Result<(), ServiceError>;
    /// Deletes a call that was made, or never will be. `end` is the delivery result of its answer, and stays with its
    /// receipt. An answer that was shown is deleted.
    async fn due_is_over(&self, due: &DueCall, end: Option<MessageEnd>) -> Result<(), ServiceError>;
}

/// The calls of the store, with a notification for each added call: a waiting task may have to wait less.
pub struct DueAlarm {
    store: Arc<dyn DueStore>,
    added: Notify,
}

impl DueAlarm {
    pub fn new(store: Arc<dyn DueStore>) -> Self {
        Self { store, added: Notify::new() }
    }

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
