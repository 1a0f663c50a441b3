//! Requests to Discord that the engine makes: the names of guilds, and threads. The engine holds this, so it knows no
//! dispatcher and is made first.

use std::sync::Arc;

use secrecy::SecretString;
use serde_json::json;
use serenity::all::{ChannelId, GuildId, MessageId};
use serenity::async_trait;
use tokio::sync::SetOnce;
use tracing::{info, warn};
use url::Url;

use crate::render::posts::Post;
use crate::rest::{DiscordError, RequestError, Rest, Standing, build, client, once, standing, twice};
use crate::shared::channels::{GuildsOfChannels, first_text};
use crate::shared::names::Names;
use candor_core::contract::ServerNames;
use candor_core::inbound::{self, Caller, Permissions, Place, UserId};
use candor_core::record::Counters;
use candor_engine::dispatch::{NewThread, NoThread, Threads};

/// Types of public threads without a starter message: in announcement channels and in others. See Discord's
/// documentation, "Channel", channel types.
const ANNOUNCEMENT_THREAD: u64 = 10;
const PUBLIC_THREAD: u64 = 11;

/// The permissions that the bot needs in a channel, or its threads there would stay empty.
const NEEDED: [&str; 3] = ["view_channel", "create_public_threads", "send_messages_in_threads"];

/// The error codes of a message that has a thread already, and of a deleted one. See Discord's documentation, "JSON
/// error codes".
const ALREADY_OPENED: i64 = 160_004;
const UNKNOWN_MESSAGE: i64 = 10_008;

/// How long a thread stays active without a message, in minutes: a day.
const ARCHIVED_AFTER: u64 = 1_440;

/// How to reach Discord.
pub struct Connection {
    pub token: SecretString,
    /// The proxy or local stand-in, from the environment or the settings.
    pub proxy: Option<Url>,
}

pub struct Requester {
    pub(crate) connection: Connection,
    pub(crate) client: reqwest::Client,
    pub(crate) rest: Arc<Rest>,
    /// The bot's own id, known from READY on or from a saved session. An event's task may overtake READY by a little.
    pub(crate) bot: Arc<SetOnce<UserId>>,
    pub(crate) names: Arc<Names>,
    /// The guilds of the channels to which modules may send messages.
    pub(crate) guilds_of_channels: Arc<GuildsOfChannels>,
}

impl Requester {
    /// Connects to nothing yet.
    ///
    /// # Errors
    /// An HTTP client cannot be built.
    pub fn new(connection: Connection, counters: Arc<Counters>) -> Result<Self, DiscordError> {
        let client = client().map_err(DiscordError::ended)?;
        let http = build(&connection.token, connection.proxy.as_ref()).map_err(DiscordError::ended)?;
        let rest = Arc::new(Rest::new(Arc::new(http), client.clone(), counters));
        let bot = Arc::default();
        Ok(Self { connection, client, rest, bot, names: Arc::default(), guilds_of_channels: Arc::default() })
    }

    /// Returns whether the bot may open threads in a channel and write in them, as far as it is known. Discord lets a
    /// bot open a thread in which it may not write.
    async fn may_write_in_threads(&self, place: Place) -> bool {
        let Some(&bot) = self.bot.get() else { return true };
        match standing(&self.rest, &Caller::new(bot, ""), place).await {
            Standing::Here(Caller { member: Some(member), .. }) => {
                let needed = NEEDED.into_iter().filter_map(Permissions::from_name);
                let needed = needed.fold(Permissions::default(), Permissions::and);
                member.permissions.is_none_or(|has| has.missing(needed).is_empty())
            }
            // The attempt to open it will show.
            Standing::Here(_) | Standing::Left | Standing::Unknown => true,
        }
    }
}

#[async_trait]
impl ServerNames for Requester {
    async fn name(&self, guild: inbound::GuildId) -> Option<String> {
        self.names.of_guild(&self.rest, GuildId::new(guild.0.max(1))).await
    }
}

#[async_trait]
impl Threads for Requester {
    async fn open(
        &self,
        (guild, channel): (inbound::GuildId, inbound::ChannelId),
        NewThread { owner, from, title, language }: NewThread<'_>,
    ) -> Result<inbound::ChannelId, NoThread> {
        let id = ChannelId::new(channel.0.max(1));
        let from = from.map(|from| MessageId::new(from.0.max(1)));
        if !self.may_write_in_threads(Place::Guild { guild, channel }).await {
            info!(channel.id = %channel.0, "no thread opened: the bot may not create threads here, or not write in them");
            return Err(NoThread::Forbidden);
        }
        let mut body = json!({ "name": title, "auto_archive_duration": ARCHIVED_AFTER });
        if from.is_none() {
            let is_announcement = self.names.is_announcement(&self.rest, id).await;
            body["type"] = if is_announcement { ANNOUNCEMENT_THREAD } else { PUBLIC_THREAD }.into();
        }
        let thread = match once(|| self.rest.open_thread(id, from, &body)).await {
            Ok(thread) => thread.get(),
            // The thread exists already: another process with this token was faster.
            Err(RequestError::Answer { code: ALREADY_OPENED, .. }) if let Some(from) = from => from.get(),
            Err(problem) => {
                warn!(channel.id = %channel.0, error = %problem, "no thread opened");
                return Err(why(&problem));
            }
        };
        self.guilds_of_channels.opened(inbound::ChannelId(thread), owner);
        if from.is_none() {
            // After a restart, the bot reads the owner from it.
            let first = Post::text(first_text(owner, language));
            let body = first.alone(format!("{thread}-f"));
            let id = ChannelId::new(thread.max(1));
            if let Err(problem) = twice(|| self.rest.post(id, first.files(), &body)).await {
                warn!(thread.id = thread, error = %problem, "the owner of a thread is known only until a restart");
            }
        }
        Ok(inbound::ChannelId(thread))
    }
}

/// Classifies a refusal. See Discord's documentation, "JSON error codes".
fn why(problem: &RequestError) -> NoThread {
    match problem {
        // No access; missing permissions.
        RequestError::Answer { code: 50_001 | 50_013, .. } | RequestError::Closed { .. } => NoThread::Forbidden,
        // Not in a direct message; not in such a channel; unknown channel.
        RequestError::Answer { code: 50_003 | 50_024 | 10_003, .. } => NoThread::NotHere,
        RequestError::Answer { code: UNKNOWN_MESSAGE, .. } => NoThread::Gone,
        _ => NoThread::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_why() {
        let cases = [
            (403, 50_013, NoThread::Forbidden),
            (403, 50_001, NoThread::Forbidden),
            (400, 50_024, NoThread::NotHere),
            (404, 10_008, NoThread::Gone),
            (400, 50_035, NoThread::Failed),
            (500, 0, NoThread::Failed),
        ];
        for (status, code, expected) in cases {
            assert_eq!(why(&RequestError::Answer { status, code, message: String::new() }), expected, "{code}");
        }
        assert_eq!(why(&RequestError::Unreached(String::new())), NoThread::Failed);
    }
}
