//! `/feed`, by the real binary against the twin: looks work unseen, for who manages the server, and go on after a restart.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use discord_twin::{CHANNEL_ID, GUILD_ID, Interaction, OWNER_ID, Recorded, Twin, USER_ID};
use rusqlite::Connection;
use serde_json::json;

use crate::discord::connected::{Connected, connect, connect_in};
use crate::support::bot::{Folder, PATIENCE};
use candor_core::contract::{DueCalls as _, LaterCall, Records as _};
use candor_core::inbound::{Caller, ChannelId, CommandPath, GuildId, Place, UserId};
use candor_store::Database;

/// Nothing answers there, on no machine.
const URL: &str = "https://feed.invalid/feed.xml";

const MANAGE_GUILD: u64 = 1 << 5;

fn allowed() -> String {
    format!("[modules.send_to]\nfeed = [\"{CHANNEL_ID}\"]\n[modules.http_hosts]\nfeed = [\"feed.invalid\"]\n")
}

/// A folder in whose store a look at a feed has been due for a minute, for this person.
async fn due(user: u64) -> Folder {
    let folder = Folder::with(&allowed());
    std::fs::create_dir_all(folder.path().join("data")).unwrap();
    let store = Database::open_file(&folder.path().join("data/candor.db")).await.unwrap();
    let place = Place::Guild { guild: GuildId(GUILD_ID), channel: ChannelId(CHANNEL_ID) };
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let feed = json!({
        "address": URL, "channel": CHANNEL_ID, "since": now_s - 9_000, "read": now_s - 9_000, "next": now_s - 60,
        "validators": { "etag": null, "last_modified": null }, "seen": [], "failed": 0, "why": null,
    });
    store.add("feed", &place.scope(), &feed, 9).await.unwrap();
    let channel = json!({ "type": "channel", "id": CHANNEL_ID.to_string(), "kind": 0 });
    let look = LaterCall {
        module: "feed".to_owned(),
        caller: Caller::new(UserId(user), ""),
        place,
        path: CommandPath::new("feed", Some("add")),
        arguments: json!({ "url": URL, "channel": channel }).as_object().cloned().unwrap(),
        due: UNIX_EPOCH + Duration::from_secs(now_s - 60),
    };
    store.call_later(&look).await.unwrap();
    store.close().await;
    folder
}

fn slash(subcommand: &str) -> Interaction {
    Interaction::slash("feed").subcommand(subcommand).permissions(MANAGE_GUILD)
}

/// How many looks were made, and how many wait.
fn looks(folder: &Folder) -> (i64, i64) {
    let store = Connection::open(folder.path().join("data/candor.db")).unwrap();
    let count = |from: &str| store.query_row(&format!("SELECT count(*) FROM {from}"), (), |row| row.get(0)).unwrap();
    (count("receipts WHERE origin = 'due'"), count("due_calls"))
}

fn is_message(request: &Recorded) -> bool {
    request.method == "POST" && request.path == format!("/channels/{CHANNEL_ID}/messages")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_works_unseen_asks_for_the_next_one_and_the_list_says_how_it_went_also_after_a_restart() {
    let connected = connect_in(due(OWNER_ID).await, Twin::start().await.unwrap()).await;
    connected.bot.hears(&["the answer of a call is for one person"]);
    let end = std::time::Instant::now() + PATIENCE;
    while looks(&connected.folder) != (1, 1) {
        assert!(std::time::Instant::now() < end, "{:?}:\n{}", looks(&connected.folder), connected.bot.log());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!connected.twin.requests().iter().any(is_message), "it is told to nobody");
    let Connected { bot, twin, folder, _log } = connected;
    assert!(bot.stop().success());

    let connected = connect_in(folder, twin).await;
    let listed = connected.answer(slash("list")).await.text();
    assert!(listed.contains("not read (1×)") && listed.contains("Next look <t:"), "{listed}");
    assert_eq!(looks(&connected.folder), (1, 1));
    let removed = connected.answer(slash("remove").option("id", 1)).await.text();
    assert!(removed.contains("Removed feed 1"), "{removed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_manage_the_server_any_more_has_nothing_looked_at() {
    let connected = connect_in(due(USER_ID).await, Twin::start().await.unwrap()).await;
    connected.bot.hears(&["WARN", "a call that is due may not be made"]);
    assert_eq!(looks(&connected.folder).0, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_added_that_the_operator_did_not_allow_or_that_does_not_answer() {
    for (config, url, said) in [
        (String::new(), URL, "has not allowed this in any channel yet"),
        (allowed(), "https://other.example/", "has not allowed it to read from that host"),
        (allowed(), URL, "No feed was added. "),
    ] {
        let connected = connect(&config).await;
        let refused = connected.answer(slash("add").option("url", url)).await.text();
        assert!(refused.contains(said), "{url}: {refused}");
        assert_eq!(looks(&connected.folder), (0, 0));
    }
}
