//! Remembers in `sequences` when the head was last published in each place, so that one process publishes it.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::database::Database;
use candor_core::contract::ServiceError;
use candor_core::record::SignedHead;
use candor_engine::PublishedHeads;

fn name(place: &str) -> String {
    format!("published {place}")
}

#[async_trait]
impl PublishedHeads for Database {
    async fn newest_head(&self) -> Result<Option<SignedHead>, ServiceError> {
        self.last_head().await
    }

    async fn takes_turn(&self, place: &str, now: SystemTime, every: Duration) -> Result<bool, ServiceError> {
        let taken = "INSERT INTO sequences (name, last) VALUES ($1, $2) ON CONFLICT (name) \
                     DO UPDATE SET last = excluded.last WHERE sequences.last <= $3 OR sequences.last > $2";
        let before = now.checked_sub(every).unwrap_or(SystemTime::UNIX_EPOCH);
        Ok(self.execute(taken, vec![name(place).into(), now.into(), before.into()]).await? == 1)
    }

    async fn gives_back(&self, place: &str, until: SystemTime, every: Duration) -> Result<(), ServiceError> {
        let last = until.checked_sub(every).unwrap_or(SystemTime::UNIX_EPOCH);
        let given = "UPDATE sequences SET last = $1 WHERE name = $2";
        self.execute(given, vec![last.into(), name(place).into()]).await.map(drop)
    }
}
