//! The guilds of the channels in which modules say something by themselves.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use serenity::all::{ChannelId as DiscordChannel, Route};
use tokio::time::Instant;
use tracing::warn;

use crate::edges::discord::rest::Rest;
use candor_core::inbound::{ChannelId, GuildId};

/// How long Discord is not asked again for a channel that the bot does not see, and for one of which it said nothing:
/// many may join at once.
const NOWHERE_FOR: Duration = Duration::from_mins(10);
const NOT_KNOWN_FOR: Duration = Duration::from_secs(30);

/// The most channels of which it is known. Then all are asked for anew.
const KNOWN_MAX: usize = 10_000;

/// Why the guild of a channel is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unplaced {
    /// It is in none, or the bot does not see it.
    Nowhere,
    /// Discord did not answer at that time.
    NotKnown,
}

impl Unplaced {
    fn stands_for(self) -> Duration {
        match self {
            Self::Nowhere => NOWHERE_FOR,
            Self::NotKnown => NOT_KNOWN_FOR,
        }
    }
}

type Found = Result<GuildId, Unplaced>;

/// The guilds of channels, once they are known: whoever names a channel does not say its guild.
#[derive(Default)]
pub(crate) struct GuildsOfChannels(Mutex<HashMap<ChannelId, (Found, Instant)>>);

impl GuildsOfChannels {
    /// The guild of this channel, if Discord says it, or said it a while ago.
    pub(crate) async fn of(&self, rest: &Rest, channel: ChannelId) -> Result<GuildId, Unplaced> {
        let known = self.known().get(&channel).copied();
        match known {
            Some((Ok(guild), _)) => Ok(guild),
            Some((Err(unplaced), asked)) if asked.elapsed() < unplaced.stands_for() => Err(unplaced),
            Some((Err(_), _)) | None => self.asked(rest, channel).await,
        }
    }

    /// The same for something that would be lost by it: Discord is asked once more if it did not say it.
    pub(crate) async fn now(&self, rest: &Rest, channel: ChannelId) -> Result<GuildId, Unplaced> {
        let known = self.known().get(&channel).copied();
        match known {
            Some((Ok(guild), _)) => Ok(guild),
            Some((Err(_), _)) | None => self.asked(rest, channel).await,
        }
    }

    async fn asked(&self, rest: &Rest, channel: ChannelId) -> Found {
        let answer = rest.get(Route::Channel { channel_id: DiscordChannel::new(channel.0.max(1)) }).await;
        let guild = match &answer {
            Ok(found) => guild_of(found).ok_or(Unplaced::Nowhere),
            Err(problem) if matches!(problem.status(), Some(403 | 404)) => Err(Unplaced::Nowhere),
            Err(_) => Err(Unplaced::NotKnown),
        };
        if guild.is_err() {
            let error = answer.err().map_or("it is in none".to_owned(), |problem| problem.to_string());
            warn!(channel.id = %channel, error, "it is not known in which server a channel is that a module may send to");
        }
        let mut known = self.known();
        if KNOWN_MAX <= known.len() {
            known.clear();
        }
        known.insert(channel, (guild, Instant::now()));
        guild
    }

    fn known(&self) -> MutexGuard<'_, HashMap<ChannelId, (Found, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn guild_of(channel: &Value) -> Option<GuildId> {
    channel.get("guild_id")?.as_str()?.parse().ok().filter(|&id| id != 0).map(GuildId)
}
