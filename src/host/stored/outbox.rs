//! Messages that modules send to channels, stored so that they survive restarts.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::sync::Notify;

use candor_core::contract::{MessageEnd, Outbox, Outgoing, ServiceError, Waiting};
use candor_core::inbound::{ChannelId, UserId};
use candor_core::record::ReceiptId;

/// The number of a message. Never that of another one.
pub type MessageId = i64;

/// A message that is to be sent, lent to this process.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenMessage {
    /// The number.
    pub id: MessageId,
    /// How often it was taken.
    pub tries: u32,
    /// The receipt of the run that sent it.
    pub receipt: ReceiptId,
    /// When that run began.
    pub at: SystemTime,
    /// The message.
    pub outgoing: Outgoing,
}

/// Stores messages, and lends each to one process. Those of one module to one channel are lent in their order.
#[async_trait]
pub trait OutboxStore: Outbox {
    /// Takes the message that has waited for longest, if one is to be sent now. No other process takes it for `lasts`;
    /// afterwards this one is taken to have ended in the middle of it.
    async fn take_message(&self, now: SystemTime, lasts: Duration) -> Result<Option<TakenMessage>, ServiceError>;
    /// When there is something to take: `now`, if a clock that was ahead put it far off.
    async fn next_message(&self, now: SystemTime) -> Result<Option<SystemTime>, ServiceError>;
    /// A message was not sent: it is not taken again before this moment. Nothing happens if it was taken once more
    /// meanwhile: it is another's now.
    async fn put_off(&self, taken: &TakenMessage, until: SystemTime) -> Result<(), ServiceError>;
    /// A message is over: its words are forgotten, and what became of it stays with its receipt, if that is still
    /// there. Nothing happens if it was taken once more meanwhile.
    async fn message_is_over(&self, taken: &TakenMessage, end: MessageEnd) -> Result<(), ServiceError>;
}

/// The messages of the store, and a bell that rings when one is added: whoever waits for the next may have to wait
/// less.
pub struct OutboxAlarm {
    store: Arc<dyn OutboxStore>,
    added: Notify,
}

impl OutboxAlarm {
    /// The messages of this store.
    pub fn new(store: Arc<dyn OutboxStore>) -> Self {
        Self { store, added: Notify::new() }
    }

    /// The store.
    pub fn store(&self) -> &dyn OutboxStore {
        &*self.store
    }

    /// Has whoever waits look at the messages again.
    pub fn look_again(&self) {
        self.added.notify_one();
    }

    /// Waits until this process adds a message, or one that others waited for is over.
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
