//! `/receipt` in a store with a million receipts: how long its first page takes, and the last. Prints a table, and
//! fails above a ceiling.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints its table and stops where it cannot go on"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use candor_core::inbound::{Caller, ChannelId, GuildId, Place, UserId};
use candor_engine::ReceiptBook as _;
use candor_store::Database;

const RECEIPTS: u64 = 1_000_000;
/// Every tenth receipt is this one's, in one place; the others are of 10,000 people.
const CALLER: UserId = UserId(7);
const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };
/// Of the others' receipts so many are refreshes, in 10.
const REFRESHES: u64 = 3;
const PAGE: u64 = 10;
const TIMES: usize = 20;
/// What half of the pages may take: many times what they do take.
const CEILING: Duration = Duration::from_millis(5);

#[tokio::main]
async fn main() {
    // `cargo test --benches` runs this too.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("candor.db");
    Database::open_file(&file).await.expect("a new store").close().await;
    let filled = Instant::now();
    fill(&file);
    println!("{RECEIPTS} receipts in {:.1} s", filled.elapsed().as_secs_f64());
    let store = Database::open_file(&file).await.expect("the store");
    let caller = Caller::new(CALLER, "Ada");
    let total = store.list(&caller, HERE, "/receipt", 0..1).await.expect("a page").total;
    let whose = format!("of a person with {} receipts, {total} listed", RECEIPTS / 10);
    println!("{whose:<44} {:>10} {:>10}", "median ms", "worst ms");
    for (name, from) in [("first page", 0), ("page 50", 49 * PAGE), ("last page", total - PAGE)] {
        let mut took: Vec<Duration> = Vec::with_capacity(TIMES);
        for _ in 0..TIMES {
            let began = Instant::now();
            let page = store.list(&caller, HERE, "/receipt", from..from + PAGE).await.expect("a page");
            took.push(began.elapsed());
            assert_eq!(page.entries.len() as u64, PAGE, "{name}");
        }
        took.sort();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!("{name:<44} {:>10.2} {:>10.2}", ms(took[TIMES / 2]), ms(took[TIMES - 1]));
        assert!(took[TIMES / 2] < CEILING, "{name} takes too long: {:?}", took[TIMES / 2]);
    }
    store.close().await;
}

/// Receipts as the bot writes them, except that they form no chain: nobody follows it here.
fn fill(file: &Path) {
    let mut connection = rusqlite::Connection::open(file).expect("the file");
    let transaction = connection.transaction().expect("a transaction");
    let mut insert = transaction
        .prepare(
            "INSERT INTO receipts (number, command, arguments, arguments_salt, arguments_digest, caller, place, \
             started_ms, took_us, outcome, origin, digest, link) \
             VALUES (?1, ?2, '{\"title\":\"milk and bread\"}', ?3, ?4, ?5, ?6, ?7, 900, 'done', ?8, ?4, ?4)",
        )
        .expect("a statement");
    for number in 1..=RECEIPTS {
        let is_callers = number % 10 == 0;
        let caller = if is_callers { CALLER.0 } else { 1_000 + number * 7_919 % 10_000 };
        let origin = if !is_callers && number % 10 <= REFRESHES { "refreshed" } else { "person" };
        let command = ["/tasks add", "/status", "/help"][usize::try_from(number % 3).unwrap_or_default()];
        let (number, caller) = (number.cast_signed(), caller.cast_signed());
        let values = (number, command, [7_u8; 16], [9_u8; 32], caller, HERE.key(), 1_700_000_000_000 + number, origin);
        insert.execute(values).expect("a row");
    }
    drop(insert);
    transaction.commit().expect("all rows");
}
