//! Tests that need the file's connections themselves: their settings, a full disk, a caller that gave up, and what is
//! committed together.

use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use futures_util::future::{join_all, select_all};
use serde_json::json;

use super::connection::FileConnection;
use super::*;
use crate::{ChainBreak, Database};
use candor_core::agent::Turns;
use candor_core::contract::{Records, ServiceError};
use candor_core::inbound::EventId;
use candor_core::record::{Digest, Origin, ReceiptId, ReplyButton, TurnId, milliseconds};
use candor_engine::executor::Ledger;

async fn open(folder: &tempfile::TempDir) -> Database {
    Database::open_file(&path(folder)).await.unwrap()
}

fn path(folder: &tempfile::TempDir) -> std::path::PathBuf {
    folder.path().join("store.db")
}

/// A number that the writer gives for a statement.
async fn asked(store: &Database, statement: &'static str) -> i64 {
    let asked = store.write(move |connection| Box::pin(async move { connection.value(statement, &[]).await }));
    asked.await.unwrap().unwrap()
}

/// Leaves room for this many more pages. SQLite answers at this limit as it does when the disk is full.
async fn leave_room(store: &Database, pages: Option<i64>) {
    let limit = match pages {
        None => "PRAGMA max_page_count = 1000000".to_owned(),
        Some(pages) => format!("PRAGMA max_page_count = {}", asked(store, "PRAGMA page_count").await + pages),
    };
    // A pragma takes no values.
    asked(store, Box::leak(limit.into_boxed_str())).await;
}

#[tokio::test]
async fn every_commit_is_synced_to_the_write_ahead_log() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder).await;
    for (pragma, expected) in [
        ("synchronous", 2),
        ("foreign_keys", 1),
        ("secure_delete", 1),
        ("trusted_schema", 0),
        ("busy_timeout", 5_000),
        ("wal_autocheckpoint", 1_000),
    ] {
        let pragma: &'static str = Box::leak(format!("PRAGMA {pragma}").into_boxed_str());
        assert_eq!(asked(&store, pragma).await, expected, "{pragma}");
    }
    assert!(folder.path().join("store.db-wal").exists());
}

/// How often some bytes stand in a file.
fn n_found(path: &Path, words: &str) -> usize {
    let bytes = std::fs::read(path).unwrap_or_default();
    bytes.windows(words.len()).filter(|part| *part == words.as_bytes()).count()
}

#[tokio::test]
async fn the_log_is_emptied_at_once_or_once_nobody_reads_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder).await;
    let log = folder.path().join("store.db-wal");
    let (words, body) = ("the secret words", json!({"text": "the secret words"}));
    for is_read in [false, true] {
        let id = store.add("notes", "console", &body, usize::MAX).await.unwrap();
        let other = rusqlite::Connection::open(path(&folder)).unwrap();
        if is_read {
            other.execute_batch("BEGIN; SELECT count(*) FROM records").unwrap();
        }
        store.remove("notes", "console", id).await.unwrap().unwrap();
        assert!(0 < n_found(&log, words));
        store.empty_log().await;
        assert_eq!(0 < n_found(&log, words), is_read);
        if is_read {
            // Nobody waits for it meanwhile.
            store.claim(EventId(1), UNIX_EPOCH).await.unwrap();
            other.execute_batch("COMMIT").unwrap();
            let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
            let mut event = 2;
            while 0 < n_found(&log, words) {
                assert!(std::time::Instant::now() < end, "the log is never emptied");
                store.claim(EventId(event), UNIX_EPOCH).await.unwrap();
                event += 1;
            }
        }
        assert_eq!(n_found(&path(&folder), words), 0);
    }
}

#[tokio::test]
async fn readers_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder).await;
    let refused = store.rows("DELETE FROM claims", Vec::new()).await.unwrap_err();
    assert_eq!(refused.to_string(), "the store failed: the database is read-only");
}

#[tokio::test]
async fn a_full_disk_is_said_loses_nothing_and_passes() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder).await;
    leave_room(&store, Some(20)).await;

    let body = json!({"text": "x".repeat(3_000)});
    let mut kept = Vec::new();
    let refused = loop {
        match store.add("notes", "console", &body, usize::MAX).await {
            Ok(id) => kept.push((id, body.clone())),
            Err(refused) => break refused,
        }
    };
    // Of another failure it is not known that nothing was written.
    assert!(matches!(refused, ServiceError::DiskFull), "{refused:?}");
    assert_eq!(refused.to_string(), "the store failed: the disk is full; nothing was written");
    assert!(!kept.is_empty());
    assert_eq!(store.list("notes", "console").await.unwrap(), kept);

    leave_room(&store, None).await;
    let next = store.add("notes", "console", &body, usize::MAX).await.unwrap();
    assert_eq!(Some(next), kept.last().map(|(last, _)| last + 1));
}

#[tokio::test]
async fn a_claim_that_a_full_disk_refused_was_not_won() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(open(&folder).await);
    leave_room(&store, Some(0)).await;
    // Many at once, so that some are committed together with one that finds no room.
    let claims = join_all((0..2_000).map(|event| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.claim(EventId(event), UNIX_EPOCH).await })
    }));
    let (mut won, mut full) = (0, 0);
    for claim in claims.await {
        match claim.unwrap() {
            Ok(is_won) => won += i64::from(is_won),
            Err(refused) => {
                assert!(matches!(refused, ServiceError::DiskFull), "{refused:?}");
                full += 1;
            }
        }
    }
    assert!(0 < full);
    assert_eq!(asked(&store, "SELECT count(*) FROM claims").await, won);
}

#[tokio::test]
async fn what_fails_takes_nothing_from_what_is_committed_together_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(open(&folder).await);
    let adds = join_all((0..100).map(|n| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            store
                .write(move |connection| {
                    Box::pin(async move {
                        let kept = "INSERT INTO secrets (name, value) VALUES ($1, $2)";
                        connection.execute(kept, &[n.to_string().into(), [1_u8][..].into()]).await?;
                        if n % 3 == 0 { Err(ServiceError::Full("no".to_owned())) } else { Ok(()) }
                    })
                })
                .await
        })
    }));
    let failed = adds.await.into_iter().filter(|added| added.as_ref().unwrap().is_err()).count();
    assert_eq!(failed, 34);
    assert_eq!(asked(&store, "SELECT count(*) FROM secrets").await, 66);
}

#[tokio::test]
async fn a_fault_in_one_operation_does_not_end_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder).await;
    let fault = store.write::<()>(|connection| {
        Box::pin(async move {
            connection.execute("DELETE FROM claims", &[]).await?;
            panic!("a fault")
        })
    });
    store.claim(EventId(1), UNIX_EPOCH).await.unwrap();
    assert_eq!(fault.await.unwrap_err().to_string(), "the store failed: its work did not end");
    assert!(!store.claim(EventId(1), UNIX_EPOCH).await.unwrap(), "what it did was undone");
}

#[tokio::test]
async fn what_waits_together_is_committed_together() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(open(&folder).await);
    // Nothing is committed while another process holds the file.
    let other = rusqlite::Connection::open(path(&folder)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let claims: Vec<_> = (0..101)
        .map(|event| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.claim(EventId(event), UNIX_EPOCH).await.unwrap() })
        })
        .collect();
    // All of them wait by now: this is the only thread.
    tokio::task::yield_now().await;
    let before = other.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0)).unwrap();
    other.execute_batch("COMMIT").unwrap();
    assert!(join_all(claims).await.into_iter().all(|won| won.unwrap()));
    let after = other.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0)).unwrap();
    assert_ne!(before, after);
    drop(other);

    // A commit is a frame in the log that says so: its header ends with the size of the database.
    store.write(|_| Box::pin(async { Ok(()) })).await.unwrap();
    let log = std::fs::read(folder.path().join("store.db-wal")).unwrap();
    let size = |frame: &[u8]| u32::from_be_bytes([frame[4], frame[5], frame[6], frame[7]]);
    let commits = log[32..].chunks_exact(24 + 4_096).filter(|frame| size(frame) != 0).count();
    assert!(commits < 20, "{commits} commits for 101 claims");
}

#[tokio::test(start_paused = true)]
async fn whoever_finds_the_queue_full_for_long_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(open(&folder).await);
    let other = rusqlite::Connection::open(path(&folder)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // More than one group and a full queue. The clock is paused: it goes on once everybody waits.
    let claims = (0..600).map(|event| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.claim(EventId(event), UNIX_EPOCH).await })
    });
    let (first, _, others) = select_all(claims).await;
    assert_eq!(first.unwrap().unwrap_err().to_string(), "the store failed: too many calls are waiting for it");
    other.execute_batch("COMMIT").unwrap();
    let won = join_all(others).await.into_iter().filter(|claim| matches!(claim, Ok(Ok(true)))).count();
    assert!((256..600).contains(&won), "{won}");
    assert_eq!(asked(&store, "SELECT count(*) FROM claims").await, won as i64);
}

#[tokio::test]
async fn a_write_whose_caller_gave_up_is_whole_and_blocks_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder).await;
    let body = json!("first");
    let mut add = Box::pin(store.add("notes", "console", &body, 9));
    assert!(futures_util::poll!(&mut add).is_pending());
    drop(add);
    assert_eq!(store.add("notes", "console", &json!("second"), 9).await.unwrap(), 2);
    assert_eq!(store.list("notes", "console").await.unwrap(), [(1, json!("first")), (2, json!("second"))]);
}

#[tokio::test]
async fn every_step_of_the_format_is_taken_once() {
    let folder = tempfile::tempdir().unwrap();
    for _start in 0..2 {
        let store = open(&folder).await;
        let n_steps = i64::try_from(migrations::STEPS.len()).unwrap();
        assert_eq!(asked(&store, "SELECT count(*) FROM _sqlx_migrations").await, n_steps);
        assert_eq!(asked(&store, "SELECT max(version) FROM _sqlx_migrations").await, migrations::last_version());
        assert_eq!(asked(&store, "PRAGMA application_id").await, migrations::APPLICATION_ID);
        store.close().await;
    }
}

/// The checksums that the first versions of this program wrote: what they made has to open for ever.
#[test]
fn released_steps_are_what_they_were() {
    let checksum = |version: usize| hex_start(&migrations::STEPS[version - 1].checksum());
    assert_eq!([1, 2, 9].map(checksum), ["1a72289af738d4ac", "f92f97e728f2c11e", "8c542b3688f0055b"]);
}

fn hex_start(bytes: &[u8]) -> String {
    bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A file as the third step of the format leaves it, with two receipts, linked as it was before there were origins.
fn old_file(path: &Path) {
    let mut connection = rusqlite::Connection::open(path).unwrap();
    migrations::run_steps(&mut connection, &migrations::STEPS[..3]).unwrap();
    let mut previous = Digest::START;
    for number in [1, 2] {
        let (arguments, digest) = (format!("{{\"number\":{number}}}"), Digest::of(&[b"said"]));
        let id = ReceiptId::from_number(number).to_string();
        let started = milliseconds(UNIX_EPOCH);
        let link = Digest::of(&[
            &previous.0,
            id.as_bytes(),
            b"/note",
            arguments.as_bytes(),
            &7_u64.to_be_bytes(),
            b"console",
            &started.to_be_bytes(),
            &250_i64.to_be_bytes(),
            b"done",
            b"",
            &digest.0,
        ]);
        let receipt = "INSERT INTO receipts (number, command, arguments, caller, place, started_ms, took_us, outcome, \
                       digest, link) VALUES (?, '/note', ?, 7, 'console', ?, 250, 'done', ?, ?)";
        connection.execute(receipt, (number.cast_signed(), arguments, started, digest.0, link.0)).unwrap();
        previous = link;
    }
    connection.execute("INSERT INTO claims (number, event, claimed_ms) VALUES (3, 30, 0)", []).unwrap();
}

#[tokio::test]
async fn a_file_of_an_older_version_holds_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    old_file(&path(&folder));
    let store = open(&folder).await;
    assert_eq!(store.verify_chain().await.unwrap(), None);
    let old = candor_engine::ReceiptBook::find(&store, ReceiptId::from_number(2)).await.unwrap().unwrap();
    assert_eq!((old.facts.origin, old.facts.command.as_str()), (Origin::Person, "/note"));
    assert!(!store.claim(EventId(30), UNIX_EPOCH).await.unwrap(), "what was claimed stays claimed");
    assert_eq!(store.number().await.unwrap(), 4, "no number comes back");

    let changed = "UPDATE receipts SET origin = 'model' WHERE number = 1";
    store.execute(changed, Vec::new()).await.unwrap();
    assert_eq!(store.verify_chain().await.unwrap(), Some(ChainBreak::Receipt(ReceiptId::from_number(1))));
}

#[tokio::test]
async fn a_reply_of_which_a_change_was_taken_before_each_had_a_row_offers_none_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut connection = rusqlite::Connection::open(path(&folder)).unwrap();
    let before = migrations::STEPS.iter().position(|step| step.name == "used_buttons").unwrap();
    migrations::run_steps(&mut connection, &migrations::STEPS[..before]).unwrap();
    let turns = "INSERT INTO turns (user, place, at_ms, record, recovered) VALUES (7, 'console', 0, '{}', ?)";
    for recovered in [1, 0] {
        connection.execute(turns, [recovered]).unwrap();
    }
    drop(connection);
    let store = open(&folder).await;
    for (turn, is_free) in [(TurnId(1), false), (TurnId(2), true)] {
        for place in 0..4 {
            let claimed = store.claim_button(turn, ReplyButton::Offer(place)).await.unwrap();
            assert_eq!(claimed, is_free, "{turn:?} {place}");
        }
    }
    assert!(store.claim_button(TurnId(1), ReplyButton::GoOn).await.unwrap());
}

#[tokio::test]
async fn a_connection_that_is_opened_anew_has_no_transaction_and_the_same_settings() {
    let folder = tempfile::tempdir().unwrap();
    open(&folder).await.close().await;
    for is_read_only in [false, true] {
        let mut connection = FileConnection::open(&path(&folder), true).unwrap();
        connection.command("BEGIN IMMEDIATE").unwrap();
        connection.command("INSERT INTO claims (event, claimed_ms) VALUES (1, 0)").unwrap();
        connection.connection.pragma_update(None, "query_only", is_read_only).unwrap();
        connection.open_anew().unwrap();
        assert!(!connection.is_in_transaction());
        for (setting, expected) in [("query_only", i64::from(is_read_only)), ("foreign_keys", 1), ("synchronous", 2)] {
            let value: i64 = connection.connection.pragma_query_value(None, setting, |row| row.get(0)).unwrap();
            assert_eq!(value, expected, "{setting}");
        }
        // Nobody holds the lock any more, and nothing of it stayed.
        let other = FileConnection::open(&path(&folder), true).unwrap();
        other.command("INSERT INTO claims (event, claimed_ms) VALUES (1, 0)").unwrap();
        other.command("DELETE FROM claims").unwrap();
    }
}
