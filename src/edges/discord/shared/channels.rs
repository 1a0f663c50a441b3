//! The guilds of the channels that the operator names for what modules run by themselves.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use serenity::all::{ChannelId as DiscordChannel, Route};
use tokio::time::Instant;
use tracing::warn;

use crate::edges::discord::rest::Rest;
use candor_core::inbound::{ChannelId, GuildId};

/// How long Discord is not asked again for a channel of which it said nothing: many may join at once.
const ASKED_AGAIN_AFTER: Duration = Duration::from_mins(10);

/// The guilds of channels, once they are known: the operator writes channels alone, and there are as many here. `None`:
/// Discord did not say it at that time.
#[derive(Default)]
pub(crate) struct GuildsOfChannels(Mutex<HashMap<ChannelId, (Option<GuildId>, Instant)>>);

impl GuildsOfChannels {
    /// The guild of this channel, if Discord says it.
    pub(crate) async fn of(&self, rest: &Rest, channel: ChannelId) -> Option<GuildId> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((guild, asked)) = known().get(&channel).copied()
            && (guild.is_some() || asked.elapsed() < ASKED_AGAIN_AFTER)
        {
            return guild;
        }
        let answer = rest.get(Route::Channel { channel_id: DiscordChannel::new(channel.0.max(1)) }).await;
        let guild = answer.as_ref().ok().and_then(guild_of);
        if guild.is_none() {
            let error = answer.err().map_or("it is in none".to_owned(), |problem| problem.to_string());
            warn!(channel.id = %channel, error, "it is not known in which server a channel of `[modules.send_to]` is");
        }
        known().insert(channel, (guild, Instant::now()));
        guild
    }
}

fn guild_of(channel: &Value) -> Option<GuildId> {
    channel.get("guild_id")?.as_str()?.parse().ok().filter(|&id| id != 0).map(GuildId)
}
