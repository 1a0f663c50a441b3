//! A store with a million receipts: how long the first page of `/receipt` takes, and the last, and how long it takes to
//! verify the whole chain, in how much memory. Prints a table, and fails above a ceiling.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints its table and stops where it cannot go on"
)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use candor_core::inbound::{Caller, ChannelId, GuildId, Place, UserId};
use candor_core::record::{
    Digest, Facts, LedgerEntry, Origin, Outcome, ReceiptId, ReceiptKey, SEED_LENGTH, arguments_digest,
};
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
/// What `candor receipts verify` may take.
const VERIFY_CEILING: Duration = Duration::from_secs(20);
const VERIFY_MEMORY_MIB: u64 = 64;

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
    verify(&file).await;
}

/// Verifies the chain as `candor receipts verify` does.
async fn verify(file: &Path) {
    let key = ReceiptKey::from_seed(&[1; SEED_LENGTH]).expect("a key");
    let public = key.public();
    let signed = Instant::now();
    let store = Database::open_file(file).await.expect("the store").signed_by(Arc::new(key), None).await;
    store.expect("a signed store").close().await;
    println!("signed in {:.1} s", signed.elapsed().as_secs_f64());
    let store = Database::open_existing_file(file, false).await.expect("the store");
    // From here on, the kernel counts the highest memory again.
    let is_counted = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let began = Instant::now();
    let chain = store.follow_chain(Some(public)).await.expect("a chain");
    let took = began.elapsed();
    let memory = memory_mib().filter(|_| is_counted);
    assert_eq!((chain.n_receipts, chain.n_unsigned, chain.broken), (RECEIPTS, 0, None));
    println!("verified in {:.1} s, at most {memory:?} MiB", took.as_secs_f64());
    assert!(took < VERIFY_CEILING, "verify takes too long: {took:?}");
    assert!(memory.is_none_or(|memory| memory < VERIFY_MEMORY_MIB), "verify takes too much memory: {memory:?} MiB");
    store.close().await;
}

/// The highest resident memory of this process, on Linux.
fn memory_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib / 1_024)
}

/// Receipts as the bot writes them.
fn fill(file: &Path) {
    let mut connection = rusqlite::Connection::open(file).expect("the file");
    let transaction = connection.transaction().expect("a transaction");
    let mut insert = transaction
        .prepare(
            "INSERT INTO receipts (number, command, arguments, arguments_salt, arguments_digest, caller, place, \
             started_ms, took_us, outcome, origin, digest, link) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 900, 'done', ?9, ?10, ?11)",
        )
        .expect("a statement");
    let salt = [7_u8; 16];
    let arguments = "{\"title\":\"milk and bread\"}";
    let of_arguments = arguments_digest(&salt, arguments);
    let answer = Digest([9; 32]);
    let mut previous = Digest::START;
    for number in 1..=RECEIPTS {
        let is_callers = number % 10 == 0;
        let caller = if is_callers { CALLER.0 } else { 1_000 + number * 7_919 % 10_000 };
        let is_refresh = !is_callers && number % 10 <= REFRESHES;
        let command = ["/tasks add", "/status", "/help"][usize::try_from(number % 3).unwrap_or_default()];
        let started_ms = 1_700_000_000_000 + number;
        let facts = Facts {
            command: command.to_owned(),
            arguments: arguments.to_owned(),
            caller: UserId(caller),
            place: HERE,
            started: UNIX_EPOCH + Duration::from_millis(started_ms),
            took: Duration::from_micros(900),
            outcome: Outcome::Done,
            origin: if is_refresh { Origin::Refresh } else { Origin::Person },
            source: None,
            code: None,
            model: None,
        };
        let origin = facts.origin.name();
        let id = ReceiptId::from_number(number);
        previous = LedgerEntry { id, facts, has_arguments: true, digest: answer }.link(previous, Some(of_arguments));
        let (number, caller, started_ms) = (number.cast_signed(), caller.cast_signed(), started_ms.cast_signed());
        let place = HERE.key();
        let values = rusqlite::params![
            number,
            command,
            arguments,
            salt,
            of_arguments.0,
            caller,
            place,
            started_ms,
            origin,
            answer.0,
            previous.0
        ];
        insert.execute(values).expect("a row");
    }
    drop(insert);
    transaction.commit().expect("all rows");
}
