//! A live message of a channel, stored so that it continues after a restart.

use async_trait::async_trait;

use crate::host::Leases;
use candor_core::contract::ServiceError;
use candor_core::inbound::Interaction;

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
