//! A chat reply in progress, stored so that a crash can be reported under it.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::host::stored::left_open::LeftOpen;
use candor_core::contract::ServiceError;
use candor_core::inbound::{ChannelId, EventId};
use candor_core::language::Language;
use candor_core::record::ReceiptId;
use candor_core::reply::Mark;

/// A chat reply that is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenReply {
    /// The event that is answered.
    pub event: EventId,
    /// The channel.
    pub channel: ChannelId,
    /// The message that is replied to.
    pub question: u64,
    /// The messages that show the reply so far, in order.
    pub messages: Vec<u64>,
    /// The end of the nonce of a message that was being sent: it may have arrived.
    pub in_doubt: Option<String>,
    /// What ran in its turn. `None` if that is not known.
    pub mark: Option<Mark>,
    /// When it began.
    pub began: SystemTime,
    /// The language of the bot's own words under it.
    pub language: Language,
}

/// Stores replies while they are written.
#[async_trait]
pub trait OpenReplies: Send + Sync {
    /// A reply begins; it shows nothing yet.
    async fn reply_begins(&self, reply: &OpenReply) -> Result<(), ServiceError>;
    /// One more message is about to be sent, with a nonce that ends so: a letter and a number.
    async fn reply_sends(&self, event: EventId, part: &str) -> Result<(), ServiceError>;
    /// That message shows it.
    async fn reply_shows(&self, event: EventId, message: u64) -> Result<(), ServiceError>;
    /// A command is about to run for it.
    async fn reply_runs(&self, event: EventId, command: &str) -> Result<(), ServiceError>;
    /// That command ended, with this receipt; without one it did not run.
    async fn reply_ran(&self, event: EventId, receipt: Option<ReceiptId>) -> Result<(), ServiceError>;
    /// It is whole, or says why it is not.
    async fn reply_is_over(&self, event: EventId) -> Result<(), ServiceError>;
    /// The first replies that are left open, some at once; none if there are no more. One that cannot be read is
    /// forgotten.
    async fn replies_left_open(&self, left: LeftOpen) -> Result<Vec<OpenReply>, ServiceError>;
}
