//! `/remind`, by the real binary against the twin: told once, to whoever asked, also after a restart.

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime};

use discord_twin::{CHANNEL_ID, DM_CHANNEL_ID, Fault, GUILD_ID, Interaction, Recorded, Twin, USER_ID};
use rusqlite::Connection;
use serde_json::{Map, json};

use crate::discord::connected::{Connected, connect, connect_in};
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::said::{assert_says, said};
use candor_core::contract::{DueCalls as _, LaterCall};
use candor_core::inbound::{Caller, ChannelId, CommandPath, GuildId, Place, UserId};
use candor_core::record::ReceiptId;
use candor_store::Database;

/// A folder in whose store a reminder has been due for an hour.
async fn missed(config: &str) -> Folder {
    let folder = Folder::with(config);
    std::fs::create_dir_all(folder.path().join("data")).unwrap();
    let store = Database::open_file(&folder.path().join("data/candor.db")).await.unwrap();
    let reminder = LaterCall {
        module: "remind".to_owned(),
        caller: Caller::new(UserId(USER_ID), ""),
        place: Place::Guild { guild: GuildId(GUILD_ID), channel: ChannelId(CHANNEL_ID) },
        path: CommandPath::new("remind", Some("add")),
        arguments: Map::from_iter([("text".to_owned(), json!("the @everyone missed"))]),
        due: SystemTime::now() - Duration::from_hours(1),
    };
    store.call_later(&reminder).await.unwrap();
    store.close().await;
    folder
}

fn tells(request: &Recorded, words: &str) -> bool {
    let is_message = request.path == format!("/channels/{CHANNEL_ID}/messages");
    request.method == "POST" && is_message && request.text().contains(words)
}

async fn told(connected: &Connected, words: &str) -> Recorded {
    let found = connected.twin.wait_for(PATIENCE, |request| request.accepted() && tells(request, words)).await;
    found.unwrap_or_else(|| panic!("no reminder; log:\n{}", connected.bot.log()))
}

fn n_told(twin: &Twin, words: &str) -> usize {
    twin.requests().iter().filter(|request| tells(request, words)).count()
}

/// The bot's store, behind its back.
fn database(folder: &Folder) -> Connection {
    Connection::open(folder.path().join("data/candor.db")).unwrap()
}

/// Has the calls that were begun be tried again now.
fn try_again(folder: &Folder) {
    assert_eq!(database(folder).execute("UPDATE due_calls SET next_ms = due_ms WHERE tries > 0", ()).unwrap(), 1);
}

/// Waits until a query of the store returns this number.
async fn until(folder: &Folder, query: &str, wanted: i64) {
    let end = Instant::now() + PATIENCE;
    while database(folder).query_row(query, (), |row| row.get(0)) != Ok(wanted) {
        assert!(Instant::now() < end, "not {wanted}: {query}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until the pause after a failed try is stored: a minute, where a call that is being sent has six.
async fn paused(folder: &Folder) {
    let soon = "SELECT count(*) FROM due_calls WHERE tries > 0 AND next_ms < (strftime('%s', 'now') + 120) * 1000";
    until(folder, soon, 1).await;
}

/// Waits until nothing is due any more.
async fn over(folder: &Folder) {
    until(folder, "SELECT count(*) FROM due_calls WHERE tries > 0", 0).await;
}

fn n_receipts(folder: &Folder) -> i64 {
    let due = "SELECT count(*) FROM receipts WHERE origin = 'due'";
    database(folder).query_row(due, (), |row| row.get(0)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_is_told_by_a_command_that_was_renamed_since() {
    let renamed = "[modules.commands.remind]\n\"/remind\" = \"/alarm\"\n\"/remind add\" = \"set\"\n";
    let connected = connect_in(missed(renamed).await, Twin::start().await.unwrap()).await;
    let missed = told(&connected, "missed").await;
    assert!(missed.text().contains("✓ /alarm set"), "{}", missed.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_whose_answer_discord_does_not_take_runs_once_and_is_told_once() {
    // It arrives, and the bot does not learn that.
    let lost = Fault::broken_off("POST", &format!("/channels/{CHANNEL_ID}/messages")).carried_out();
    for fault in [Fault::new("POST", &format!("/channels/{CHANNEL_ID}/messages")).status(503), lost] {
        let (folder, twin) = (missed("").await, Twin::start().await.unwrap());
        // Each try is two.
        twin.fail_next(fault.times(2));
        let connected = connect_in(folder, twin).await;
        connected.bot.hears(&["WARN", "the answer of a call was not sent"]);
        paused(&connected.folder).await;
        try_again(&connected.folder);
        // A call that is added has the bot look what is due.
        connected.answer(add("buy milk", "1h")).await;
        let missed = told(&connected, "missed").await;
        assert_eq!(missed.body["content"], format!("<@{USER_ID}>"));
        assert!(missed.text().contains("It was due <t:") && missed.text().contains("/remind add · as scheduled"));
        over(&connected.folder).await;
        let requests = connected.twin.requests();
        let arrived = requests.iter().filter(|request| tells(request, "missed")).filter_map(Recorded::message_id);
        assert_eq!(arrived.collect::<BTreeSet<_>>().len(), 1);
        assert_eq!(n_receipts(&connected.folder), 1, "it ran once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_whose_process_ends_before_it_is_told_runs_once_and_is_told_by_the_next() {
    if !cfg!(debug_assertions) {
        println!("SKIPPED: a release build has no points to end at");
        return;
    }
    let (folder, twin) = (missed("").await, Twin::start().await.unwrap());
    let mut candor = folder.candor(&["run"]);
    candor.env("CANDOR_CRASH_AT", "Committed:1").env("DISCORD_PROXY", twin.url()).env("DISCORD_TOKEN", "test.token");
    assert!(!Bot::start_with(&mut candor).wait().success());
    assert_eq!((n_receipts(&folder), n_told(&twin, "missed")), (1, 0));

    try_again(&folder);
    let connected = connect_in(folder, twin).await;
    told(&connected, "missed").await;
    over(&connected.folder).await;
    assert_eq!((n_receipts(&connected.folder), n_told(&connected.twin, "missed")), (1, 1));
}

fn add(text: &str, after: &str) -> Interaction {
    Interaction::slash("remind").subcommand("add").option("text", text).option("in", after)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_is_told_once_to_whoever_asked_for_it_also_after_a_restart() {
    let connected = connect_in(missed("").await, Twin::start().await.unwrap()).await;
    let missed = told(&connected, "missed").await;
    assert_eq!(missed.body["content"], format!("<@{USER_ID}>"));
    let pinged = &missed.body["allowed_mentions"];
    assert_eq!((&pinged["parse"], &pinged["users"]), (&json!([]), &json!([USER_ID.to_string()])), "{pinged}");
    assert!(missed.text().contains("It was due <t:") && missed.text().contains("✓ /remind add"), "{}", missed.text());

    let added = connected.answer(add("buy milk", "1h")).await;
    assert!(added.text().contains("Reminder 2, <t:") && added.text().contains("buy milk"), "{}", added.text());
    let Connected { bot, twin, folder, _log } = connected;
    assert!(bot.stop().success());

    let connected = connect_in(folder, twin).await;
    let listed = connected.answer(Interaction::slash("remind").subcommand("list")).await;
    assert!(listed.text().contains("2 · <t:") && !listed.text().contains("missed"), "{}", listed.text());
    let others =
        connected.answer(Interaction::slash("remind").subcommand("remove").option("id", 2).by(USER_ID + 1)).await;
    assert!(others.text().contains("You have no reminder 2 here"), "{}", others.text());
    let removed = connected.answer(Interaction::slash("remind").subcommand("remove").option("id", 2)).await;
    assert!(removed.text().contains("Removed reminder 2."), "{}", removed.text());

    connected.answer(add("now", "1s")).await;
    let soon = told(&connected, "✓ /remind add · as scheduled").await;
    assert!(soon.text().contains("missed") || soon.text().contains("now"), "{}", soon.text());
    let after = connected.twin.wait_for(PATIENCE, |request| tells(request, "Reminder") && tells(request, "now")).await;
    assert!(after.is_some(), "{}", connected.bot.log());
    assert_eq!((n_told(&connected.twin, "missed"), n_told(&connected.twin, "buy milk")), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_of_somebody_who_may_not_use_the_command_any_more_is_not_told() {
    let folder = missed(&format!("[access]\nblocked = [\"{USER_ID}\"]\n")).await;
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    connected.bot.hears(&["WARN", "a call that is due may not be made"]);
    assert_eq!(n_told(&connected.twin, "missed"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn m1_a_reminder_is_told_with_the_roles_that_its_person_has_by_then() {
    let config = "[permissions.\"/remind\"]\nroles = [\"5\"]\n";
    for (roles, expected) in [
        (Some(&[5][..]), None),
        (Some(&[6][..]), Some("a call that is due may not be made")),
        (None, Some("its person or the bot is no longer there")),
    ] {
        let twin = Twin::start().await.unwrap();
        twin.set_member(USER_ID, roles);
        let connected = connect_in(missed(config).await, twin).await;
        match expected {
            None => drop(told(&connected, "missed").await),
            Some(line) => {
                connected.bot.hears(&[line]);
                assert_eq!(n_told(&connected.twin, "missed"), 0);
            }
        }
        connected._log.may_hold_refused();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_time_is_refused_with_how_to_write_it() {
    let connected = connect("").await;
    for (after, said) in [("soon", "`2h30m`"), ("900w", "at most a year ahead")] {
        let refused = connected.answer(add("tea", after)).await;
        assert!(refused.text().contains(said), "{after}: {}", refused.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_that_discord_refuses_is_tried_again_and_then_sent_directly() {
    let path = format!("/channels/{CHANNEL_ID}/messages");
    let (folder, twin) = (missed("").await, Twin::start().await.unwrap());
    // A failure of another kind is no refusal. Each try is two.
    twin.fail_next(Fault::new("POST", &path).status(503).times(2));
    let connected = connect_in(folder, twin).await;
    connected.bot.hears(&["the answer of a call was not sent"]);
    paused(&connected.folder).await;
    connected.twin.fail_next(Fault::new("POST", &path).status(403).times(4));
    try_again(&connected.folder);
    connected.answer(add("rings the bell", "1h")).await;
    for n_before in 0..3 {
        connected.bot.hears_nth(n_before, &["Discord refused the answer of a call; retrying"]);
        let refusals = i64::try_from(n_before + 1).unwrap();
        until(&connected.folder, "SELECT max(refusals) FROM due_calls", refusals).await;
        // It is still listed, and can be taken back.
        let listed = connected.answer(Interaction::slash("remind").subcommand("list")).await;
        assert!(listed.text().contains("missed"), "{}", listed.text());
        // The pauses are minutes. A call that is added has the bot look what is due.
        try_again(&connected.folder);
        connected.answer(add("rings the bell", "1h")).await;
    }
    let directly = format!("/channels/{DM_CHANNEL_ID}/messages");
    let sent = |words: &'static str| {
        let directly = directly.clone();
        move |request: &Recorded| request.accepted() && request.path == directly && request.text().contains(words)
    };
    assert!(connected.twin.wait_for(PATIENCE, sent("missed")).await.is_some(), "{}", connected.bot.log());
    assert!(connected.twin.wait_for(PATIENCE, sent("I could not write this in <#")).await.is_some());
    over(&connected.folder).await;
    assert_eq!(n_receipts(&connected.folder), 1, "it ran once");
    let number = "SELECT number FROM receipts WHERE origin = 'due'";
    let number: i64 = database(&connected.folder).query_row(number, (), |row| row.get(0)).unwrap();
    let id = ReceiptId::from_number(number.unsigned_abs()).to_string();
    let receipt = connected.answer(Interaction::slash("receipt").option("id", &*id)).await;
    let delivered = said!("receipt-message-sent-directly", channel = format!("<#{CHANNEL_ID}>"));
    assert_says(receipt.text(), delivered);
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_refusal_in_a_channel_loses_no_reminder_of_others() {
    let path = format!("/channels/{CHANNEL_ID}/messages");
    let (folder, twin) = (missed("").await, Twin::start().await.unwrap());
    twin.fail_next(Fault::new("POST", &path).status(403).code(50_001, "Missing Access"));
    let connected = connect_in(folder, twin).await;
    connected.bot.hears(&["Discord refused the answer of a call; retrying"]);
    connected.answer(add("of another", "1s").by(USER_ID + 1)).await;
    // The channel is asked again after 5 s, and what was refused after 10 s.
    told(&connected, "of another").await;
    told(&connected, "missed").await;
    connected._log.may_hold_refused();
}
