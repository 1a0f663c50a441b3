//! Names of guilds in which commands run.

use async_trait::async_trait;

use crate::inbound::GuildId;

/// The names of guilds, as far as the edge knows them.
#[async_trait]
pub trait ServerNames: Send + Sync {
    /// Returns the guild's name, if known.
    async fn name(&self, guild: GuildId) -> Option<String>;
}
