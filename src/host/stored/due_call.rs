//! Calls that modules asked for at a later time, stored so that they survive restarts.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::sync::Notify;

use candor_core::contract::{DueCall, DueCallId, DueCalls, LaterCall, ServiceError};
use candor_core::inbound::UserId;

/// Stores calls, and lends each that is due to one process.
#[async_trait]
pub trait DueStore: DueCalls {
    /// Takes the call that has been due for longest, if one is. No other process takes it for `lasts`; afterwards this
    /// one is taken to have ended in the middle of it. The time doubles with each try, up to an hour: a call outlasts
    /// an outage of Discord.
    async fn take_due(&self, now: SystemTime, lasts: Duration) -> Result<Option<DueCall>, ServiceError>;
    /// When there is something to take.
    async fn next_due(&self) -> Result<Option<SystemTime>, ServiceError>;
    /// A call was made, or never will be: it is forgotten.
    async fn due_is_over(&self, id: DueCallId) -> Result<(), ServiceError>;
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
    async fn call_later(&self, call: &LaterCall) -> Result<DueCallId, ServiceError> {
        let id = self.store.call_later(call).await?;
        self.added.notify_one();
        Ok(id)
    }

    async fn waiting(&self, module: &str, scope: &str, user: UserId) -> Result<Vec<DueCall>, ServiceError> {
        self.store.waiting(module, scope, user).await
    }

    async fn cancel(&self, module: &str, scope: &str, user: UserId, id: DueCallId) -> Result<bool, ServiceError> {
        self.store.cancel(module, scope, user, id).await
    }
}
