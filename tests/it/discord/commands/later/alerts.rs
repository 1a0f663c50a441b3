//! `/alerts`, by the real binary against the twin: told once, unseen while nothing happens, and also after a restart.

use std::time::{Duration, Instant};

use discord_twin::{CHANNEL_ID, Interaction, Recorded, Twin};
use rusqlite::Connection;
use serde_json::json;

use crate::discord::connected::{Connected, connect_in};
use crate::support::bot::{Folder, PATIENCE};

const MANAGE_GUILD: u64 = 1 << 5;

fn write_metrics(folder: &Folder, usage: f64) {
    let content = json!({ "cpu": { "usage_percent": usage } });
    std::fs::write(folder.path().join("metrics.new"), content.to_string()).unwrap();
    std::fs::rename(folder.path().join("metrics.new"), folder.path().join("metrics.json")).unwrap();
}

/// What the store holds: receipts of looks, looks that wait.
fn looks(folder: &Folder) -> (i64, i64) {
    let count = |from: &str| database(folder).query_row(&format!("SELECT count(*) FROM {from}"), (), |row| row.get(0));
    (count("receipts WHERE origin = 'due'").unwrap(), count("due_calls").unwrap())
}

fn database(folder: &Folder) -> Connection {
    Connection::open(folder.path().join("data/candor.db")).unwrap()
}

/// The bot is off for a minute: the look is due. Returns when it was to be, in ms.
fn a_minute_goes_by(folder: &Folder) -> i64 {
    let due = "UPDATE due_calls SET due_ms = due_ms - 60000, next_ms = next_ms - 60000 RETURNING due_ms";
    database(folder).query_row(due, (), |row| row.get(0)).unwrap()
}

fn due(folder: &Folder) -> i64 {
    database(folder).query_row("SELECT due_ms FROM due_calls WHERE module = 'alerts'", (), |row| row.get(0)).unwrap()
}

async fn until(connected: &Connected, is_so: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "{:?}:\n{}", looks(&connected.folder), connected.bot.log());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn told(request: &Recorded) -> bool {
    request.method == "POST" && request.path == format!("/channels/{CHANNEL_ID}/messages")
}

/// A bot whose server has one alert, above 90 %.
async fn connect_with_alert() -> Connected {
    let config = format!(
        "[status]\nfile = \"metrics.json\"\nstale_after_s = 3600\n[modules.send_to]\nalerts = [\"{CHANNEL_ID}\"]\n"
    );
    let folder = Folder::with(&config);
    write_metrics(&folder, 12.5);
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    let set = slash("set").option("metric", "cpu.usage_percent").option("when", "above").option("line", 90.0);
    let answer = connected.answer(set).await.text();
    assert!(answer.contains("Usage above 90 %. Now it is 12.5 %."), "{answer}");
    assert_eq!(looks(&connected.folder), (0, 1));
    connected
}

fn slash(subcommand: &str) -> Interaction {
    Interaction::slash("alerts").subcommand(subcommand).permissions(MANAGE_GUILD)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_is_told_once_leaves_no_receipt_while_nothing_happens_and_goes_on_after_a_restart() {
    let connected = connect_with_alert().await;
    let Connected { bot, twin, folder, _log } = connected;
    assert!(bot.stop().success());

    // Nothing happened: the look is put off, and nothing says so.
    let was_due = a_minute_goes_by(&folder);
    let connected = connect_in(folder, twin).await;
    until(&connected, || was_due < due(&connected.folder)).await;
    assert_eq!(looks(&connected.folder), (0, 1));
    let Connected { bot, twin, folder, _log } = connected;
    assert!(bot.stop().success());
    assert!(!twin.requests().iter().any(told));

    write_metrics(&folder, 97.0);
    a_minute_goes_by(&folder);
    let connected = connect_in(folder, twin).await;
    let request = connected.twin.wait_for(PATIENCE, |request| request.accepted() && told(request)).await;
    let request = request.unwrap_or_else(|| panic!("no alert; log:\n{}", connected.bot.log()));
    assert!(request.text().contains("⚠ CPU / Usage above 90 %"), "{}", request.text());
    until(&connected, || looks(&connected.folder) == (1, 1)).await;
    let list = connected.answer(slash("list")).await.text();
    assert!(list.contains("now 97 % · **told**, and not over yet"), "{list}");
    let removed = connected.answer(slash("remove").option("id", 1)).await.text();
    assert!(removed.contains("Removed alert 1"), "{removed}");
    assert_eq!(looks(&connected.folder), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_fails_is_made_again_an_hour_later() {
    let connected = connect_with_alert().await;
    // At each try somebody else was quicker, as it seems. A start would refuse the trigger.
    let never = "CREATE TRIGGER never BEFORE UPDATE ON records BEGIN SELECT RAISE(IGNORE); END";
    database(&connected.folder).execute(never, ()).unwrap();
    write_metrics(&connected.folder, 97.0);
    let end = Instant::now() + PATIENCE;
    while !connected.answer(slash("list")).await.text().contains("97 %") {
        assert!(Instant::now() < end, "the figures are not read");
    }
    let was_due = a_minute_goes_by(&connected.folder);
    // Another later call makes the bot look which ones are due.
    let remind = Interaction::slash("remind").subcommand("add").option("text", "tea").option("in", "1h");
    connected.answer(remind).await;
    let minutes_later = || (due(&connected.folder) - was_due) / 60_000;
    until(&connected, || (59..=62).contains(&minutes_later())).await;
    assert_eq!(looks(&connected.folder), (1, 2));
    connected.bot.hears(&["a call of a server failed; it is made again in an hour"]);
}
