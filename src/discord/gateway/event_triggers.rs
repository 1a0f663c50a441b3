//! Gateway events that trigger module commands: a member joins, reacts or writes.

use std::collections::BTreeSet;

use crate::convert;
use crate::payload::{Joined, Kind, Message, Reacted, User};
use crate::shared::Shared;
use candor_core::contract::EventKind;
use candor_core::inbound::{Addressed, AuthorKind, Caller, ChannelId, GuildId, Inbound, Place, UserId};
use candor_core::language::Language;
use candor_engine::dispatch::Happened;

/// Handles a member who joined a guild, or accepted its rules later.
pub(super) async fn joined(shared: &Shared, of: Kind, joined: Joined<'_>) -> bool {
    let kind = EventKind::MemberJoined;
    let guild = GuildId(joined.guild_id.get());
    let told = shared.dispatcher.event_channels(kind, guild);
    if told.is_empty() {
        return true;
    }
    let Some(about) = person(&joined.user) else { return true };
    if !shared.pending.is_full_now(of == Kind::MemberJoined, guild.0, about.id.0, joined.pending) {
        return true;
    }
    let mut channels = BTreeSet::new();
    for channel in told {
        if shared.guilds_of_channels.of(&shared.rest, channel).await == Ok(guild) {
            channels.insert(channel);
        }
    }
    // A member who comes back has another join time.
    let key = format!("{guild} {} {}", about.id, joined.joined_at);
    happened(shared, Happened { kind, guild, channels, about, known: Vec::new(), key }).await
}

pub(super) async fn reacted(shared: &Shared, reacted: Reacted<'_>) -> bool {
    let kind = EventKind::ReactionAdded;
    let guild = GuildId(reacted.guild_id.get());
    let channel = ChannelId(reacted.channel_id.get());
    let message = reacted.message_id.get();
    if !shared.dispatcher.event_channels(kind, guild).contains(&channel) {
        return true;
    }
    let Some(about) = reacted.member.user.as_ref().and_then(person) else { return true };
    let (name, id) = match &reacted.emoji {
        Some(emoji) => (&*emoji.name, emoji.id.map_or(0, |id| id.get())),
        None => ("", 0),
    };
    let key = format!("{message} {} {id} {name}", about.id);
    let known = vec![("emoji", name.to_owned()), ("message", link(guild, channel, message))];
    happened(shared, Happened { kind, guild, channels: BTreeSet::from([channel]), about, known, key }).await
}

/// Handles a message. A message for the bot, or one that runs a command, triggers nothing here.
pub(super) async fn wrote(shared: &Shared, message: &Message<'_>, bot: UserId) -> bool {
    let kind = EventKind::Message;
    let Some(guild) = message.guild_id.map(|id| GuildId(id.get())) else { return true };
    let channel = ChannelId(message.channel_id.get());
    if !shared.dispatcher.event_channels(kind, guild).contains(&channel) {
        return true;
    }
    let inbound = shared.inbound(message, bot, shared.language()).await;
    let Inbound::Message(said) = inbound else { return true };
    let is_for_nobody = said.addressed == Addressed::No && said.author == AuthorKind::Person;
    if !is_for_nobody || said.text.trim_start().starts_with('/') {
        return true;
    }
    let known = vec![("text", said.text), ("message", link(guild, channel, message.id.get()))];
    let channels = BTreeSet::from([channel]);
    let key = message.id.to_string();
    happened(shared, Happened { kind, guild, channels, about: said.caller, known, key }).await
}

/// Returns false if the bot is leaving: the event was not looked at.
async fn happened(shared: &Shared, mut event: Happened) -> bool {
    let Some(channel) = event.channels.first().copied() else { return true };
    if shared.gate.is_closing() {
        return false;
    }
    let place = Place::Guild { guild: event.guild, channel };
    let rules = shared.dispatcher.chat.rules(place).await;
    // The event carries no person's locale: use the guild's language.
    event.about.language = shared.language_at(place, &rules);
    shared.dispatcher.happened(&event, &rules).await;
    true
}

/// Returns the user of an event as a caller; `None` for bots. The event does not carry the language.
fn person(user: &User<'_>) -> Option<Caller> {
    (!user.bot).then(|| convert::caller(user, Language::ENGLISH))
}

fn link(guild: GuildId, channel: ChannelId, message: u64) -> String {
    format!("https://discord.com/channels/{guild}/{channel}/{message}")
}
