//! The guild with its role, channels and members.

use serde_json::{Value, json};

use crate::payload::{CHANNEL_ID, GUILD_ID, OWNER_ID, USER_ID, user};
use crate::twin::state::Thread;

/// The default permissions of a guild's members.
const MEMBER_PERMISSIONS: &str = "2248473465835073";
const JOINED_AT: &str = "2024-01-01T00:00:00.000000+00:00";

/// Fields of a guild that are empty here.
const EMPTY_LISTS: [&str; 9] = [
    "emojis",
    "features",
    "guild_scheduled_events",
    "presences",
    "soundboard_sounds",
    "stage_instances",
    "stickers",
    "threads",
    "voice_states",
];
const NULL_FIELDS: [&str; 14] = [
    "afk_channel_id",
    "application_id",
    "banner",
    "description",
    "discovery_splash",
    "icon",
    "icon_hash",
    "max_presences",
    "public_updates_channel_id",
    "rules_channel_id",
    "safety_alerts_channel_id",
    "splash",
    "system_channel_id",
    "vanity_url_code",
];

/// The payload of GUILD_CREATE.
pub(crate) fn guild() -> Value {
    let members: Vec<Value> = [USER_ID, OWNER_ID, super::BOT_ID]
        .into_iter()
        .map(|id| {
            let mut member = member(id);
            member["user"] = user(id, id == super::BOT_ID);
            member
        })
        .collect();
    let mut guild = json!({
        "id": GUILD_ID.to_string(), "name": "Twin", "owner_id": OWNER_ID.to_string(), "afk_timeout": 300,
        "widget_enabled": false, "verification_level": 0, "default_message_notifications": 0,
        "explicit_content_filter": 0, "roles": [role(GUILD_ID), role_of_bot()], "mfa_level": 0, "system_channel_flags": 0,
        "max_members": 500_000, "premium_tier": 0, "premium_subscription_count": 0, "preferred_locale": "en-US",
        "nsfw_level": 0, "premium_progress_bar_enabled": false, "joined_at": JOINED_AT, "large": false,
        "unavailable": false, "member_count": members.len(), "members": members, "channels": [channel(CHANNEL_ID)],
    });
    for list in EMPTY_LISTS {
        guild[list] = json!([]);
    }
    for field in NULL_FIELDS {
        guild[field] = Value::Null;
    }
    guild
}

/// A role. The one with the guild's id is `@everyone`.
pub(crate) fn role(id: u64) -> Value {
    let name = if id == GUILD_ID { "@everyone".to_owned() } else { format!("role-{id}") };
    json!({
        "id": id.to_string(), "name": name, "color": 0,
        "colors": {"primary_color": 0, "secondary_color": null, "tertiary_color": null}, "hoist": false, "icon": null,
        "unicode_emoji": null, "position": 0, "permissions": MEMBER_PERMISSIONS, "managed": false,
        "mentionable": false, "flags": 0,
    })
}

/// The role that Discord made for the tested bot. It has the bot's name, and stands above it in the list of mentions.
fn role_of_bot() -> Value {
    let mut role = role(super::BOT_ROLE_ID);
    role["managed"] = json!(true);
    role["tags"] = json!({ "bot_id": super::BOT_ID.to_string() });
    role
}

/// A member without `user`, as in MESSAGE_CREATE.
pub(crate) fn member(id: u64) -> Value {
    let permissions = if id == OWNER_ID { i64::MAX.to_string() } else { MEMBER_PERMISSIONS.to_owned() };
    json!({
        "roles": [], "joined_at": JOINED_AT, "nick": null, "avatar": null, "premium_since": null, "deaf": false,
        "mute": false, "pending": false, "flags": 0, "communication_disabled_until": null, "permissions": permissions,
    })
}

/// A member as the guild shows it: without permissions.
pub(crate) fn member_of_guild(id: u64, roles: &[u64]) -> Value {
    let mut member = member(id);
    member["user"] = user(id, false);
    member["roles"] = roles.iter().map(u64::to_string).collect();
    if let Some(fields) = member.as_object_mut() {
        fields.remove("permissions");
    }
    member
}

/// A text channel of the guild.
pub(crate) fn channel(id: u64) -> Value {
    json!({
        "id": id.to_string(), "type": 0, "guild_id": GUILD_ID.to_string(), "name": "general", "position": 0,
        "permission_overwrites": [], "nsfw": false, "topic": null, "last_message_id": null, "rate_limit_per_user": 0,
        "parent_id": null, "flags": 0,
    })
}

/// The permission overwrites of a channel in which everybody is denied these.
pub(crate) fn denied(permissions: Option<u64>) -> Value {
    let denied = permissions
        .map(|denied| json!({ "id": GUILD_ID.to_string(), "type": 0, "allow": "0", "deny": denied.to_string() }));
    denied.into_iter().collect()
}

/// A public thread of a channel of the guild.
pub(crate) fn thread(id: u64, Thread { parent, title, owner }: &Thread) -> Value {
    let mut thread = channel(id);
    thread["type"] = json!(11);
    thread["name"] = json!(title);
    thread["parent_id"] = json!(parent.to_string());
    thread["owner_id"] = json!(owner.to_string());
    thread
}

/// The DM channel with the bot.
pub(crate) fn dm_channel(id: u64) -> Value {
    json!({
        "id": id.to_string(), "type": 1, "last_message_id": null, "flags": 0, "recipients": [user(USER_ID, false)],
    })
}
