//! Opens threads for conversations. The edge implements this.

use async_trait::async_trait;

use candor_core::inbound::{ChannelId, EventId, GuildId, UserId};
use candor_core::language::Language;

#[derive(Clone, Copy)]
pub struct NewThread<'a> {
    pub owner: UserId,
    /// The message that it begins with, if any.
    pub from: Option<EventId>,
    pub title: &'a str,
    pub language: Language,
}

#[async_trait]
pub trait Threads: Send + Sync {
    async fn open(&self, of: (GuildId, ChannelId), new: NewThread<'_>) -> Result<ChannelId, NoThread>;
}

/// The reason why no thread was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoThread {
    /// This kind of place has no threads.
    NotHere,
    /// The person could not talk with the model there. The text tells them why.
    Mute(String),
    /// The bot lacks the permission to open it or to write in it.
    Forbidden,
    /// The message to start it from is gone.
    Gone,
    /// Discord did not open it.
    Failed,
}
