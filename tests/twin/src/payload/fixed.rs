//! What never changes: the ids, the flags of messages, the users and the application.

use serde_json::{Value, json};

use crate::twin::options::Options;

/// The id of the application.
pub const APPLICATION_ID: u64 = 1_100_000_000_000_000_001;
/// The id of the bot's user: the same as the application's, as for every new application.
pub const BOT_ID: u64 = APPLICATION_ID;
/// The id of the guild.
pub const GUILD_ID: u64 = 1_100_000_000_000_000_002;
/// The id of the guild's text channel.
pub const CHANNEL_ID: u64 = 1_100_000_000_000_000_003;
/// The id of the DM channel with the bot.
pub const DM_CHANNEL_ID: u64 = 1_100_000_000_000_000_004;
/// The id of the user who invokes commands and posts messages unless a test names another.
pub const USER_ID: u64 = 1_100_000_000_000_000_005;
/// The id of the owner of the application and of the guild.
pub const OWNER_ID: u64 = 1_100_000_000_000_000_006;
/// The role that Discord made for the tested bot in the guild.
pub const BOT_ROLE_ID: u64 = 1_100_000_000_000_000_007;

/// Message flag: no embeds for links.
pub(crate) const SUPPRESS_EMBEDS: u64 = 1 << 2;
/// Message flag: only the invoking user sees the message.
pub(crate) const EPHEMERAL: u64 = 1 << 6;
/// Message flag: the message consists of components only.
pub(crate) const IS_COMPONENTS_V2: u64 = 1 << 15;
/// Message flag: a deferred response that has no content yet.
pub(crate) const LOADING: u64 = 1 << 7;

/// A user object.
pub(crate) fn user(id: u64, is_bot: bool) -> Value {
    let name = match id {
        BOT_ID => "bot".to_owned(),
        USER_ID => "alice".to_owned(),
        OWNER_ID => "owner".to_owned(),
        other => format!("user-{other}"),
    };
    json!({
        "id": id.to_string(), "username": name, "discriminator": "0", "global_name": null, "avatar": null,
        "bot": is_bot, "system": false, "public_flags": 0, "banner": null, "accent_color": null,
    })
}

/// The bot's user as `GET /users/@me` returns it.
pub(crate) fn current_user() -> Value {
    let mut bot = user(BOT_ID, true);
    bot["verified"] = json!(true);
    bot["mfa_enabled"] = json!(true);
    bot["email"] = Value::Null;
    bot["flags"] = json!(0);
    bot
}

/// The application as `GET /applications/@me` returns it.
pub(crate) fn application(options: &Options) -> Value {
    let install = |scopes: &[&str]| json!({"oauth2_install_params": {"scopes": scopes, "permissions": "2048"}});
    let mut installs = json!({"0": install(&["applications.commands", "bot"])});
    if options.user_install {
        installs["1"] = install(&["applications.commands"]);
    }
    json!({
        "id": APPLICATION_ID.to_string(), "name": "bot", "icon": null, "description": "", "summary": "",
        "type": null, "bot": user(BOT_ID, true), "bot_public": true, "bot_require_code_grant": false,
        "owner": user(OWNER_ID, false), "verify_key": "0".repeat(64), "team": null, "flags": options.flags(),
        "redirect_uris": [], "interactions_endpoint_url": null, "role_connections_verification_url": null,
        "approximate_guild_count": 1, "approximate_user_install_count": 0, "tags": [], "hook": true,
        "integration_types_config": installs,
    })
}
