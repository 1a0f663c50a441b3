//! What the servers are called in which commands run.

use async_trait::async_trait;

use crate::inbound::GuildId;

/// The names of servers, as far as the edge knows them.
#[async_trait]
pub trait ServerNames: Send + Sync {
    /// What this guild is called.
    async fn name(&self, guild: GuildId) -> Option<String>;
}
