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

impl Database {
    /// Returns whether a head was published in a place, or a try to do so failed.
    pub async fn has_published(&self, place: &str) -> Result<bool, ServiceError> {
        let turn = self.row("SELECT last FROM sequences WHERE name = $1", vec![name(place).into()]).await?;
        Ok(turn.is_some())
    }
}

#[async_trait]
impl PublishedHeads for Database {
    async fn newest_head(&self) -> Result<Option<SignedHead>, ServiceError> {
        // The last rows may be gone from the store.
        let committed = self.signer.as_ref().and_then(|signer| signer.last_committed());
        Ok(self.last_head().await?.into_iter().chain(committed).max_by_key(|head| head.head.position))
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
