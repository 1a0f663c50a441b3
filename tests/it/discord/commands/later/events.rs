//! What modules have run when somebody joins, reacts or writes, by the real binary against the twin.

use std::fs;

use discord_twin::{CHANNEL_ID, Interaction, Message, Options, Recorded, Twin, USER_ID};
use serde_json::json;

use crate::discord::connected::{Connected, connect_in};
use crate::support::bot::{Bot, Folder, PATIENCE};

const GUILD_MEMBERS: u64 = 1 << 1;
const GUILD_MESSAGE_REACTIONS: u64 = 1 << 10;
const MESSAGE_CONTENT: u64 = 1 << 15;

/// The module of the guide, and one that notices reactions and words.
const NOTICES: &str = r#"
[module]
name = "notices"
summary = "Notices things"
kind = "text"

[events.reaction_added]
run = "/noticed reaction"

[events.message]
run = "/noticed words"

[commands."/noticed"]
description = "Notice something"

[commands."/noticed".subcommands.reaction]
description = "Notice a reaction"
reply = "{user} said {emoji} to {message}"

[commands."/noticed".subcommands.reaction.options.emoji]
description = "Which"
type = "string"

[commands."/noticed".subcommands.reaction.options.message]
description = "To what"
type = "string"

[commands."/noticed".subcommands.words]
description = "Notice words"
reply = "{user} wrote: {text}"

[commands."/noticed".subcommands.words.options.text]
description = "Which"
type = "string"
required = true
"#;

pub(in crate::discord::commands) fn folder(config: &str) -> Folder {
    let folder = Folder::with(config);
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/modules/welcome/module.toml");
    for (name, manifest) in [("welcome", &*fs::read_to_string(guide).unwrap()), ("notices", NOTICES)] {
        fs::create_dir_all(folder.path().join("modules").join(name)).unwrap();
        fs::write(folder.path().join("modules").join(name).join("module.toml"), manifest).unwrap();
    }
    folder
}

fn config() -> String {
    format!("[modules.send_to]\nwelcome = [\"{CHANNEL_ID}\"]\nnotices = [\"{CHANNEL_ID}\"]\n")
}

pub(in crate::discord::commands) async fn twin(allowed: bool) -> Twin {
    let options = Options { members_allowed: allowed, message_content_allowed: allowed, ..Options::default() };
    Twin::start_with(options).await.unwrap()
}

pub(in crate::discord::commands) fn intents(twin: &Twin) -> u64 {
    twin.identifies().last().unwrap()["intents"].as_u64().unwrap()
}

pub(in crate::discord::commands) async fn told(connected: &Connected, words: &str) -> Recorded {
    let is_it = |request: &Recorded| {
        let is_message = request.path == format!("/channels/{CHANNEL_ID}/messages");
        request.method == "POST" && request.accepted() && is_message && request.text().contains(words)
    };
    let found = connected.twin.wait_for(PATIENCE, is_it).await;
    found.unwrap_or_else(|| panic!("not told: {words}; log:\n{}", connected.bot.log()))
}

pub(in crate::discord::commands) fn n_messages(twin: &Twin) -> usize {
    let path = format!("/channels/{CHANNEL_ID}/messages");
    twin.requests().iter().filter(|request| request.method == "POST" && request.path == path).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn who_joins_reacts_or_writes_has_a_command_run_once_which_is_told_and_has_a_receipt() {
    let connected = connect_in(folder(&config()), twin(true).await).await;
    let wanted = GUILD_MEMBERS | GUILD_MESSAGE_REACTIONS | MESSAGE_CONTENT;
    assert_eq!(intents(&connected.twin) & wanted, wanted);
    connected.bot.hears(&["runs by itself: /welcome of welcome, when somebody joins, in 1 channel"]);
    connected.bot.hears(&["gateway intents", "GUILD_MEMBERS"]);

    connected.twin.member_joins(77, "2026-11-27T00:00:00+00:00");
    let welcome = told(&connected, "Welcome, user-77!").await;
    assert!(welcome.text().contains("look into the rules") && welcome.text().contains("receipt"), "{}", welcome.text());
    assert_eq!(welcome.body["allowed_mentions"], json!({ "parse": [], "users": [], "roles": [] }), "nobody is pinged");
    let message = connected.twin.say(Message::text("has anybody seen the cat"));
    told(&connected, "alice wrote: has anybody seen the cat").await;
    connected.twin.react(USER_ID, (CHANNEL_ID, message), "🐈");
    told(&connected, "alice said 🐈 to https://discord.com/channels/").await;

    // The same once more is nothing new; whoever comes back is.
    let before = n_messages(&connected.twin);
    connected.twin.react(USER_ID, (CHANNEL_ID, message), "🐈");
    connected.twin.member_joins(77, "2026-11-27T00:00:00+00:00");
    connected.twin.member_joins(78, "2026-11-27T00:00:02+00:00");
    told(&connected, "Welcome, user-78!").await;
    assert_eq!(n_messages(&connected.twin), before + 1, "{}", connected.bot.log());
    // What is for the bot, or a command, is no such event.
    connected.twin.say(Message::text("/help"));
    connected.reply(Message::text("/help").mentions_bot()).await;
    assert!(!connected.twin.requests().iter().any(|request| request.text().contains("wrote: /help")));
    let answer = connected.answer(Interaction::slash("welcome")).await.text();
    assert!(answer.contains("Welcome, alice!"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_intent_the_bot_does_not_start_and_without_a_channel_it_asks_for_none() {
    let (with, without) = (twin(false).await, twin(false).await);
    let folder_of_refused = folder(&config());
    let mut refused = Bot::start(&folder_of_refused, &with.url());
    refused.hears(&["the module `notices` runs a command for the event `message`", "Message Content"]);
    assert_eq!(refused.wait().code(), Some(78));
    assert!(with.identifies().is_empty(), "no login is spent");

    let connected = connect_in(folder(""), without).await;
    assert_eq!(intents(&connected.twin) & (GUILD_MEMBERS | GUILD_MESSAGE_REACTIONS | MESSAGE_CONTENT), 0);
    let checked = String::from_utf8(connected.folder.run(&["check"]).stdout).unwrap();
    assert!(checked.contains("warning[send-nowhere]: `welcome` has scheduled or event commands"), "{checked}");
    // What the login did not ask for takes a restart, and the log says so.
    let written = fs::read_to_string(connected.folder.path().join("config.toml")).unwrap();
    fs::write(connected.folder.path().join("config.toml"), format!("{written}\n{}", config())).unwrap();
    connected.bot.hears(&["WARN", "commands for the event `member_joined` run after a restart"]);
}
