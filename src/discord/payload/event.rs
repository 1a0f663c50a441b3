//! Events of sessions, guilds, members and reactions, and the message fields that the filter reads.

use std::borrow::Cow;

use serde::Deserialize;
use serenity::model::id::{ChannelId, EmojiId, GuildId, MessageId, RoleId};

use super::frame::Head;
use super::lenient::{
    Object, flag, id, ids, list, needed_id, needed_object, needed_text, number, object, plain_text, text,
};
use crate::payload::message::{Member, User};

/// Parses the data of an event. `None` if a required field is missing.
pub(crate) fn read<'a, T: Deserialize<'a>>(data: &'a str) -> Option<T> {
    serde_json::from_str::<Object<T>>(data).ok()?.0
}

/// Parses the event of a frame. If its data cannot be parsed, further fields may follow them.
pub(crate) fn read_event<'a, T: Deserialize<'a>>(frame: &'a str, head: &Head<'a>) -> Option<T> {
    read(head.data).or_else(|| read(Head::slowly(frame)?.data))
}

/// The first frame of the gateway.
#[derive(Debug, Deserialize)]
pub(crate) struct Hello {
    /// In milliseconds.
    #[serde(default, deserialize_with = "number")]
    pub(crate) heartbeat_interval: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Ready<'a> {
    #[serde(borrow, deserialize_with = "needed_text")]
    pub(crate) session_id: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(crate) resume_gateway_url: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "object")]
    pub(crate) user: Option<User<'a>>,
    #[serde(default, deserialize_with = "list")]
    pub(crate) guilds: Vec<ReadyGuild>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ReadyGuild {
    #[serde(deserialize_with = "needed_id")]
    pub(crate) id: GuildId,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Deleted {
    #[serde(default, deserialize_with = "id")]
    id: Option<MessageId>,
    #[serde(default, deserialize_with = "ids")]
    ids: Vec<MessageId>,
}

impl Deleted {
    pub(crate) fn ids(&self) -> Vec<u64> {
        self.id.iter().chain(&self.ids).map(|id| id.get()).collect()
    }
}

/// A member who joined a guild or changed.
#[derive(Debug, Deserialize)]
pub(crate) struct Joined<'a> {
    #[serde(deserialize_with = "needed_id")]
    pub(crate) guild_id: GuildId,
    #[serde(borrow, deserialize_with = "needed_object")]
    pub(crate) user: User<'a>,
    /// Whether the member has not accepted the guild's rules yet.
    #[serde(default, deserialize_with = "flag")]
    pub(crate) pending: bool,
    #[serde(borrow, default, deserialize_with = "plain_text")]
    pub(crate) joined_at: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Reacted<'a> {
    #[serde(deserialize_with = "needed_id")]
    pub(crate) guild_id: GuildId,
    #[serde(deserialize_with = "needed_id")]
    pub(crate) channel_id: ChannelId,
    #[serde(deserialize_with = "needed_id")]
    pub(crate) message_id: MessageId,
    #[serde(borrow, deserialize_with = "needed_object")]
    pub(crate) member: Member<'a>,
    #[serde(borrow, default, deserialize_with = "object")]
    pub(crate) emoji: Option<Emoji<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Emoji<'a> {
    #[serde(default, deserialize_with = "id")]
    pub(crate) id: Option<EmojiId>,
    #[serde(borrow, default, deserialize_with = "plain_text")]
    pub(crate) name: Cow<'a, str>,
}

/// The fields that decide whether the rest of a message is parsed.
#[derive(Debug, Deserialize)]
pub(crate) struct Outline {
    #[serde(deserialize_with = "needed_id")]
    pub(crate) id: MessageId,
    #[serde(deserialize_with = "needed_id")]
    pub(crate) channel_id: ChannelId,
    #[serde(default, deserialize_with = "id")]
    pub(crate) guild_id: Option<GuildId>,
    #[serde(default, deserialize_with = "ids")]
    pub(crate) mention_roles: Vec<RoleId>,
}
