//! Cooldowns: which keys are taken, and until when.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::database::Database;
use crate::sql::{Connection, Param};
use candor_core::access::CooldownKey;
use candor_core::contract::ServiceError;
use candor_core::inbound::EventId;
use candor_engine::executor::{CooldownStore, Wait};

/// The longest cooldown. A longer entry was written while the clock was wrong and is ignored.
const LASTS_MAX: Duration = Duration::from_hours(24);

/// Rows removed at once. A command adds a dozen at most, so expired rows never pile up.
const REMOVED_MAX: i64 = 100;

#[async_trait]
impl CooldownStore for Database {
    async fn waiting(
        &self,
        event: EventId,
        keys: &[CooldownKey],
        now: SystemTime,
    ) -> Result<Option<Wait>, ServiceError> {
        let mut longest = None;
        for key in keys {
            let mut taken = self.rows(TAKEN, taken(event, key, now)).await?.into_iter();
            note(&mut longest, key, taken.next().map(|mut row| row.take()).transpose()?);
        }
        Ok(longest)
    }
}

/// Selects until when another event holds a key.
const TAKEN: &str =
    "SELECT until_ms FROM cooldowns WHERE key = $1 AND event <> $2 AND until_ms > $3 AND until_ms <= $4";

fn taken(event: EventId, key: &CooldownKey, now: SystemTime) -> Vec<Param> {
    vec![key.to_string().into(), event.0.into(), now.into(), latest(now).into()]
}

fn latest(now: SystemTime) -> SystemTime {
    now.checked_add(LASTS_MAX).unwrap_or(now)
}

fn note(longest: &mut Option<Wait>, key: &CooldownKey, until: Option<SystemTime>) {
    if let Some(until) = until
        && longest.as_ref().is_none_or(|longest| longest.until < until)
    {
        *longest = Some(Wait { key: key.clone(), until });
    }
}

/// Takes every key for its time from now, or none and returns the cooldown that lasts longest. A key that the same
/// event took before counts as free, and its cooldown is not extended.
pub(super) async fn take(
    connection: &mut dyn Connection,
    event: EventId,
    mut keys: Vec<(CooldownKey, Duration)>,
    now: SystemTime,
) -> Result<Option<Wait>, ServiceError> {
    if keys.is_empty() {
        return Ok(None);
    }
    let latest = latest(now);
    // The same order everywhere avoids deadlocks.
    keys.sort();
    let mut longest = None;
    for (key, _) in &keys {
        connection.lock(&key.to_string()).await?;
        note(&mut longest, key, connection.value(TAKEN, &taken(event, key, now)).await?);
    }
    if longest.is_some() {
        return Ok(longest);
    }
    for (key, lasts) in &keys {
        // The same event never extends its cooldown.
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
    Ok(None)
}
