//! The names of guilds, channels and threads, requested when a chat turn needs them and cached for a while.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use serenity::all::{ChannelId, GuildId, Route};
use tokio::time::Instant;

use crate::rest::{Rest, THREADS};
use candor_core::agent::surroundings::PlaceNames;

/// How long a name is cached: a renamed place gets its new name soon.
const BELIEVED_FOR: Duration = Duration::from_secs(600);
/// The pause after a failed lookup.
const ASKED_AGAIN: Duration = Duration::from_secs(10);
/// The type of an announcement channel. See Discord's documentation, "Channel", channel types.
const ANNOUNCEMENT: u64 = 5;
/// The maximum of cached places: about 150 KB.
const REMEMBERED_MAX: usize = 1_000;

#[derive(Default)]
pub(crate) struct Names {
    known: Mutex<HashMap<u64, (Instant, Known)>>,
}

/// A cached guild or channel. Without a name, its lookup failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    name: Option<String>,
    /// The channel of a thread, or the category of a channel.
    parent: Option<u64>,
    is_thread: bool,
    is_announcement: bool,
    /// For a guild: the managed role of each bot, by the bot's id.
    roles_of_bots: BTreeMap<u64, u64>,
}

impl Names {
    /// Returns the names of a channel and its parents.
    pub(crate) async fn of(&self, rest: &Rest, guild: Option<GuildId>, channel: ChannelId) -> PlaceNames {
        let Some(guild) = guild else { return PlaceNames::default() };
        let (guild, here) = tokio::join!(
            self.known(rest, guild.get(), Route::Guild { guild_id: guild }),
            self.known(rest, channel.get(), Route::Channel { channel_id: channel }),
        );
        let Some(parent) = here.parent.filter(|_| here.is_thread) else {
            return PlaceNames { guild: guild.name, channel: here.name, thread: None };
        };
        let parent = ChannelId::new(parent);
        let above = self.known(rest, parent.get(), Route::Channel { channel_id: parent }).await;
        PlaceNames { guild: guild.name, channel: above.name, thread: here.name }
    }

    pub(crate) async fn of_guild(&self, rest: &Rest, guild: GuildId) -> Option<String> {
        self.known(rest, guild.get(), Route::Guild { guild_id: guild }).await.name
    }

    /// Returns a bot's managed role in a guild, as far as it is known.
    pub(crate) async fn role_of_bot(&self, rest: &Rest, guild: GuildId, bot: u64) -> Option<u64> {
        self.known(rest, guild.get(), Route::Guild { guild_id: guild }).await.roles_of_bots.get(&bot).copied()
    }

    /// Returns whether a channel is a thread, as far as it is known.
    pub(crate) async fn is_thread(&self, rest: &Rest, channel: ChannelId) -> bool {
        self.known(rest, channel.get(), Route::Channel { channel_id: channel }).await.is_thread
    }

    /// Returns whether a channel is an announcement channel, as far as it is known.
    pub(crate) async fn is_announcement(&self, rest: &Rest, channel: ChannelId) -> bool {
        self.known(rest, channel.get(), Route::Channel { channel_id: channel }).await.is_announcement
    }

    /// Returns the parents of a channel, the nearest first: for a thread its channel, then the category.
    pub(crate) async fn above(&self, rest: &Rest, channel: ChannelId) -> Vec<u64> {
        let here = self.known(rest, channel.get(), Route::Channel { channel_id: channel }).await;
        let Some(parent) = here.parent.filter(|_| here.is_thread) else { return here.parent.into_iter().collect() };
        let channel = ChannelId::new(parent);
        let above = self.known(rest, parent, Route::Channel { channel_id: channel }).await;
        [parent].into_iter().chain(above.parent).collect()
    }

    async fn known(&self, rest: &Rest, id: u64, route: Route<'_>) -> Known {
        if let Some(known) = self.remembered(id, Instant::now()) {
            return known;
        }
        let now = Instant::now();
        match rest.get(route).await {
            Ok(answer) => {
                let known = read(&answer);
                self.remember(id, known.clone(), now);
                known
            }
            // The previous value is better than nothing, and is requested again soon.
            Err(_) => {
                let known = self.known_before(id);
                let asked_again = now.checked_sub(BELIEVED_FOR.saturating_sub(ASKED_AGAIN)).unwrap_or(now);
                self.remember(id, known.clone(), asked_again);
                known
            }
        }
    }

    fn remembered(&self, id: u64, now: Instant) -> Option<Known> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&id).filter(|(at, _)| now.duration_since(*at) < BELIEVED_FOR).map(|(_, known)| known.clone())
    }

    fn known_before(&self, id: u64) -> Known {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&id).map(|(_, known)| known.clone()).unwrap_or_default()
    }

    fn remember(&self, id: u64, new: Known, now: Instant) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if REMEMBERED_MAX <= known.len() {
            known.retain(|_, (at, _)| now.duration_since(*at) < BELIEVED_FOR);
        }
        if REMEMBERED_MAX <= known.len() {
            known.clear();
        }
        known.insert(id, (now, new));
    }
}

fn read(answer: &Value) -> Known {
    let kind = answer.get("type").and_then(Value::as_u64);
    let is_thread = kind.is_some_and(|kind| THREADS.contains(&kind));
    let is_announcement = kind == Some(ANNOUNCEMENT);
    let parent = answer.get("parent_id").and_then(Value::as_str).and_then(|id| id.parse().ok()).filter(|&id| id != 0);
    let name = answer.get("name").and_then(Value::as_str).map(str::to_owned);
    let id = |value: Option<&Value>| value?.as_str()?.parse::<u64>().ok();
    let roles = answer.get("roles").and_then(Value::as_array).into_iter().flatten();
    let roles_of_bots =
        roles.filter_map(|role| Some((id(role.pointer("/tags/bot_id"))?, id(role.get("id"))?))).collect();
    Known { name, parent, is_thread, is_announcement, roles_of_bots }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_thread_belongs_to_a_channel_and_a_channel_to_a_category() {
        let cases = [
            (json!({ "name": "Home" }), (Some("Home"), None, false)),
            (json!({ "name": "general", "type": 0, "parent_id": "9" }), (Some("general"), Some(9), false)),
            (json!({ "name": "Plans", "type": 11, "parent_id": "9" }), (Some("Plans"), Some(9), true)),
            (json!({ "name": "news", "type": 5 }), (Some("news"), None, false)),
            (json!({ "name": 7, "type": 11, "parent_id": "0" }), (None, None, true)),
        ];
        for (answer, (name, parent, is_thread)) in cases {
            let is_announcement = name == Some("news");
            let name = name.map(str::to_owned);
            let expected = Known { name, parent, is_thread, is_announcement, ..Known::default() };
            assert_eq!(read(&answer), expected, "{answer}");
        }
        let roles =
            json!({ "roles": [{ "id": "1" }, { "id": "77", "tags": { "bot_id": "9" } }, { "id": "78", "tags": {} }] });
        assert_eq!(read(&roles).roles_of_bots, BTreeMap::from([(9, 77)]));
    }

    #[test]
    fn names_are_forgotten_in_time_and_the_list_has_a_bound() {
        let names = Names::default();
        let start = Instant::now();
        let home = Known { name: Some("Home".to_owned()), ..Known::default() };
        names.remember(1, home.clone(), start);
        assert_eq!(names.remembered(1, start + BELIEVED_FOR / 2), Some(home));
        assert_eq!(names.remembered(1, start + BELIEVED_FOR), None);
        for id in 0..3 * REMEMBERED_MAX as u64 {
            names.remember(id, Known::default(), start);
        }
        assert!(names.known.lock().unwrap().len() <= REMEMBERED_MAX);
    }
}
