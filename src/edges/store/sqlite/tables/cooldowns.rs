//! Cooldowns: which keys are taken, and until when.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use sqlx::{query, query_scalar};

use crate::edges::store::sqlite::Sqlite;
use crate::edges::store::sqlite::cause::service_error;
use crate::edges::store::sqlite::columns::{id_column, time, time_column};
use crate::host::executor::{CooldownStore, Taking};
use candor_core::access::CooldownKey;
use candor_core::contract::ServiceError;
use candor_core::inbound::EventId;

/// The longest cooldown. A longer entry was written while the clock was wrong, and is ignored.
const LASTS_MAX: Duration = Duration::from_hours(24);

/// Rows removed at once. A command adds a dozen at most, so expired rows never pile up.
const REMOVED_MAX: u32 = 100;

#[async_trait]
impl CooldownStore for Sqlite {
    async fn take(
        &self,
        event: EventId,
        keys: &[(CooldownKey, Duration)],
        now: SystemTime,
    ) -> Result<Taking, ServiceError> {
        let now_ms = time_column(now);
        let latest_ms = now.checked_add(LASTS_MAX).map_or(i64::MAX, time_column);
        let mut transaction = self.begin().await?;
        let mut longest: Option<(i64, &CooldownKey)> = None;
        for (key, _) in keys {
            let taken = query_scalar::<_, i64>(
                "SELECT until_ms FROM cooldowns WHERE key = ? AND event <> ? AND until_ms > ? AND until_ms <= ?",
            );
            let taken = taken.bind(key.to_string()).bind(id_column(event.0)).bind(now_ms).bind(latest_ms);
            if let Some(until_ms) = taken.fetch_optional(&mut *transaction).await.map_err(service_error)?
                && longest.is_none_or(|(longest_ms, _)| longest_ms < until_ms)
            {
                longest = Some((until_ms, key));
            }
        }
        if let Some((until_ms, key)) = longest {
            return Ok(Taking::Wait { key: key.clone(), until: time(until_ms) });
        }
        for (key, lasts) in keys {
            // The same event takes nothing for longer than before.
            let taken = query(
                "INSERT INTO cooldowns (key, until_ms, event) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE \
                 SET until_ms = ?2, event = ?3 WHERE event <> ?3 OR until_ms > ?4",
            );
            let until_ms = now.checked_add(*lasts).map_or(latest_ms, time_column);
            let taken = taken.bind(key.to_string()).bind(until_ms).bind(id_column(event.0)).bind(latest_ms);
            taken.execute(&mut *transaction).await.map_err(service_error)?;
        }
        let over = query(
            "DELETE FROM cooldowns WHERE key IN \
             (SELECT key FROM cooldowns WHERE until_ms <= ? ORDER BY until_ms LIMIT ?)",
        );
        over.bind(now_ms).bind(REMOVED_MAX).execute(&mut *transaction).await.map_err(service_error)?;
        transaction.commit().await.map_err(service_error)?;
        Ok(Taking::Taken)
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use candor_core::access::CooldownKind;

    #[tokio::test]
    async fn what_is_over_is_removed_a_bounded_number_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&folder.path().join("store.db")).await.unwrap();
        let key = |id| CooldownKey { kind: CooldownKind::User, id, command: "/status".to_owned() };
        let second = Duration::from_secs(1);
        let many: Vec<_> = (0..150).map(|id| (key(id), second)).collect();
        store.take(EventId(1), &many, UNIX_EPOCH).await.unwrap();
        for left in [51, 2, 2] {
            let now = UNIX_EPOCH + second * 10;
            store.take(EventId(2), &[(key(1_000), second), (key(1_001), second)], now).await.unwrap();
            let kept: i64 = query_scalar("SELECT count(*) FROM cooldowns").fetch_one(&store.readers).await.unwrap();
            assert_eq!(kept, left + i64::from(left == 51));
        }
    }
}
