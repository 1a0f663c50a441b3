//! Discord's limits: of requests, of creates in a day, and of commands.

use std::time::{Duration, SystemTime};

use discord_twin::{APPLICATION_ID, Fault, Interaction, Options, Rate, RateLimits, Twin};
use serde_json::{Value, json};

use crate::discord::connected::{Connected, connect_to};
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::registered::{asked, in_place, standing, standing_in, twin_with, writes};
use candor_core::registration::{Scope, SyncMemory as _, day_of};
use candor_store::Database;

#[tokio::test(flavor = "multi_thread")]
async fn many_single_changes_stay_within_discords_rate() {
    let mut commands = in_place().await;
    // Some to create, some to change and some to remove: more than five in one window.
    for (index, command) in commands.iter_mut().filter(|command| command["type"] == 1).take(8).enumerate() {
        match index % 2 {
            0 => command["name"] = json!(format!("gone-{index}")),
            _ => command["description"] = json!("old"),
        }
    }
    let rate_limits = RateLimits { command_writes: Rate::new(5, 1), ..RateLimits::strict() };
    let twin = Twin::start_with(Options { commands, rate_limits, ..Options::default() }).await.unwrap();
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["commands at Discord", "created=4", "updated=4", "removed=4", "rejected=0"]);
    assert_eq!(writes(&connected.twin).len(), 12);
    assert_eq!(connected.twin.n_invalid(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_days_creates_are_counted_over_restarts_and_never_overdrawn() {
    let folder = Folder::with("");
    let path = folder.path().join("data/candor.db");
    let store = Database::open_file(&path).await.unwrap();
    store.count_creates(APPLICATION_ID, Scope::Global, day_of(SystemTime::now()), 199).await.unwrap();
    store.close().await;
    let twin = Twin::start().await.unwrap();
    for _start in 0..2 {
        let bot = Bot::start(&folder, &twin.url());
        assert!(twin.wait_ready(PATIENCE).await);
        bot.hears(&["not up to date", "no more new commands today: 200 a day", "those that it has keep working"]);
        bot.hears(&["registered command", "/status", "put-off", "not created: no more new commands today"]);
        bot.hears(&["commands at Discord", "updated=0", "removed=0"]);
        // Waiting for the next day is no reason to stay.
        assert!(bot.stop().success());
        assert_eq!(writes(&twin), ["POST"], "one was left, and was used");
    }
    assert_eq!(twin.commands().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn when_discord_takes_no_more_today_changes_go_on_and_a_restart_does_not_ask_again() {
    let mut commands = in_place().await;
    commands.retain(|command| command["name"] != "status");
    commands.iter_mut().filter(|it| it["name"] == "help").for_each(|help| help["description"] = json!("old"));
    commands.push(json!({"id": "77", "type": 1, "name": "gone", "description": "old"}));
    let twin = twin_with(commands).await;
    let why = "Max number of daily application command creates has been reached (200)";
    twin.fail_next(Fault::new("POST", "/applications").status(400).code(30_034, why));
    let folder = Folder::with("");
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&[
        "not up to date",
        "no more new commands today",
        "those that it has keep working",
        "trying again at 20",
    ]);
    bot.hears(&["registered command", "/status", "put-off", "not created: no more new commands today"]);
    bot.hears(&["registered command", "/gone", "put-off", "not removed: what is new comes first"]);
    bot.hears(&["commands at Discord", "created=0", "updated=1", "removed=0", "put_off=2"]);
    assert_eq!(writes(&twin), ["POST", "PATCH"]);
    assert!(bot.stop().success());

    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["commands at Discord", "created=0", "updated=0", "removed=0", "put_off=2"]);
    assert_eq!(writes(&twin), ["POST", "PATCH"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_rate_limit_is_remembered_and_a_restart_asks_nothing() {
    let twin = Twin::start().await.unwrap();
    twin.fail_next(Fault::rate_limited("PUT", "/applications", 3_600.0));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&[
        "not up to date",
        "left alone for 3600 s",
        "those that it has keep working",
        "trying again at 20",
    ]);
    connected.bot.hears(&["registered command", "/status", "put-off"]);
    assert!(connected.answer(Interaction::slash("status")).await.text().contains("✓ /status"));
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let before = asked(&twin).len();
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["not up to date", "wants to be left alone until 20", "trying again at 20"]);
    assert_eq!(asked(&twin).len(), before, "not even read");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_rate_limit_is_waited_for() {
    let twin = Twin::start().await.unwrap();
    twin.fail_next(Fault::rate_limited("PUT", "/applications", 0.05).times(2));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["commands at Discord", "unchanged=0", "rejected=0"]);
    assert_eq!(writes(&connected.twin), ["PUT", "PUT", "PUT"]);
}

/// The time of a test's own patience is not part of what it waits for.
#[tokio::test]
async fn a_store_from_yesterday_gives_a_new_day() {
    let folder = Folder::empty();
    let path = folder.path().join("candor.db");
    let store = Database::open_file(&path).await.unwrap();
    let now = SystemTime::now();
    store.count_creates(7, Scope::Global, day_of(now - Duration::from_hours(24)), 200).await.unwrap();
    let known = store.remembered(7, Scope::Global).await.unwrap();
    assert_eq!((known.creates_today(now), known.creates_left(now)), (0, 200));
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_one_more_is_too_many_the_whole_set_is_exchanged() {
    let mut commands = in_place().await;
    let help = standing_in(&commands, "help").clone();
    commands.retain(|command| command["name"] != "status");
    commands.push(json!({"id": "77", "type": 1, "name": "gone", "description": "old"}));
    let twin = twin_with(commands).await;
    let full = "Maximum number of application commands reached (100)";
    twin.fail_next(Fault::new("POST", "/applications").status(400).code(30_032, full));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["commands at Discord", "created=1", "removed=1", "rejected=0"]);
    assert_eq!(writes(&connected.twin), ["POST", "PUT"]);
    assert_eq!(standing(&connected.twin, "help")["id"], help["id"]);
    assert_eq!(standing(&connected.twin, "gone"), Value::Null);
}
