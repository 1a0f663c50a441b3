//! The service `send`, by the real binary against the twin: a message of a command lands in its channel once, whatever
//! becomes of the process and of Discord's answers.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use discord_twin::{CHANNEL_ID, Fault, Interaction, Recorded, Twin};
use rusqlite::Connection;
use serde_json::json;

use crate::discord::connected::{Connected, connect_in};
use crate::programs::for_this_kernel;
use crate::support::bot::{Bot, Folder, PATIENCE};

/// The channel that the module may send to. The caller's answers come another way.
pub(super) fn to() -> String {
    format!("/channels/{CHANNEL_ID}/messages")
}

const MANIFEST: &str = r#"
[module]
name = "news"
summary = "Tells what is new"
kind = "exec"
services = ["send"]

[run]
program = "news.sh"

[commands."/news"]
description = "Tell what is new"
probe = { mode = "probe" }

[commands."/news".options.mode]
description = "What to do"
required = true
"#;

/// Sends to a channel that it learns from its input, or to another one.
const PROGRAM: &str = r#"#!/bin/sh
read -r request
channel=${request#*\"send_to\":[\"}
channel=${channel%%\"*}
say() { printf '{"text":"%s","send":[{"channel":"%s","title":"News","text":"@everyone milk is in"}]}' "$1" "$2"; }
case "$request" in
    *'"mode":"probe"'*) echo probed ;;
    *'"mode":"fail"'*) say Told. "$channel"; exit 3 ;;
    *'"mode":"elsewhere"'*) say Told. 1100000000000000099 ;;
    *) say Told. "$channel" ;;
esac
"#;

/// A folder with the module, which may send to the twin's channel.
fn folder() -> Folder {
    folder_with(&format!("[modules.send_to]\nnews = [\"{CHANNEL_ID}\"]\n"))
}

/// A folder with the module and these settings.
pub(super) fn folder_with(config: &str) -> Folder {
    let folder = Folder::with(config);
    let module = folder.path().join("modules/news");
    fs::create_dir_all(&module).unwrap();
    fs::write(module.join("module.toml"), for_this_kernel(MANIFEST)).unwrap();
    fs::write(module.join("news.sh"), PROGRAM).unwrap();
    fs::set_permissions(module.join("news.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

pub(super) fn news(mode: &str) -> Interaction {
    Interaction::slash("news").option("mode", mode)
}

/// Whether this is the module's message.
fn is_message(request: &Recorded) -> bool {
    request.method == "POST" && request.path == to() && request.text().contains("milk is in")
}

/// The ids of its messages that are in the channel.
pub(super) fn landed(twin: &Twin) -> BTreeSet<u64> {
    let requests = twin.requests();
    requests.iter().filter(|request| is_message(request)).filter_map(Recorded::message_id).collect()
}

fn database(folder: &Folder) -> Connection {
    Connection::open(folder.path().join("data/candor.db")).unwrap()
}

/// What became of the messages, once none waits.
pub(super) async fn ended(folder: &Folder) -> Vec<String> {
    let end = Instant::now() + PATIENCE;
    loop {
        let database = database(folder);
        let mut all = database.prepare("SELECT coalesce(ended, 'waits') FROM outbox ORDER BY id").unwrap();
        let all: Vec<String> = all.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        if !all.iter().any(|state| state == "waits") {
            let words = "SELECT count(*) FROM outbox WHERE content IS NOT NULL";
            assert_eq!(database.query_row(words, (), |row| row.get::<_, i64>(0)), Ok(0), "words are kept");
            return all;
        }
        assert!(Instant::now() < end, "a message still waits");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The message, as Discord accepted it.
async fn message(connected: &Connected) -> Recorded {
    let found = connected.twin.wait_for(PATIENCE, |request| request.accepted() && is_message(request)).await;
    found.unwrap_or_else(|| panic!("no message; log:\n{}", connected.bot.log()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_lands_once_says_whose_it_is_and_pings_nobody() {
    let connected = connect_in(folder(), Twin::start().await.unwrap()).await;
    connected.bot.hears(&["INFO", "programs of modules: "]);
    let answer = connected.answer(news("tell")).await;
    assert!(answer.text().contains("Told.") && answer.text().contains("✓ /news"), "{}", answer.text());
    let sent = message(&connected).await;
    assert_eq!(sent.body["allowed_mentions"], json!({ "parse": [], "users": [], "roles": [] }));
    assert_eq!(sent.body["embeds"][0]["title"], "News");
    let text = answer.text();
    let id = text.rsplit("receipt ").next().unwrap();
    let id: String = id.chars().take_while(char::is_ascii_alphanumeric).collect();
    let footer = sent.body["embeds"][0]["footer"]["text"].as_str().unwrap().to_owned();
    assert_eq!(footer, format!("sent by the module news · receipt {id}"));
    assert_eq!(ended(&connected.folder).await, ["sent"]);

    let receipt = connected.answer(Interaction::slash("receipt").option("id", id.as_str())).await;
    assert!(receipt.text().contains(&format!("<#{CHANNEL_ID}>: sent")), "{}", receipt.text());
    let printed = |arguments: &[&str]| {
        String::from_utf8(connected.folder.run(&[&["receipts", "show", &id], arguments].concat()).stdout).unwrap()
    };
    assert!(printed(&[]).contains(&format!("message    to channel {CHANNEL_ID}: sent\n")), "{}", printed(&[]));
    let shown: serde_json::Value = serde_json::from_str(&printed(&["--json"])).unwrap();
    assert_eq!(shown["messages"], json!([{ "channel": CHANNEL_ID.to_string(), "state": "sent" }]));

    let Connected { bot, twin, folder, _log } = connected;
    assert!(bot.stop().success());
    let connected = connect_in(folder, twin).await;
    let again = connected.answer(news("tell")).await;
    assert!(again.text().contains("✓ /news"), "{}", again.text());
    assert_eq!(ended(&connected.folder).await, ["sent", "sent"]);
    assert_eq!(landed(&connected.twin).len(), 2, "one for each command");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_fails_or_names_another_channel_sends_nothing() {
    let connected = connect_in(folder(), Twin::start().await.unwrap()).await;
    for mode in ["fail", "elsewhere"] {
        let answer = connected.answer(news(mode)).await;
        assert!(answer.text().contains("✗ /news"), "{mode}: {}", answer.text());
    }
    connected.bot.hears(&["ERROR", "may not send to the channel 1100000000000000099", "[modules.send_to]"]);
    assert_eq!(ended(&connected.folder).await, [""; 0]);
    assert_eq!(landed(&connected.twin).len(), 0);
}

/// A folder whose bot ended after the commit of a message, before it sent it.
async fn ended_before_sending() -> (Folder, Twin) {
    let (folder, twin) = (folder(), Twin::start().await.unwrap());
    let mut candor = folder.candor(&["run"]);
    candor.env("CANDOR_CRASH_AT", "Committed:1").env("DISCORD_PROXY", twin.url()).env("DISCORD_TOKEN", "test.token");
    let mut bot = Bot::start_with(&mut candor);
    assert!(twin.wait_ready(PATIENCE).await, "not ready:\n{}", bot.log());
    bot.hears(&["INFO", "ready"]);
    twin.interact(news("tell"));
    assert!(!bot.wait().success());
    assert_eq!(landed(&twin).len(), 0);
    (folder, twin)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_whose_process_ends_after_the_commit_is_sent_once_by_the_next() {
    if !cfg!(debug_assertions) {
        println!("SKIPPED: a release build has no points to end at");
        return;
    }
    let (folder, twin) = ended_before_sending().await;
    let connected = connect_in(folder, twin).await;
    message(&connected).await;
    assert_eq!(ended(&connected.folder).await, ["sent"]);
    assert_eq!(landed(&connected.twin).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_waited_for_more_than_a_day_is_given_up_and_not_sent_as_news() {
    if !cfg!(debug_assertions) {
        println!("SKIPPED: a release build has no points to end at");
        return;
    }
    let (folder, twin) = ended_before_sending().await;
    let aged = "UPDATE outbox SET at_ms = at_ms - 2592000000, next_ms = next_ms - 2592000000";
    assert_eq!(database(&folder).execute(aged, ()), Ok(1));
    let connected = connect_in(folder, twin).await;
    connected.bot.hears(&["WARN", "message expired after 24 h", "news"]);
    assert_eq!(ended(&connected.folder).await, ["given-up"]);
    assert_eq!(landed(&connected.twin).len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_passes_is_tried_again_and_makes_one_message() {
    let faults = [
        Fault::rate_limited("POST", &to(), 0.2).times(2),
        Fault::new("POST", &to()).status(503),
        Fault::broken_off("POST", &to()),
        // It arrives, and the bot does not learn that.
        Fault::broken_off("POST", &to()).carried_out(),
    ];
    for fault in faults {
        let twin = Twin::start().await.unwrap();
        twin.fail_next(fault);
        let connected = connect_in(folder(), twin).await;
        connected.answer(news("tell")).await;
        assert_eq!(ended(&connected.folder).await, ["sent"]);
        assert_eq!(landed(&connected.twin).len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_discord_refuses_for_good_is_given_up_and_said() {
    for status in [403, 404] {
        let twin = Twin::start().await.unwrap();
        twin.fail_next(Fault::new("POST", &to()).status(status).code(50_001, "Missing Access"));
        let connected = connect_in(folder(), twin).await;
        connected.answer(news("tell")).await;
        let channel = CHANNEL_ID.to_string();
        connected.bot.hears(&["WARN", "message dropped: Discord refuses it", "news", &channel]);
        assert_eq!(ended(&connected.folder).await, ["given-up"]);
        let receipt = connected.answer(Interaction::slash("receipt")).await;
        assert!(receipt.text().contains(": not sent, and given up"), "{}", receipt.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_operator_allows_no_more_is_not_sent_even_if_it_waits() {
    let twin = Twin::start().await.unwrap();
    twin.fail_next(Fault::new("POST", &to()).status(503).times(9));
    let connected = connect_in(folder(), twin).await;
    connected.answer(news("tell")).await;
    connected.bot.hears(&["WARN", "it is tried again"]);
    let config = connected.folder.path().join("config.toml");
    let allowed = fs::read_to_string(&config).unwrap();
    fs::write(&config, allowed.replace(&CHANNEL_ID.to_string(), "1100000000000000098")).unwrap();

    connected.bot.hears(&["the modules are in force"]);
    connected.bot.hears(&["WARN", "the module may no longer send to this channel"]);
    assert_eq!(ended(&connected.folder).await, ["given-up"]);
    assert_eq!(landed(&connected.twin).len(), 0);
}
