//! What counts towards the limits of Discord: pending IDENTIFYs, which are logins that have not led to a session yet, and
//! refused requests by the minute.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;

use crate::database::Database;
use candor_core::contract::ServiceError;
use candor_engine::{PendingLogins, REFUSALS_WITHIN, RefusedInMinute, RefusedRequests};

#[async_trait]
impl PendingLogins for Database {
    async fn login_made(&self, at: SystemTime) -> Result<(), ServiceError> {
        let made = "INSERT INTO logins (at_ms) VALUES ($1) ON CONFLICT (at_ms) DO NOTHING";
        self.execute(made, vec![at.into()]).await.map(drop)
    }

    async fn login_succeeded(&self, at: SystemTime) -> Result<(), ServiceError> {
        self.execute("DELETE FROM logins WHERE at_ms = $1", vec![at.into()]).await.map(drop)
    }

    async fn pending_logins(&self, since: SystemTime) -> Result<Vec<SystemTime>, ServiceError> {
        let pending = "SELECT at_ms FROM logins WHERE at_ms >= $1 ORDER BY at_ms LIMIT 1000";
        let rows = self.rows(pending, vec![since.into()]).await?;
        rows.into_iter().map(|mut row| row.take()).collect()
    }
}

const MINUTE: Duration = Duration::from_mins(1);

/// Adds to the stored count. Several processes may add at once.
const ADD: &str = "INSERT INTO refusals (ends_ms, n) VALUES ($1, $2) \
                   ON CONFLICT (ends_ms) DO UPDATE SET n = refusals.n + excluded.n";

#[async_trait]
impl RefusedRequests for Database {
    async fn add_refused(&self, n: u64, now: SystemTime) -> Result<Vec<RefusedInMinute>, ServiceError> {
        let first = now.checked_sub(REFUSALS_WITHIN).unwrap_or(UNIX_EPOCH);
        let last = end_of_minute(now);
        if 0 < n {
            self.write(move |connection| {
                Box::pin(async move {
                    connection.execute(ADD, &[last.into(), n.into()]).await?;
                    let others = "DELETE FROM refusals WHERE ends_ms < $1 OR ends_ms > $2";
                    connection.execute(others, &[first.into(), last.into()]).await
                })
            })
            .await?;
        }
        let lately = "SELECT ends_ms, n FROM refusals WHERE ends_ms >= $1 AND ends_ms <= $2 ORDER BY ends_ms LIMIT 20";
        let rows = self.rows(lately, vec![first.into(), last.into()]).await?;
        rows.into_iter().map(|mut row| Ok(RefusedInMinute { ends: row.take()?, n: row.take()? })).collect()
    }
}

fn end_of_minute(at: SystemTime) -> SystemTime {
    let minutes = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / MINUTE.as_secs();
    let ends = minutes.checked_add(1).and_then(|ended| ended.checked_mul(MINUTE.as_secs()));
    ends.and_then(|ends| UNIX_EPOCH.checked_add(Duration::from_secs(ends))).unwrap_or(at)
}
