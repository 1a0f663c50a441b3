//! Messages, with their files, embeds and references. Users and guild members.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serenity::model::id::{ChannelId, GuildId, MessageId, RoleId, UserId};

use crate::payload::lenient::{
    Object, flag, id, ids, is_there, list, needed_id, needed_object, needed_text, number, object, plain_text, text,
};

/// The flag of an ephemeral message. See Discord's documentation, "Message", message flags.
const EPHEMERAL: u64 = 1 << 6;
/// The types of messages with text by their author: a message, and a reply.
const WRITTEN: [u64; 2] = [0, 19];
const REPLY: u64 = 0;

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Message<'a> {
    #[serde(deserialize_with = "needed_id")]
    pub(crate) id: MessageId,
    #[serde(deserialize_with = "needed_id")]
    pub(crate) channel_id: ChannelId,
    /// Missing in a direct message and in a REST response.
    #[serde(default, deserialize_with = "id")]
    pub(crate) guild_id: Option<GuildId>,
    #[serde(borrow, deserialize_with = "needed_object")]
    pub(crate) author: User<'a>,
    #[serde(borrow, default, deserialize_with = "object")]
    pub(crate) member: Option<Member<'a>>,
    #[serde(borrow, default, deserialize_with = "plain_text")]
    pub(crate) content: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(crate) mentions: Vec<User<'a>>,
    #[serde(default, deserialize_with = "ids")]
    pub(crate) mention_roles: Vec<RoleId>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(crate) attachments: Vec<Attachment<'a>>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(crate) embeds: Vec<Embed<'a>>,
    #[serde(default, deserialize_with = "number")]
    flags: Option<u64>,
    /// The rows of components, unparsed.
    #[serde(default, deserialize_with = "values")]
    pub(crate) components: Vec<Value>,
    #[serde(default, deserialize_with = "is_there", rename = "webhook_id")]
    pub(crate) is_of_webhook: bool,
    #[serde(default, deserialize_with = "kind", rename = "type")]
    kind: u64,
    #[serde(borrow, default, deserialize_with = "boxed")]
    pub(crate) referenced_message: Option<Box<Message<'a>>>,
    #[serde(default, deserialize_with = "object")]
    pub(crate) message_reference: Option<MessageReference>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(crate) message_snapshots: Vec<Snapshot<'a>>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(crate) sticker_items: Vec<Sticker<'a>>,
    #[serde(default, deserialize_with = "is_there", rename = "poll")]
    pub(crate) has_poll: bool,
    #[serde(default, deserialize_with = "is_there", rename = "edited_timestamp")]
    pub(crate) is_edited: bool,
}

impl<'a> Message<'a> {
    /// Parses the message of an event. `None` if id, channel or author is unreadable.
    pub(crate) fn read(data: &'a str) -> Option<Self> {
        serde_json::from_str::<Object<Self>>(data).ok()?.0
    }

    /// Parses a message from a REST response.
    pub(crate) fn of_answer(answer: &'a Value) -> Option<Self> {
        Object::deserialize(answer).ok()?.0
    }

    pub(crate) fn is_ephemeral(&self) -> bool {
        self.flags.is_some_and(|flags| flags & EPHEMERAL != 0)
    }

    /// Returns whether it holds text by its author. Discord adds types of notices, so notices are not listed.
    pub(crate) fn is_written(&self) -> bool {
        WRITTEN.contains(&self.kind)
    }

    /// Returns the message of the same channel that this one replies to.
    pub(crate) fn replied_to(&self) -> Option<MessageId> {
        let reference = self.message_reference.as_ref()?;
        let is_reply = reference.kind == REPLY && reference.channel_id == Some(self.channel_id);
        reference.message_id.filter(|_| is_reply)
    }
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Attachment<'a> {
    #[serde(borrow, default, deserialize_with = "plain_text")]
    pub(crate) filename: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(crate) content_type: Option<Cow<'a, str>>,
    /// In bytes.
    #[serde(default, deserialize_with = "number")]
    pub(crate) size: Option<u64>,
    #[serde(borrow, deserialize_with = "needed_text")]
    pub(crate) url: Cow<'a, str>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Embed<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    pub(crate) title: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(crate) description: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(crate) fields: Vec<EmbedField<'a>>,
    #[serde(borrow, default, deserialize_with = "object")]
    pub(crate) footer: Option<EmbedFooter<'a>>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct EmbedField<'a> {
    #[serde(borrow, default, deserialize_with = "plain_text")]
    pub(crate) name: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "plain_text")]
    pub(crate) value: Cow<'a, str>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct EmbedFooter<'a> {
    #[serde(borrow, default, deserialize_with = "plain_text")]
    pub(crate) text: Cow<'a, str>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct MessageReference {
    #[serde(default, deserialize_with = "reference_kind", rename = "type")]
    kind: u64,
    #[serde(default, deserialize_with = "id")]
    pub(crate) message_id: Option<MessageId>,
    #[serde(default, deserialize_with = "id")]
    channel_id: Option<ChannelId>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Snapshot<'a> {
    #[serde(borrow, deserialize_with = "needed_object")]
    pub(crate) message: Forwarded<'a>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Forwarded<'a> {
    #[serde(borrow, default, deserialize_with = "plain_text")]
    pub(crate) content: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(crate) attachments: Vec<Attachment<'a>>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(crate) embeds: Vec<Embed<'a>>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Sticker<'a> {
    #[serde(borrow, deserialize_with = "needed_text")]
    pub(crate) name: Cow<'a, str>,
}

/// Parses the message type. An unreadable type never counts as a message that a person wrote.
fn kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    number(deserializer).map(|kind| kind.unwrap_or(u64::MAX))
}

fn reference_kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    number(deserializer).map(|kind| kind.unwrap_or(REPLY))
}

fn boxed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<Message<'de>>>, D::Error> {
    object(deserializer).map(|message| message.map(Box::new))
}

fn values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Array(items) => items,
        _ => Vec::new(),
    })
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct User<'a> {
    #[serde(deserialize_with = "needed_id")]
    pub(crate) id: UserId,
    #[serde(borrow, default, deserialize_with = "text")]
    username: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    global_name: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "flag")]
    pub(crate) bot: bool,
}

impl User<'_> {
    pub(crate) fn with_id(id: UserId) -> Self {
        Self { id, username: None, global_name: None, bot: false }
    }

    /// Returns the name that Discord shows without a nickname.
    pub(crate) fn display_name(&self) -> &str {
        let names = [&self.global_name, &self.username].into_iter().flatten();
        names.map(|name| &**name).find(|name| !name.is_empty()).unwrap_or_default()
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Member<'a> {
    /// Missing if the user is in a field next to the member.
    #[serde(borrow, default, deserialize_with = "object")]
    pub(crate) user: Option<User<'a>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(crate) nick: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "ids")]
    pub(crate) roles: Vec<RoleId>,
    /// The permissions in the channel of an interaction. Unreadable ones grant nothing.
    #[serde(default, deserialize_with = "permissions")]
    pub(crate) permissions: Option<u64>,
}

/// Parses the lowest 64 bits of permissions, which are a decimal number of any length.
fn permissions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(text(deserializer)?.and_then(|given| low_bits(&given)))
}

pub(super) fn low_bits(given: &str) -> Option<u64> {
    let is_number = !given.is_empty() && given.bytes().all(|byte| byte.is_ascii_digit());
    let add = |bits: u64, digit: u8| bits.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
    is_number.then(|| given.bytes().fold(0, add))
}
