//! A live message of a channel, stored so that it continues after a restart.

use async_trait::async_trait;

use crate::host::Leases;
use candor_core::contract::ServiceError;
use candor_core::inbound::Interaction;

/// A live message of the bot, and the interaction to run again to refresh it.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveMessage {
    /// The message.
    pub message: u64,
    /// The interaction that asked for it, and its place: there is one in each channel.
    pub interaction: Interaction,
}

/// Stores live messages, and lends each to one process.
#[async_trait]
pub trait LiveMessages: Leases {
    /// Stores it in place of any other of its channel.
    async fn remember(&self, live: &LiveMessage) -> Result<(), ServiceError>;
    /// All of them.
    async fn remembered(&self) -> Result<Vec<LiveMessage>, ServiceError>;
    /// Removes the message of a channel, unless another took its place.
    async fn forget(&self, live: &LiveMessage) -> Result<(), ServiceError>;
}
