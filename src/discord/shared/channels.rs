//! A cache of channels: the guild of each, and each thread's parent channel and opener.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use serenity::all::{ChannelId as DiscordChannel, MessageId, Route};
use tokio::time::Instant;
use tracing::warn;

use crate::rest::{Rest, THREADS};
use candor_core::inbound::{ChannelId, GuildId, UserId};
use candor_core::language::{Language, say};

/// How long Discord is not asked again for a channel that the bot does not see, and after a failed request: many
/// members may join at once.
const NOWHERE_FOR: Duration = Duration::from_mins(10);
const NOT_KNOWN_FOR: Duration = Duration::from_secs(30);

/// The maximum of cached channels. At the maximum the cache is cleared.
const KNOWN_MAX: usize = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unplaced {
    /// It is not in a guild, or the bot does not see it.
    Nowhere,
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

/// A channel of a guild. These facts never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Channel {
    guild: GuildId,
    thread: Option<Thread>,
}

/// A thread, or a post of a forum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thread {
    /// The channel or forum that it belongs to.
    pub(crate) parent: ChannelId,
    pub(crate) opener: Option<UserId>,
}

/// The number of first messages of a thread in which the bot's own is looked for: people may write before it.
const FIRST_MESSAGES: usize = 10;

type Found = Result<Channel, Unplaced>;

/// Cached channels, and the owners of the threads that the bot opened.
#[derive(Default)]
pub(crate) struct GuildsOfChannels {
    known: Mutex<HashMap<ChannelId, (Found, Instant)>>,
    owners: Mutex<HashMap<ChannelId, Option<UserId>>>,
    /// Allows one lookup of a thread at a time: the first of several messages asks for all.
    looking: tokio::sync::Mutex<()>,
}

impl GuildsOfChannels {
    /// Returns the guild of this channel, from Discord or from the cache.
    pub(crate) async fn of(&self, rest: &Rest, channel: ChannelId) -> Result<GuildId, Unplaced> {
        self.channel(rest, channel).await.map(|channel| channel.guild)
    }

    /// Returns the guild as well, but ignores a cached failure: for callers that would lose something by it.
    pub(crate) async fn now(&self, rest: &Rest, channel: ChannelId) -> Result<GuildId, Unplaced> {
        let known = locked(&self.known).get(&channel).copied();
        let found = match known {
            Some((Ok(channel), _)) => Ok(channel),
            Some((Err(_), _)) | None => self.asked(rest, channel).await,
        };
        found.map(|channel| channel.guild)
    }

    /// Returns this channel as a thread; `None` if it is not a thread, or not known.
    pub(crate) async fn thread(&self, rest: &Rest, channel: ChannelId) -> Option<Thread> {
        if let Some((Ok(known), _)) = locked(&self.known).get(&channel).copied() {
            return known.thread;
        }
        let _looking = self.looking.lock().await;
        self.channel(rest, channel).await.ok()?.thread
    }

    /// Returns whether this channel may be a thread. True if it is unknown.
    pub(crate) fn may_be_thread(&self, channel: ChannelId) -> bool {
        match locked(&self.known).get(&channel) {
            Some((Ok(known), _)) => known.thread.is_some(),
            Some((Err(unplaced), asked)) => unplaced.stands_for() <= asked.elapsed(),
            None => true,
        }
    }

    /// Returns the person the bot opened this thread for. Requests the starter message once, and the first messages of a
    /// thread without one: the bot's names the owner.
    pub(crate) async fn owner(&self, rest: &Rest, id: ChannelId, thread: Thread) -> Option<UserId> {
        let _looking = self.looking.lock().await;
        if let Some(owner) = locked(&self.owners).get(&id).copied() {
            return owner;
        }
        let channel_id = DiscordChannel::new(thread.parent.0.max(1));
        let beginning = rest.get(Route::ChannelMessage { channel_id, message_id: MessageId::new(id.0.max(1)) }).await;
        let owner = match &beginning {
            Ok(message) => id_at(message, "/author/id").map(UserId),
            Err(problem) if matches!(problem.status(), Some(403 | 404)) => {
                let id = DiscordChannel::new(id.0.max(1));
                match rest.messages_after(id, 0, FIRST_MESSAGES).await {
                    Ok(messages) => messages.iter().find_map(|message| named_owner(message, thread.opener?)),
                    Err(problem) if matches!(problem.status(), Some(403 | 404)) => None,
                    Err(_) => return None,
                }
            }
            Err(_) => return None,
        };
        remember(&self.owners, id, owner);
        owner
    }

    /// Records that the bot opened this thread for this person.
    pub(crate) fn opened(&self, thread: ChannelId, owner: UserId) {
        remember(&self.owners, thread, Some(owner));
    }

    async fn channel(&self, rest: &Rest, channel: ChannelId) -> Found {
        let known = locked(&self.known).get(&channel).copied();
        match known {
            Some((Ok(channel), _)) => Ok(channel),
            Some((Err(unplaced), asked)) if asked.elapsed() < unplaced.stands_for() => Err(unplaced),
            Some((Err(_), _)) | None => self.asked(rest, channel).await,
        }
    }

    async fn asked(&self, rest: &Rest, channel: ChannelId) -> Found {
        let answer = rest.get(Route::Channel { channel_id: DiscordChannel::new(channel.0.max(1)) }).await;
        let found = match &answer {
            Ok(found) => read(found).ok_or(Unplaced::Nowhere),
            Err(problem) if matches!(problem.status(), Some(403 | 404)) => Err(Unplaced::Nowhere),
            Err(_) => Err(Unplaced::NotKnown),
        };
        if found.is_err() {
            let error = answer.err().map_or("it is in none".to_owned(), |problem| problem.to_string());
            warn!(channel.id = %channel, error, "the server of a channel could not be looked up");
        }
        remember(&self.known, channel, (found, Instant::now()));
        found
    }
}

/// Returns the text of the bot's first message in a thread without a starter message. It names the owner.
pub(super) fn first_text(owner: UserId, language: Language) -> String {
    say!(language, "thread-owner", person = format!("<@{owner}>"))
}

/// Returns the owner, if this is the bot's first message in a thread.
fn named_owner(message: &Value, bot: UserId) -> Option<UserId> {
    let content = message.get("content")?.as_str()?;
    let mention = content.split_once("<@")?.1.split_once('>')?.0;
    let owner = UserId(mention.parse().ok()?);
    let is_first_text = Language::all().any(|language| content == first_text(owner, language));
    (is_first_text && id_at(message, "/author/id") == Some(bot.0)).then_some(owner)
}

fn locked<T>(map: &Mutex<T>) -> MutexGuard<'_, T> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remember<K: Eq + Hash, V>(map: &Mutex<HashMap<K, V>>, key: K, value: V) {
    let mut known = locked(map);
    if KNOWN_MAX <= known.len() {
        known.clear();
    }
    known.insert(key, value);
}

fn id_at(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer)?.as_str()?.parse().ok().filter(|&id| id != 0)
}

fn read(channel: &Value) -> Option<Channel> {
    let is_thread = channel.get("type").and_then(Value::as_u64).is_some_and(|kind| THREADS.contains(&kind));
    let parent = id_at(channel, "/parent_id").filter(|_| is_thread);
    let opener = id_at(channel, "/owner_id").map(UserId);
    let thread = parent.map(|parent| Thread { parent: ChannelId(parent), opener });
    Some(Channel { guild: GuildId(id_at(channel, "/guild_id")?), thread })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_owner_is_named_by_the_bot_in_each_language_and_by_nobody_else() {
        for language in Language::all() {
            let first =
                |author: &str| json!({ "content": first_text(UserId(7), language), "author": { "id": author } });
            assert_eq!(named_owner(&first("3"), UserId(3)), Some(UserId(7)), "{language}");
            assert_eq!(named_owner(&first("4"), UserId(3)), None);
        }
        let other = json!({ "content": "Ask <@7>.", "author": { "id": "3" } });
        assert_eq!(named_owner(&other, UserId(3)), None);
    }

    #[test]
    fn a_channel_is_read_with_its_guild_and_a_thread_with_its_channel_and_opener() {
        let thread = |parent, opener: Option<u64>| Thread { parent: ChannelId(parent), opener: opener.map(UserId) };
        let cases = [
            (json!({ "guild_id": "5", "type": 0, "parent_id": "9" }), Some((5, None))),
            (
                json!({ "guild_id": "5", "type": 11, "parent_id": "9", "owner_id": "3" }),
                Some((5, Some(thread(9, Some(3))))),
            ),
            (json!({ "guild_id": "5", "type": 12, "parent_id": "9" }), Some((5, Some(thread(9, None))))),
            (json!({ "guild_id": "5", "type": 11, "owner_id": "3" }), Some((5, None))),
            (json!({ "type": 1, "guild_id": "0" }), None),
        ];
        for (channel, expected) in cases {
            let expected = expected.map(|(guild, thread)| Channel { guild: GuildId(guild), thread });
            assert_eq!(read(&channel), expected, "{channel}");
        }
    }
}
