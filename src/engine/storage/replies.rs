//! Messages that outlast a process: chat replies in progress, stored so that a crash can be reported under them, and live
//! messages. Also the query for work that ended processes left open.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::Leases;
use candor_core::contract::ServiceError;
use candor_core::inbound::{ChannelId, EventId, Interaction};
use candor_core::language::Language;
use candor_core::record::ReceiptId;
use candor_core::reply::Mark;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenReply {
    pub event: EventId,
    pub channel: ChannelId,
    /// The message that is replied to.
    pub question: u64,
    /// The messages that show the reply so far, in order.
    pub messages: Vec<u64>,
    /// The end of the nonce of a message that was being sent: it may have arrived.
    pub in_doubt: Option<String>,
    /// The commands that ran in its turn. `None` if they are unknown.
    pub mark: Option<Mark>,
    pub began: SystemTime,
    /// The language of the bot's own words under it.
    pub language: Language,
}

#[async_trait]
pub trait OpenReplies: Send + Sync {
    /// Stores a reply that begins and shows nothing yet.
    async fn reply_begins(&self, reply: &OpenReply) -> Result<(), ServiceError>;
    /// Notes that another message is about to be sent. `part` is the end of its nonce: a letter and a number.
    async fn reply_sends(&self, event: EventId, part: &str) -> Result<(), ServiceError>;
    /// Notes the id of the message that was sent.
    async fn reply_shows(&self, event: EventId, message: u64) -> Result<(), ServiceError>;
    async fn reply_runs(&self, event: EventId, command: &str) -> Result<(), ServiceError>;
    /// Notes that the command ended, with this receipt; without one it did not run.
    async fn reply_ran(&self, event: EventId, receipt: Option<ReceiptId>) -> Result<(), ServiceError>;
    /// Deletes a reply that is complete, or says why it is not.
    async fn reply_is_over(&self, event: EventId) -> Result<(), ServiceError>;
    /// Returns the first replies left open, several at once; empty if there are no more. Deletes a reply that cannot be
    /// read.
    async fn replies_left_open(&self, left: LeftOpen) -> Result<Vec<OpenReply>, ServiceError>;
}

/// Selects work abandoned by a process that has ended. If that cannot be found out, selects work that has been open for
/// too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOpen {
    pub now: SystemTime,
    /// The longest that any work takes.
    pub longest: Duration,
    /// Select only work after this event, in the order of the store. `None` selects from the first one on.
    pub after: Option<EventId>,
}

impl LeftOpen {
    pub fn all(now: SystemTime, longest: Duration) -> Self {
        Self { now, longest, after: None }
    }
}

/// A live message of the bot, and the interaction to run again to refresh it.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveMessage {
    pub message: u64,
    /// The interaction that asked for the message, and its place. Each channel has at most one.
    pub interaction: Interaction,
}

#[async_trait]
pub trait LiveMessages: Leases {
    /// Stores a message and replaces any other of its channel.
    async fn remember(&self, live: &LiveMessage) -> Result<(), ServiceError>;
    async fn remembered(&self) -> Result<Vec<LiveMessage>, ServiceError>;
    /// Removes the message of a channel, unless another took its place.
    async fn forget(&self, live: &LiveMessage) -> Result<(), ServiceError>;
}
