//! Tests that need the connection itself: its settings, a full disk, a cancelled call.

use serde_json::json;
use sqlx::{SqlitePool, query, query_scalar};

use super::*;
use crate::host::executor::Ledger;
use candor_core::contract::Records;
use candor_core::inbound::EventId;

async fn pragma<T>(pool: &SqlitePool, statement: &'static str) -> T
where
    T: for<'r> sqlx::Decode<'r, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite> + Send + Unpin,
{
    query_scalar(statement).fetch_one(pool).await.unwrap()
}

#[tokio::test]
async fn every_commit_is_synced_to_the_write_ahead_log() {
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&folder.path().join("store.db")).await.unwrap();

    assert_eq!(pragma::<String>(&store.writer, "PRAGMA journal_mode").await, "wal");
    assert_eq!(pragma::<i64>(&store.writer, "PRAGMA synchronous").await, 2);
    assert_eq!(pragma::<i64>(&store.writer, "PRAGMA foreign_keys").await, 1);
    assert_eq!(pragma::<i64>(&store.writer, "PRAGMA secure_delete").await, 1);
    assert_eq!(pragma::<i64>(&store.writer, "PRAGMA busy_timeout").await, 5_000);
    assert_eq!(store.writer.options().get_max_connections(), 1);
}

#[tokio::test]
async fn readers_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&folder.path().join("store.db")).await.unwrap();
    let refused = query("DELETE FROM claims").execute(&store.readers).await.unwrap_err();
    assert_eq!(cause::Cause::of(&refused), cause::Cause::ReadOnly);
}

#[tokio::test]
async fn a_full_disk_is_said_loses_nothing_and_passes() {
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&folder.path().join("store.db")).await.unwrap();
    let pages: i64 = pragma(&store.writer, "PRAGMA page_count").await;
    // SQLite answers at this limit as it does when the disk is full.
    let limit = format!("PRAGMA max_page_count = {}", pages + 20);
    query(sqlx::AssertSqlSafe(limit)).execute(&store.writer).await.unwrap();

    let body = json!({"text": "x".repeat(3_000)});
    let mut kept = Vec::new();
    let refused = loop {
        match store.add("notes", "console", &body, usize::MAX).await {
            Ok(id) => kept.push((id, body.clone())),
            Err(refused) => break refused,
        }
    };
    assert_eq!(refused.to_string(), "the store failed: the disk is full; nothing was written");
    assert!(!kept.is_empty());
    assert_eq!(store.list("notes", "console").await.unwrap(), kept);

    // The connection that saw the full disk is replaced, and the limit with it: there is room again.
    let next = store.add("notes", "console", &body, usize::MAX).await.unwrap();
    assert_eq!(Some(next), kept.last().map(|(last, _)| last + 1));
}

#[tokio::test]
async fn a_claim_that_a_full_disk_refused_was_not_won() {
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&folder.path().join("store.db")).await.unwrap();
    let pages: i64 = pragma(&store.writer, "PRAGMA page_count").await;
    query(sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"))).execute(&store.writer).await.unwrap();

    let mut won = Vec::new();
    let mut event = 0;
    let refused = loop {
        event += 1;
        match store.claim(EventId(event), std::time::UNIX_EPOCH).await {
            Ok(number) => won.push(number),
            Err(refused) => break refused,
        }
    };
    assert_eq!(refused.to_string(), "the store failed: the disk is full; nothing was written");
    assert_eq!(pragma::<i64>(&store.readers, "SELECT count(*) FROM claims").await, won.len() as i64);
}

#[tokio::test]
async fn a_write_given_up_half_way_leaves_nothing_and_blocks_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&folder.path().join("store.db")).await.unwrap();
    let mut transaction = store.begin().await.unwrap();
    query("INSERT INTO record_scopes VALUES ('notes', 'console', 7)").execute(&mut *transaction).await.unwrap();
    drop(transaction);

    assert_eq!(store.add("notes", "console", &json!("first"), 1).await.unwrap(), 1);
}

#[tokio::test]
async fn every_step_of_the_format_is_taken_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    for _start in 0..2 {
        let store = Sqlite::open(&path).await.unwrap();
        let taken: Vec<i64> = query_scalar("SELECT version FROM _sqlx_migrations ORDER BY version")
            .fetch_all(&store.readers)
            .await
            .unwrap();
        assert_eq!(taken, (1..=migrations::last_version()).collect::<Vec<_>>());
        assert_eq!(pragma::<i64>(&store.readers, "PRAGMA application_id").await, migrations::APPLICATION_ID);
        store.close().await;
    }
}
