//! What a person can point at on Discord: users, channels, roles, files and messages, as a handler is given them.
//!
//! A handler takes one by putting its type into its arguments: a field of type [`User`] is an option in which a person
//! picks a user. Every text in here is untrusted.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The keyword that marks the schema of an entity in a signature.
pub(crate) const KEYWORD: &str = "x-candor-entity";

/// The key under which a value may say what it is, by the same words. What Discord sends always does, so that a role is
/// not taken for a user; a mention says it by its form and needs no word.
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

/// A person or a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Their id.
    #[serde(with = "id")]
    pub id: u64,
    /// Their display name, where it is known: a typed mention has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is a bot, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<bool>,
}
entity!(User, "user");

/// A channel or thread of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// Its id.
    #[serde(with = "id")]
    pub id: u64,
    /// Its name, where it is known: a typed mention has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Discord's number for its type, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<u8>,
}
entity!(Channel, "channel");

/// A role of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// Its id.
    #[serde(with = "id")]
    pub id: u64,
    /// Its name, where it is known: a typed mention has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
entity!(Role, "role");

/// Somebody or some role: what a person may mention.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Mentionable {
    /// A person or a bot.
    User(User),
    /// A role.
    Role(Role),
}
entity!(Mentionable, "mentionable");

/// A file that a person attached to a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its id.
    #[serde(with = "id")]
    pub id: u64,
    /// Its file name.
    pub filename: String,
    /// Its size in bytes, as Discord says.
    pub size: u64,
    /// Its media type, as Discord says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Where Discord keeps it, for some hours.
    pub url: String,
}
entity!(Attachment, "attachment");

/// A message that an entry of its menu was chosen on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRef {
    /// Its id.
    #[serde(with = "id")]
    pub id: u64,
    /// The channel it is in.
    #[serde(with = "id")]
    pub channel: u64,
    /// Who wrote it.
    pub author: User,
    /// Its text.
    pub content: String,
}
entity!(MessageRef, "message");

/// Ids are decimal text, as Discord writes them: a JSON number would lose their last digits in some readers.
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
