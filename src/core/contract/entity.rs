//! Discord objects that an option can hold: users, channels, roles, files and messages.
//!
//! A handler takes one by declaring its type: a field of type [`User`] becomes an option in which the caller picks a
//! user. All text in these types is untrusted.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The keyword that marks an entity's schema in a signature.
pub(crate) const KEYWORD: &str = "x-candor-entity";

/// The JSON key for an entity's type. Values from Discord always have it, so that a role is not mistaken for a user. A
/// typed mention needs no such key, because its syntax shows the type.
pub const TYPE: &str = "type";

macro_rules! entity {
    ($name:ident, $word:literal) => {
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "object", KEYWORD: $word })
            }
        }
    };
}

/// A user or a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The user id.
    #[serde(with = "id")]
    pub id: u64,
    /// The display name, if known. A typed mention has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the user is a bot, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<bool>,
}
entity!(User, "user");

/// A channel or thread of a guild.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// The channel id.
    #[serde(with = "id")]
    pub id: u64,
    /// The name, if known. A typed mention has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Discord's number for the channel type, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<u8>,
}
entity!(Channel, "channel");

/// A role of a guild.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// The role id.
    #[serde(with = "id")]
    pub id: u64,
    /// The name, if known. A typed mention has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
entity!(Role, "role");

/// A user or a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Mentionable {
    /// A user or a bot.
    User(User),
    /// A role.
    Role(Role),
}
entity!(Mentionable, "mentionable");

/// A file attached to a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// The attachment id.
    #[serde(with = "id")]
    pub id: u64,
    /// The file name.
    pub filename: String,
    /// The size in bytes, as stated by Discord.
    pub size: u64,
    /// The media type, as stated by Discord.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The download URL. It expires after some hours.
    pub url: String,
}
entity!(Attachment, "attachment");

/// The message that a context-menu command was used on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRef {
    /// The message id.
    #[serde(with = "id")]
    pub id: u64,
    /// The id of its channel.
    #[serde(with = "id")]
    pub channel: u64,
    /// The author.
    pub author: User,
    /// The text.
    pub content: String,
}
entity!(MessageRef, "message");

/// Serializes ids as decimal strings, as Discord does: some JSON parsers lose the last digits of large numbers.
mod id {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(id: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(id)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| D::Error::custom("not an id"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::contract::{OptionKind, fits};

    #[test]
    fn what_says_what_it_is_is_taken_for_nothing_else() {
        let any = || OptionKind::Channel { types: Vec::new() };
        let cases = [
            (OptionKind::User, "user", json!({ "id": "1" })),
            (OptionKind::Role, "role", json!({ "id": "1" })),
            (any(), "channel", json!({ "id": "1" })),
            (OptionKind::Attachment, "attachment", json!({ "id": "1", "filename": "x", "size": 1, "url": "x" })),
            (
                OptionKind::Message,
                "message",
                json!({ "id": "1", "channel": "1", "author": { "id": "1" }, "content": "x" }),
            ),
        ];
        for (kind, word, mut value) in cases {
            assert_eq!(fits(&kind, &value), Ok(()), "{word} without a word");
            for said in ["user", "role", "channel", "attachment", "message", "", "User"] {
                value["type"] = json!(said);
                assert_eq!(fits(&kind, &value).is_ok(), said == word, "{word} that says {said:?}");
            }
        }
        assert!(fits(&OptionKind::Mentionable, &json!({ "type": "channel", "id": "1" })).is_err());
    }
}
