//! Users, roles, channels and attachments in an interaction, and their `resolved` objects.

use serde_json::{Map, Value, json};

use crate::interaction::Interaction;
use crate::interaction::options::OptionValue;
use crate::payload::{self, CHANNEL_ID};

/// Discord's option types.
const USER: u64 = 6;
const CHANNEL: u64 = 7;
const ROLE: u64 = 8;
const MENTIONABLE: u64 = 9;
const ATTACHMENT: u64 = 11;

/// The id of the first attachment of an interaction.
const FIRST_ATTACHMENT_ID: u64 = 1_100_000_000_000_001_000;

/// The object that an id belongs to.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    User(u64),
    Role(u64),
    /// A channel's id and type, for example 0 for text and 2 for voice.
    Channel(u64, u64),
    Attachment {
        id: u64,
        filename: String,
        size: u64,
    },
}

impl Entity {
    pub(crate) fn id(&self) -> u64 {
        match self {
            Entity::User(id) | Entity::Role(id) | Entity::Channel(id, _) | Entity::Attachment { id, .. } => *id,
        }
    }

    /// The object of an option of this type with this value.
    pub(crate) fn of_option(kind: u64, value: &Value) -> Option<Entity> {
        let id = value.as_str()?.parse().ok()?;
        match kind {
            USER => Some(Entity::User(id)),
            CHANNEL => Some(Entity::Channel(id, 0)),
            ROLE => Some(Entity::Role(id)),
            _ => None,
        }
    }

    /// The object of a value chosen in a select menu of this component type.
    pub(crate) fn of_select(component: u64, value: &str) -> Option<Entity> {
        let id = value.parse().ok()?;
        match component {
            5 | 7 => Some(Entity::User(id)),
            6 => Some(Entity::Role(id)),
            8 => Some(Entity::Channel(id, 0)),
            _ => None,
        }
    }
}

impl Interaction {
    /// A user as an option's value.
    pub fn user_option(self, name: &str, user_id: u64) -> Interaction {
        self.entity_option(name, USER, Entity::User(user_id))
    }

    /// A role as an option's value.
    pub fn role_option(self, name: &str, role_id: u64) -> Interaction {
        self.entity_option(name, ROLE, Entity::Role(role_id))
    }

    /// A channel of this type (0 for text, 2 for voice) as an option's value.
    pub fn channel_option(self, name: &str, channel_id: u64, channel_type: u64) -> Interaction {
        self.entity_option(name, CHANNEL, Entity::Channel(channel_id, channel_type))
    }

    /// A user as the value of a mentionable option.
    pub fn mentionable_user_option(self, name: &str, user_id: u64) -> Interaction {
        self.entity_option(name, MENTIONABLE, Entity::User(user_id))
    }

    /// A role as the value of a mentionable option.
    pub fn mentionable_role_option(self, name: &str, role_id: u64) -> Interaction {
        self.entity_option(name, MENTIONABLE, Entity::Role(role_id))
    }

    /// An uploaded file of this size in bytes as an option's value.
    pub fn attachment_option(self, name: &str, filename: &str, size: u64) -> Interaction {
        let id = FIRST_ATTACHMENT_ID + self.options.len() as u64;
        self.entity_option(name, ATTACHMENT, Entity::Attachment { id, filename: filename.to_owned(), size })
    }

    fn entity_option(mut self, name: &str, kind: u64, entity: Entity) -> Interaction {
        self.options.push(OptionValue::entity(name, kind, entity));
        self
    }
}

/// The `resolved` object; `None` if there is nothing to resolve. In a DM there are no members.
pub(crate) fn resolved<'a>(entities: impl Iterator<Item = &'a Entity>, is_dm: bool) -> Option<Value> {
    let mut found = Map::new();
    for entity in entities {
        let id = entity.id();
        let key = id.to_string();
        let mut add = |list: &str, object: Value| {
            found.entry(list).or_insert_with(|| json!({}))[key.as_str()] = object;
        };
        match entity {
            Entity::User(_) => {
                add("users", payload::user(id, id == payload::BOT_ID));
                if !is_dm {
                    add("members", partial_member(id));
                }
            }
            Entity::Role(_) => add("roles", payload::role(id)),
            Entity::Channel(_, kind) => add("channels", partial_channel(id, *kind)),
            Entity::Attachment { filename, size, .. } => {
                let mut file = payload::attachment(id, filename, *size, "ephemeral-attachments");
                file["ephemeral"] = json!(true);
                add("attachments", file);
            }
        }
    }
    (!found.is_empty()).then_some(Value::Object(found))
}

/// A resolved member: without `user`, `deaf` and `mute`.
pub(crate) fn partial_member(id: u64) -> Value {
    let mut member = payload::member(id);
    if let Some(fields) = member.as_object_mut() {
        fields.retain(|key, _| key != "deaf" && key != "mute");
    }
    member
}

/// A resolved channel, with the permissions of the caller and the bot.
fn partial_channel(id: u64, kind: u64) -> Value {
    let mut channel = payload::channel(id);
    channel["type"] = json!(kind);
    if id != CHANNEL_ID {
        channel["name"] = json!(format!("channel-{id}"));
    }
    channel["permissions"] = json!(i64::MAX.to_string());
    channel["app_permissions"] = json!(i64::MAX.to_string());
    // Threads also have a parent and metadata.
    if matches!(kind, 10..=12) {
        channel["parent_id"] = json!(CHANNEL_ID.to_string());
        channel["thread_metadata"] = json!({
            "archived": false, "auto_archive_duration": 1440, "archive_timestamp": "2024-01-01T00:00:00.000000+00:00",
            "locked": false,
        });
    }
    channel
}
