//! Which databases of a PostgreSQL server the store opens, and which it refuses with which exit code.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use sqlx::{Connection as _, PgConnection};

use crate::store::{NOW, Steps as _, Trial};
use candor_core::inbound::{Caller, EventId};
use candor_core::testing::ran;
use candor_engine::ReceiptBook as _;
use candor_engine::executor::Ledger as _;
use candor_store::{Address, Database, ServerError};

/// Opens a database that cannot be opened. Every message names the file with the address, and none says what it is.
async fn refused(trial: &Trial) -> ServerError {
    let refused = Database::open_server(&Address::read(&trial.url_file()).unwrap()).await.unwrap_err();
    told(&trial.url_file(), &refused);
    refused
}

fn told(file: &Path, refused: &ServerError) {
    let text = refused.to_string();
    assert!(text.contains(&file.display().to_string()), "{text}");
    assert!(!text.contains("://") || text.contains("`postgres://USER:PASSWORD@HOST/DATABASE`"), "{text}");
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_left_as_it_is() {
    let Some(trial) = Trial::on_postgres().await else { return };
    trial.open().await.close().await;
    trial.tamper("INSERT INTO candor_steps VALUES (99, 'later', '')").await;
    let refused = refused(&trial).await;
    assert!(matches!(refused, ServerError::Newer { found: 99, known: 24, .. }), "{refused:?}");
    assert_eq!(refused.exit_code(), 78);
    assert_eq!(
        trial.numbers("SELECT version FROM candor_steps ORDER BY version").await,
        (1..=24).chain([99]).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn a_database_of_a_different_build_is_refused() {
    let Some(trial) = Trial::on_postgres().await else { return };
    trial.open().await.close().await;
    trial.tamper("UPDATE candor_steps SET checksum = ''").await;
    let refused = refused(&trial).await;
    assert!(matches!(refused, ServerError::OtherBuild { found: 1, .. }), "{refused:?}");
    assert_eq!(refused.exit_code(), 78);
}

#[tokio::test]
async fn a_database_of_another_program_is_refused_and_left_as_it_is() {
    let Some(trial) = Trial::on_postgres().await else { return };
    trial.tamper("CREATE TABLE turns (player TEXT)").await;
    let refused = refused(&trial).await;
    assert!(matches!(refused, ServerError::AnotherProgram { .. }), "{refused:?}");
    assert_eq!(refused.exit_code(), 78);
    let tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'";
    assert_eq!(trial.numbers(tables).await, [1]);
}

#[tokio::test]
async fn a_database_that_is_not_there_and_a_user_without_rights_are_told() {
    let Some(trial) = Trial::on_postgres().await else { return };
    let address = std::fs::read_to_string(trial.url_file()).unwrap();
    trial.tamper("DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN").await;
    for changed in [address.replace("/test_", "/missing_"), address.replace("candor@", "guest@")] {
        std::fs::write(trial.url_file(), changed).unwrap();
        let refused = refused(&trial).await;
        assert!(matches!(refused, ServerError::Refused { .. }), "{refused:?}");
        assert_eq!(refused.exit_code(), 78);
    }
    std::fs::write(trial.url_file(), "postgres://candor@localhost/any?host=/nowhere").unwrap();
    let unreachable = refused(&trial).await;
    assert!(matches!(unreachable, ServerError::Failed { .. }), "{unreachable:?}");
    assert_eq!(unreachable.exit_code(), 69);
}

#[tokio::test]
async fn every_step_is_taken_once_also_by_many_who_start_at_once() {
    let Some(trial) = Trial::on_postgres().await else { return };
    let (first, second, third) = tokio::join!(trial.open(), trial.open(), trial.open());
    assert_eq!(trial.numbers("SELECT version FROM candor_steps ORDER BY version").await, (1..=24).collect::<Vec<_>>());
    for store in [first, second, third] {
        store.close().await;
        let closed = store.claim(EventId(1), NOW).await.unwrap_err();
        assert_eq!(closed.to_string(), "the store failed: it is closed");
    }
}

#[tokio::test]
async fn a_store_whose_connections_were_cut_connects_again() {
    let Some(trial) = Trial::on_postgres().await else { return };
    let store = trial.open().await;
    for event in 1..=3 {
        assert!(store.claim(EventId(event), NOW).await.unwrap(), "{event}");
        trial
            .tamper(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity \
                 WHERE datname = current_database() AND pid <> pg_backend_pid()",
            )
            .await;
    }
    assert!(!store.claim(EventId(3), NOW).await.unwrap());
}

#[tokio::test]
async fn what_another_process_keeps_locked_is_told_and_passes() {
    let Some(trial) = Trial::on_postgres().await else { return };
    let store = trial.open().await;
    let mut other = PgConnection::connect(&std::fs::read_to_string(trial.url_file()).unwrap()).await.unwrap();
    let lock = "SELECT pg_advisory_lock(hashtextextended('candor receipts', 0))";
    sqlx::raw_sql(lock).execute(&mut other).await.unwrap();
    let refused = store.append(&ran(1, "note")).await.unwrap_err();
    assert_eq!(refused.to_string(), "the store failed: another process kept the database locked");
    other.close().await.unwrap();
    store.append(&ran(1, "note")).await.unwrap();
    assert_eq!(store.verify_chain().await.unwrap(), None);
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_told_and_its_connection_is_closed() {
    let Some(trial) = Trial::on_postgres().await else { return };
    let store = Arc::new(trial.open().await);
    let mut other = PgConnection::connect(&std::fs::read_to_string(trial.url_file()).unwrap()).await.unwrap();
    sqlx::raw_sql("BEGIN; LOCK TABLE claims").execute(&mut other).await.unwrap();
    let claim = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.claim(EventId(1), NOW).await }
    });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while trial.numbers(waits).await == [0] {
        assert!(!claim.is_finished(), "it does not wait");
    }
    // The server's own limit comes first by the real clock. This one goes ahead at once while everybody waits.
    tokio::time::pause();
    let late = claim.await.unwrap().unwrap_err();
    tokio::time::resume();
    let told = "the store failed: the database server did not answer in time: it is down, or too many calls are waiting \
                for it";
    assert_eq!(late.to_string(), told);
    other.close().await.unwrap();
    assert!(store.claim(EventId(1), NOW).await.unwrap(), "what was cut off is not stored");
}

#[tokio::test]
async fn all_who_wait_for_a_number_are_told_at_once_that_there_is_none() {
    let Some(trial) = Trial::on_postgres().await else { return };
    let store = Arc::new(trial.open().await);
    let mut other = PgConnection::connect(&std::fs::read_to_string(trial.url_file()).unwrap()).await.unwrap();
    sqlx::raw_sql("BEGIN; LOCK TABLE sequences").execute(&mut other).await.unwrap();
    let numbers = tokio::spawn({
        let store = Arc::clone(&store);
        async move { join_all((0..5).map(|_| store.number())).await }
    });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while trial.numbers(waits).await == [0] {
        assert!(!numbers.is_finished(), "they do not wait");
    }
    tokio::time::pause();
    let begun = tokio::time::Instant::now();
    let numbers = numbers.await.unwrap();
    let took = begun.elapsed();
    tokio::time::resume();
    assert!(numbers.iter().all(Result::is_err), "{numbers:?}");
    assert!(took < Duration::from_secs(15), "{took:?}: each waited for the time limit of the one before");
    other.close().await.unwrap();
    assert_eq!(store.number().await.unwrap(), 1);
}

#[tokio::test]
async fn among_many_refreshes_the_receipts_of_a_person_are_found_by_their_index() {
    let Some(trial) = Trial::on_postgres().await else { return };
    let store = trial.open().await;
    for number in 1..=3 {
        store.append(&ran(number, "note")).await.unwrap();
    }
    let receipt = ran(1, "note");
    let (caller, place) = (receipt.facts().caller, receipt.facts().place);
    // Those of a live message have the same caller and place.
    trial
        .tamper(
            "INSERT INTO receipts (number, command, arguments, caller, place, started_ms, took_us, outcome, origin, \
             digest, link) SELECT 100 + n, command, '{}', caller, place, n, 1, 'done', 'refreshed', digest, \
             sha256(int4send(n)) FROM generate_series(1, 20000) AS n, receipts WHERE number = 1; ANALYZE receipts",
        )
        .await;
    let read = "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'receipts_by_caller'";
    let scanned = "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'receipts'";
    let before = (trial.numbers(read).await[0], trial.numbers(scanned).await[0]);
    let (store, caller) = (trial.restart(store).await, Caller::new(caller, "somebody"));
    for _ in 0..10 {
        assert!(store.last(&caller, place, "/receipt").await.unwrap().is_some());
        assert_eq!(store.list(&caller, place, "/receipt", 0..9).await.unwrap().total, 3);
    }
    // The server counts what a connection did at its end, a moment later.
    store.close().await;
    while trial.numbers(read).await[0] <= before.0 {}
    assert!(trial.numbers(read).await[0] - before.0 <= 100, "it reads what it does not show");
    assert!(trial.numbers(scanned).await[0] - before.1 < 20_000, "it reads the whole table");
}

#[tokio::test]
async fn receipts_form_one_chain_whatever_isolation_the_database_prefers() {
    let Some(trial) = Trial::on_postgres().await else { return };
    // A transaction that sees the chain as it was before it waited would append to a receipt that is no longer the
    // last.
    let preferred = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = %L', \
                     current_database(), 'repeatable read'); END $$";
    trial.tamper(preferred).await;
    let store = trial.open().await;
    let receipts: Vec<_> = (1..=30).map(|number| ran(number, "note")).collect();
    let appended = join_all(receipts.iter().map(|receipt| store.append(receipt))).await;
    assert!(appended.iter().all(Result::is_ok), "{appended:?}");
    assert_eq!(store.verify_chain().await.unwrap(), None);
}

#[test]
fn a_file_that_holds_no_address_is_refused_and_its_text_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("url");
    for text in ["", "secret", "mysql://candor:secret@localhost/candor", "postgres://candor:secret@[::/candor"] {
        std::fs::write(&file, text).unwrap();
        let refused = Address::read(&file).unwrap_err();
        assert!(matches!(refused, ServerError::NoAddress { .. }), "{text}: {refused:?}");
        assert!(!refused.to_string().contains("secret"), "{refused}");
        told(&file, &refused);
    }
    for parameter in ["sslpassword=secret", "sslmode=require&secret", "SSLMODE=secret", "%73slmode=secret", "&=secret"]
    {
        std::fs::write(&file, format!("postgres://candor@localhost/candor?{parameter}")).unwrap();
        let refused = Address::read(&file).unwrap_err();
        assert!(matches!(refused, ServerError::UnknownParameter { .. }), "{parameter}: {refused:?}");
        assert!(!refused.to_string().contains("secret"), "{refused}");
        assert_eq!(refused.exit_code(), 78);
        told(&file, &refused);
    }
    let missing = Address::read(&folder.path().join("none")).unwrap_err();
    assert!(matches!(missing, ServerError::Unreadable { .. }), "{missing:?}");
    std::fs::write(&file, "postgres://candor:secret@localhost/candor\n").unwrap();
    assert_eq!(format!("{:?}", Address::read(&file).unwrap()), "Address(…)");
}
