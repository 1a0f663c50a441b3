//! A message that is kept up to date in a channel, over restarts.

use async_trait::async_trait;

use candor_core::contract::ServiceError;
use candor_core::inbound::Interaction;

/// A message of the bot, and what is asked again to keep it up to date.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveMessage {
    /// The message.
    pub message: u64,
    /// What asked for it, and where: there is one in a channel.
    pub interaction: Interaction,
}

/// Where live messages are remembered.
#[async_trait]
pub trait LiveMessages: Send + Sync {
    /// Remembers it in the place of any other of its channel.
    async fn remember(&self, live: &LiveMessage) -> Result<(), ServiceError>;
    /// Every one.
    async fn remembered(&self) -> Result<Vec<LiveMessage>, ServiceError>;
    /// Forgets the message of a channel, unless another took its place.
    async fn forget(&self, live: &LiveMessage) -> Result<(), ServiceError>;
}
