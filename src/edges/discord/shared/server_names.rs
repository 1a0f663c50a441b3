//! Tells modules the names of guilds.

use async_trait::async_trait;
use serenity::all::GuildId as DiscordGuild;

use crate::edges::discord::shared::Shared;
use candor_core::contract::ServerNames;
use candor_core::inbound::GuildId;

#[async_trait]
impl ServerNames for Shared {
    async fn name(&self, guild: GuildId) -> Option<String> {
        self.names.of_guild(&self.rest, DiscordGuild::new(guild.0.max(1))).await
    }
}
