//! What a program has run with nobody asking is paced, and its failures are posted once: by the real binary.

use std::time::Instant;

use discord_twin::{CHANNEL_ID, Interaction, Twin, USER_ID};

use crate::discord::connected::{Connected, connect_in};
use crate::programs::has;
use crate::programs::modules::folder;
use crate::support::bot::{Bot, Folder, PATIENCE};

const MANIFEST: &str = r#"
[module]
name = "bomb"
summary = "Calls itself"
kind = "exec"
services = ["time"]

[run]
program = "bomb.py"

[commands."/bomb"]
description = "Have as much called at once as may wait, and that again from each of those calls"

[commands."/sulk"]
description = "Have calls made that refuse"
"#;

const PROGRAM: &str = r#"#!/usr/bin/env python3
import json, sys
request = json.load(sys.stdin)
command = request["command"]
if command == "/sulk" and "due" in request:
    answer = {"error": "not today"}
else:
    n = 5 if command == "/sulk" else min(20, 50 - len(request["later"]["own"]))
    answer = {"text": "boom", "later": {"call": [{"command": command, "in_s": 0}] * n}}
print(json.dumps(answer))
"#;

/// The most runs of one module in one place within a minute.
const RUNS_MAX: i64 = 20;

fn count(folder: &Folder, of: &str) -> i64 {
    let database = rusqlite::Connection::open(folder.path().join("data/candor.db")).unwrap();
    database.query_row(&format!("SELECT count(*) FROM {of}"), (), |row| row.get(0)).unwrap()
}

const DUE_RUNS: &str = "receipts WHERE origin = 'due'";

/// The most runs since this moment, however slow the machine is.
fn most_since(start: Instant) -> i64 {
    let minutes = start.elapsed().as_secs() / 60;
    RUNS_MAX * (i64::try_from(minutes).unwrap() + 2)
}

fn posted(twin: &Twin, words: &str) -> usize {
    let path = format!("/channels/{CHANNEL_ID}/messages");
    let is_post = |request: &&discord_twin::Recorded| request.method == "POST" && request.path == path;
    twin.requests().iter().filter(is_post).filter(|request| request.text().contains(words)).count()
}

/// Waits until this holds. The bot is asked something each time, which lets it go on.
async fn until(connected: &Connected, what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE * 2, "{what}; log:\n{}", connected.bot.log());
        connected.answer(Interaction::slash("help")).await;
    }
}

const PUT_OFF: [&str; 2] = ["WARN", "a later call is put off"];

#[tokio::test(flavor = "multi_thread")]
async fn a_bomb_of_later_calls_goes_off_at_the_pace_also_after_a_restart() {
    if !has("python3", "a bomb of later calls goes off at the pace") {
        return;
    }
    let folder = folder(&[("bomb/module.toml", MANIFEST), ("bomb/bomb.py", PROGRAM)]).set_to("");
    let start = Instant::now();
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    for person in [USER_ID, USER_ID + 1] {
        let answer = connected.answer(Interaction::slash("bomb").by(person)).await;
        assert!(answer.text().contains("boom"), "{}", answer.text());
    }
    connected.bot.hears(&PUT_OFF);
    until(&connected, "the first ran", || RUNS_MAX <= count(&connected.folder, DUE_RUNS)).await;
    assert!(count(&connected.folder, DUE_RUNS) <= most_since(start), "{}", connected.bot.log());
    let Connected { bot, twin, folder, _log } = connected;
    assert!(bot.stop().success());
    assert!(i64::try_from(posted(&twin, "boom")).unwrap() <= most_since(start));

    // All that waits is due when it is back, and none of it was lost.
    let (before, waiting) = (count(&folder, DUE_RUNS), count(&folder, "due_calls WHERE receipt IS NULL"));
    assert!(RUNS_MAX <= waiting, "{waiting}");
    let database = rusqlite::Connection::open(folder.path().join("data/candor.db")).unwrap();
    database.execute("UPDATE due_calls SET due_ms = 1, next_ms = 1", ()).unwrap();
    drop(database);
    let restarted = Instant::now();
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&PUT_OFF);
    let connected = Connected { bot, twin, folder, _log };
    until(&connected, "they ran", || before + RUNS_MAX <= count(&connected.folder, DUE_RUNS)).await;
    assert!(count(&connected.folder, DUE_RUNS) <= before + most_since(restarted), "{}", connected.bot.log());
    assert!(0 < count(&connected.folder, "due_calls WHERE receipt IS NULL AND 1000 < next_ms AND tries = 0"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_later_calls_is_posted_once_and_each_has_its_receipt() {
    if !has("python3", "a refusal of later calls is posted once") {
        return;
    }
    let folder = folder(&[("bomb/module.toml", MANIFEST), ("bomb/bomb.py", PROGRAM)]).set_to("");
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    assert!(connected.answer(Interaction::slash("sulk")).await.text().contains("boom"));
    until(&connected, "all refused", || count(&connected.folder, "due_calls") == 0).await;
    assert_eq!(count(&connected.folder, "receipts WHERE origin = 'due' AND outcome = 'refused'"), 5);
    assert_eq!(posted(&connected.twin, "not today"), 1, "{}", connected.bot.log());
    connected.bot.hears(&["INFO", "a later call failed as one before; not posted again"]);
}
