//! What happens without a word to the bot, and that modules have commands run for: who joins, reacts or writes.

use std::collections::BTreeSet;

use serde_json::Value;
use serenity::all::Message;

use crate::edges::discord::shared::Shared;
use crate::host::dispatch::Happened;
use candor_core::contract::EventKind;
use candor_core::inbound::{Addressed, AuthorKind, Caller, ChannelId, GuildId, Inbound, Place, UserId};

/// Somebody joined a guild, or accepted its rules after that.
pub(super) async fn joined(shared: &Shared, name: &str, event: &Value) {
    let kind = EventKind::MemberJoined;
    let Some((guild, user)) = id(event.get("guild_id")).zip(event.get("user")) else { return };
    let told = shared.dispatcher.event_channels(kind, GuildId(guild));
    if told.is_empty() {
        return;
    }
    let Some(about) = person(user) else { return };
    let is_pending = event.get("pending").and_then(Value::as_bool).unwrap_or_default();
    if !shared.pending.is_full_now(name, guild, about.id.0, is_pending) {
        return;
    }
    let mut channels = BTreeSet::new();
    for channel in told {
        if shared.guilds_of_channels.of(&shared.rest, channel).await == Ok(GuildId(guild)) {
            channels.insert(channel);
        }
    }
    // Whoever comes back has joined at another time.
    let at = event.get("joined_at").and_then(Value::as_str).unwrap_or_default();
    let key = format!("{guild} {} {at}", about.id);
    happened(shared, Happened { kind, guild: GuildId(guild), channels, about, known: Vec::new(), key }).await;
}

/// Somebody reacted to a message.
pub(super) async fn reacted(shared: &Shared, event: &Value) {
    let kind = EventKind::ReactionAdded;
    let ids = ["guild_id", "channel_id", "message_id"].map(|name| id(event.get(name)));
    let [Some(guild), Some(channel), Some(message)] = ids else { return };
    if !shared.dispatcher.event_channels(kind, GuildId(guild)).contains(&ChannelId(channel)) {
        return;
    }
    let Some(about) = event.pointer("/member/user").and_then(person) else { return };
    let name = event.pointer("/emoji/name").and_then(Value::as_str).unwrap_or_default();
    let key = format!("{message} {} {} {name}", about.id, id(event.pointer("/emoji/id")).unwrap_or_default());
    let known = vec![("emoji", name.to_owned()), ("message", link(guild, channel, message))];
    let channels = BTreeSet::from([ChannelId(channel)]);
    happened(shared, Happened { kind, guild: GuildId(guild), channels, about, known, key }).await;
}

/// Somebody wrote a message. One that is for the bot, or runs a command, is none of these events.
pub(super) async fn wrote(shared: &Shared, message: &Message, bot: UserId) {
    let kind = EventKind::Message;
    let (Some(guild), channel) = (message.guild_id.map(|id| id.get()), message.channel_id.get()) else { return };
    if !shared.dispatcher.event_channels(kind, GuildId(guild)).contains(&ChannelId(channel)) {
        return;
    }
    let inbound = shared.inbound(message, bot, shared.language()).await;
    let Inbound::Message(said) = inbound else { return };
    let is_for_nobody = said.addressed == Addressed::No && said.author == AuthorKind::Person;
    if !is_for_nobody || said.text.trim_start().starts_with('/') {
        return;
    }
    let known = vec![("text", said.text), ("message", link(guild, channel, message.id.get()))];
    let (channels, key) = (BTreeSet::from([ChannelId(channel)]), message.id.to_string());
    happened(shared, Happened { kind, guild: GuildId(guild), channels, about: said.caller, known, key }).await;
}

async fn happened(shared: &Shared, mut event: Happened) {
    let Some(channel) = event.channels.first().copied() else { return };
    if shared.gate.is_closing() {
        return;
    }
    let place = Place::Guild { guild: event.guild, channel };
    shared.dispatcher.places().learn_guild(place).await;
    // What Discord says of an event has nobody's language: the server's counts.
    event.about.language = shared.language_at(place);
    shared.dispatcher.happened(&event).await;
}

/// A person as an event describes them. Programs are none.
fn person(user: &Value) -> Option<Caller> {
    let text = |name: &str| user.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if user.get("bot").and_then(Value::as_bool).unwrap_or_default() {
        return None;
    }
    let name = text("global_name").or(text("username")).unwrap_or_default();
    Some(Caller::new(UserId(id(user.get("id"))?), name))
}

fn id(given: Option<&Value>) -> Option<u64> {
    given?.as_str()?.parse().ok().filter(|&id| id != 0)
}

fn link(guild: u64, channel: u64, message: u64) -> String {
    format!("https://discord.com/channels/{guild}/{channel}/{message}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_person_is_read_from_what_is_needed_and_programs_are_none() {
        let cases = [
            (json!({ "id": "7", "username": "ada", "global_name": "Ada", "new": {} }), Some((7, "Ada"))),
            (json!({ "id": "7", "username": "ada", "global_name": null }), Some((7, "ada"))),
            (json!({ "id": "7", "username": "ada", "bot": true }), None),
            (json!({ "id": "0", "username": "ada" }), None),
            (json!({ "username": "ada" }), None),
            (json!("7"), None),
        ];
        for (user, expected) in cases {
            let found = person(&user).map(|caller| (caller.id.0, caller.name));
            assert_eq!(found, expected.map(|(id, name)| (id, name.to_owned())), "{user}");
        }
    }
}
