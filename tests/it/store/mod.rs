//! The store on real files: what it keeps over restarts, what it keeps apart, and what it refuses to open.
//!
//! Receipts are tested beside the ledger, where an executor can be given commands of the test's own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by failing")]

mod claims;
mod conversations;
mod cooldowns;
mod history;
mod opening;
mod records;
mod registrations;
mod turns;

use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::{TempDir, tempdir};

use candor::edges::store::Sqlite;

const NOW: SystemTime = UNIX_EPOCH;

/// A new store in a folder of its own, which goes when the test ends.
async fn store() -> (TempDir, Sqlite) {
    let folder = tempdir().unwrap();
    let store = open(&folder).await;
    (folder, store)
}

async fn open(folder: &TempDir) -> Sqlite {
    Sqlite::open(&folder.path().join("store.db")).await.unwrap()
}

async fn restart(folder: &TempDir, store: Sqlite) -> Sqlite {
    store.close().await;
    open(folder).await
}
