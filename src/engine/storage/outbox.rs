//! Messages that modules send to channels, stored so that they survive restarts.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::sync::Notify;

use crate::storage::receipts::MessageEnd;
use candor_core::contract::{Outbox, Outgoing, ServiceError, Waiting};
use candor_core::inbound::{ChannelId, UserId};
use candor_core::record::ReceiptId;

/// The number of a message. It is never reused.
pub type MessageId = i64;

/// A message to send, lent to this process.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenMessage {
    pub id: MessageId,
    /// How often it was taken.
    pub tries: u32,
    /// The receipt of the run that sent it.
    pub receipt: ReceiptId,
    /// When that run began.
    pub at: SystemTime,
    pub outgoing: Outgoing,
}

/// Stores messages, and lends each to one process. Those of one module to one channel are lent in order.
#[async_trait]
pub trait OutboxStore: Outbox {
    /// Takes the due message that has waited for longest. No other process takes it for `lasts`; afterwards this
    /// process counts as ended in the middle of it.
    async fn take_message(&self, now: SystemTime, lasts: Duration) -> Result<Option<TakenMessage>, ServiceError>;
    /// Returns when the next message is due: `now`, if a clock that was ahead scheduled it far in the future.
    async fn next_message(&self, now: SystemTime) -> Result<Option<SystemTime>, ServiceError>;
    /// Schedules a message that was not sent for this time. Does nothing if another process has taken it meanwhile.
    async fn put_off(&self, taken: &TakenMessage, until: SystemTime) -> Result<(), ServiceError>;
    /// Ends a message: deletes its content, and keeps its delivery result with its receipt, if that still exists. Does
    /// nothing if the message was taken again meanwhile.
    async fn message_is_over(&self, taken: &TakenMessage, end: MessageEnd) -> Result<(), ServiceError>;
}

/// The messages of the store, with a notification for each added message: a waiting task may have to wait less.
pub struct OutboxAlarm {
    store: Arc<dyn OutboxStore>,
    added: Notify,
}

impl OutboxAlarm {
    pub fn new(store: Arc<dyn OutboxStore>) -> Self {
        Self { store, added: Notify::new() }
    }

    pub fn store(&self) -> &dyn OutboxStore {
        &*self.store
    }

    /// Wakes the waiting task to check the messages again.
    pub fn look_again(&self) {
        self.added.notify_one();
    }

    /// Waits until this process adds a message, or until a message that blocked others is over.
    pub async fn added(&self) {
        self.added.notified().await;
    }
}

#[async_trait]
impl Outbox for OutboxAlarm {
    async fn count_waiting(&self, module: &str, channel: ChannelId, person: UserId) -> Result<Waiting, ServiceError> {
        self.store.count_waiting(module, channel, person).await
    }

    fn added(&self) {
        self.look_again();
    }
}
