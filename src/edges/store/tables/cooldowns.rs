//! Cooldowns: which keys are taken, and until when.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::edges::store::database::Database;
use crate::edges::store::sql::Connection;
use crate::host::executor::{CooldownStore, Taking};
use candor_core::access::CooldownKey;
use candor_core::contract::ServiceError;
use candor_core::inbound::EventId;

/// The longest cooldown. A longer entry was written while the clock was wrong, and is ignored.
const LASTS_MAX: Duration = Duration::from_hours(24);

/// Rows removed at once. A command adds a dozen at most, so expired rows never pile up.
const REMOVED_MAX: i64 = 100;

#[async_trait]
impl CooldownStore for Database {
    async fn take(
        &self,
        event: EventId,
        keys: &[(CooldownKey, Duration)],
        now: SystemTime,
    ) -> Result<Taking, ServiceError> {
        let keys = keys.to_vec();
        self.write(move |connection| Box::pin(take(connection, event, keys, now))).await
    }
}

/// Takes every key or none.
pub(super) async fn take(
    connection: &mut dyn Connection,
    event: EventId,
    mut keys: Vec<(CooldownKey, Duration)>,
    now: SystemTime,
) -> Result<Taking, ServiceError> {
    let latest = now.checked_add(LASTS_MAX).unwrap_or(now);
    // In one order everywhere.
    keys.sort();
    let mut longest: Option<(SystemTime, &CooldownKey)> = None;
    for (key, _) in &keys {
        let name = key.to_string();
        connection.lock(&name).await?;
        let taken =
            "SELECT until_ms FROM cooldowns WHERE key = $1 AND event <> $2 AND until_ms > $3 AND until_ms <= $4";
        let taken = connection.value(taken, &[name.into(), event.0.into(), now.into(), latest.into()]).await?;
        if let Some(until) = taken
            && longest.is_none_or(|(longest, _)| longest < until)
        {
            longest = Some((until, key));
        }
    }
    if let Some((until, key)) = longest {
        return Ok(Taking::Wait { key: key.clone(), until });
    }
    for (key, lasts) in &keys {
        // The same event takes nothing for longer than before.
        let taken = "INSERT INTO cooldowns (key, until_ms, event) VALUES ($1, $2, $3) ON CONFLICT (key) DO UPDATE \
                     SET until_ms = $2, event = $3 WHERE cooldowns.event <> $3 OR cooldowns.until_ms > $4";
        let until = now.checked_add(*lasts).unwrap_or(latest);
        let values = [key.to_string().into(), until.into(), event.0.into(), latest.into()];
        connection.execute(taken, &values).await?;
    }
    let over = match connection.is_shared() {
        false => {
            "DELETE FROM cooldowns WHERE key IN \
             (SELECT key FROM cooldowns WHERE until_ms <= $1 ORDER BY until_ms LIMIT $2)"
        }
        true => {
            "DELETE FROM cooldowns WHERE key IN \
             (SELECT key FROM cooldowns WHERE until_ms <= $1 ORDER BY until_ms LIMIT $2 FOR UPDATE SKIP LOCKED)"
        }
    };
    connection.execute(over, &[now.into(), REMOVED_MAX.into()]).await?;
    Ok(Taking::Taken)
}
