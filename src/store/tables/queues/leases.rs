//! Leases, by name.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::database::Database;
use crate::tables::abandoned::LIVING;
use candor_core::contract::ServiceError;
use candor_engine::Leases;

/// The longest lease. A lease that ends later was taken while a clock was wrong, and is ignored.
const LASTS_MAX: Duration = Duration::from_hours(1);

#[async_trait]
impl Leases for Database {
    async fn take_lease(&self, name: &str, lasts: Duration, now: SystemTime) -> Result<bool, ServiceError> {
        let taken = "INSERT INTO leases (name, lessee, until_ms) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE \
                     SET lessee = excluded.lessee, until_ms = excluded.until_ms \
                     WHERE leases.lessee = excluded.lessee OR leases.until_ms <= $4 OR leases.until_ms > $5";
        let until = now + lasts.min(LASTS_MAX);
        let latest = now + LASTS_MAX;
        let values = vec![name.into(), self.lessee.into(), until.into(), now.into(), latest.into()];
        Ok(self.execute(taken, values).await? == 1)
    }

    async fn give_back_lease(&self, name: &str) -> Result<(), ServiceError> {
        let given_back = "DELETE FROM leases WHERE name = $1 AND lessee = $2";
        self.execute(given_back, vec![name.into(), self.lessee.into()]).await.map(drop)
    }

    async fn lives(&self, lasts: Duration, now: SystemTime) -> Result<(), ServiceError> {
        if !self.is_on_a_server() {
            return Ok(());
        }
        self.take_lease(&self.living(), lasts, now).await?;
        // Removes the leases of processes that were killed.
        let over = now.checked_sub(LASTS_MAX).unwrap_or(SystemTime::UNIX_EPOCH);
        self.execute("DELETE FROM leases WHERE until_ms < $1", vec![over.into()]).await.map(drop)
    }

    async fn has_ended(&self) -> Result<(), ServiceError> {
        if !self.is_on_a_server() {
            return Ok(());
        }
        self.give_back_lease(&self.living()).await
    }
}

impl Database {
    /// Returns the name of the lease that shows that this process lives.
    fn living(&self) -> String {
        format!("{LIVING}{}", self.lessee.cast_signed())
    }

    /// Ends the leases of earlier processes and releases the work they left open. Requires that this process is alone.
    pub(crate) async fn inherit(&self) -> Result<(), ServiceError> {
        let lessee = self.lessee;
        self.write(move |connection| {
            Box::pin(async move {
                for others in [
                    "DELETE FROM leases WHERE lessee <> $1",
                    "UPDATE intents SET lessee = NULL WHERE lessee <> $1",
                    "UPDATE open_replies SET lessee = NULL WHERE lessee <> $1",
                    "UPDATE sessions SET lessee = NULL WHERE lessee <> $1",
                ] {
                    connection.execute(others, &[lessee.into()]).await?;
                }
                Ok(())
            })
        })
        .await
    }
}
