//! The records of chat turns.

mod bounded;
#[cfg(test)]
mod tests;

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, query};
use tracing::warn;

use crate::edges::store::sqlite::Sqlite;
use crate::edges::store::sqlite::cause::service_error;
use crate::edges::store::sqlite::columns::{id, id_column, time, time_column};
use bounded::bounded;
use candor_core::agent::Turns;
use candor_core::contract::ServiceError;
use candor_core::inbound::{Place, UserId};
use candor_core::record::{KeptTurn, TurnId, TurnRecord};

/// How long turns are stored. Nobody is expected to ask about an older reply, nor about what was removed from it.
const TURNS_KEPT: Duration = Duration::from_hours(24 * 90);

/// Old turns are removed at every turn whose number is a multiple of this.
const TURNS_BETWEEN_REMOVALS: u64 = 100;

#[async_trait]
impl Turns for Sqlite {
    async fn keep(
        &self,
        user: UserId,
        place: Place,
        at: SystemTime,
        record: &TurnRecord,
    ) -> Result<TurnId, ServiceError> {
        let record = text_of(record)?;
        let inserted = query("INSERT INTO turns (user, place, at_ms, record) VALUES (?, ?, ?, ?)")
            .bind(id_column(user.0))
            .bind(place.key())
            .bind(time_column(at))
            .bind(record)
            .execute(&self.writer)
            .await
            .map_err(service_error)?;
        let number = inserted.last_insert_rowid().cast_unsigned();
        if number.is_multiple_of(TURNS_BETWEEN_REMOVALS) {
            self.remove_old_turns(at).await;
        }
        Ok(TurnId(number))
    }

    async fn amend(&self, turn: TurnId, record: &TurnRecord) -> Result<(), ServiceError> {
        query("UPDATE turns SET record = ? WHERE number = ?")
            .bind(text_of(record)?)
            .bind(id_column(turn.0))
            .execute(&self.writer)
            .await
            .map(drop)
            .map_err(service_error)
    }

    async fn shown(&self, turn: TurnId, messages: &[u64]) -> Result<(), ServiceError> {
        let mut transaction = self.begin().await?;
        for &message in messages {
            // Discord numbers messages once, so what a message shows never changes.
            query("INSERT INTO turn_messages (message, turn) VALUES (?, ?) ON CONFLICT (message) DO NOTHING")
                .bind(id_column(message))
                .bind(id_column(turn.0))
                .execute(&mut *transaction)
                .await
                .map_err(service_error)?;
        }
        transaction.commit().await.map_err(service_error)
    }

    async fn turn(&self, id: TurnId) -> Result<Option<KeptTurn>, ServiceError> {
        let row =
            query("SELECT * FROM turns WHERE number = ?").bind(id_column(id.0)).fetch_optional(&self.readers).await;
        row.and_then(|row| row.as_ref().map(kept).transpose()).map_err(service_error)
    }

    async fn turn_of_message(&self, message: u64) -> Result<Option<KeptTurn>, ServiceError> {
        let row = query("SELECT * FROM turns WHERE number = (SELECT turn FROM turn_messages WHERE message = ?)")
            .bind(id_column(message))
            .fetch_optional(&self.readers)
            .await;
        row.and_then(|row| row.as_ref().map(kept).transpose()).map_err(service_error)
    }

    async fn last_turn(&self, user: UserId, place: Place) -> Result<Option<KeptTurn>, ServiceError> {
        let row = query("SELECT * FROM turns WHERE user = ? AND place = ? ORDER BY number DESC LIMIT 1")
            .bind(id_column(user.0))
            .bind(place.key())
            .fetch_optional(&self.readers)
            .await;
        row.and_then(|row| row.as_ref().map(kept).transpose()).map_err(service_error)
    }

    async fn claim_recovery(&self, turn: TurnId) -> Result<bool, ServiceError> {
        // One statement checks and claims: of two concurrent presses, one changes the row.
        let claimed = query("UPDATE turns SET recovered = 1 WHERE number = ? AND recovered = 0")
            .bind(id_column(turn.0))
            .execute(&self.writer)
            .await
            .map_err(service_error)?;
        Ok(0 < claimed.rows_affected())
    }

    async fn release_recovery(&self, turn: TurnId) -> Result<(), ServiceError> {
        query("UPDATE turns SET recovered = 0 WHERE number = ?")
            .bind(id_column(turn.0))
            .execute(&self.writer)
            .await
            .map(drop)
            .map_err(service_error)
    }
}

fn text_of(record: &TurnRecord) -> Result<String, ServiceError> {
    serde_json::to_string(&bounded(record))
        .map_err(|problem| ServiceError::Store(format!("a turn cannot be written down: {problem}")))
}

impl Sqlite {
    /// Removes old turns with their messages. The current turn is kept whatever becomes of them: a failure is only
    /// logged.
    async fn remove_old_turns(&self, now: SystemTime) {
        let oldest_kept = now.checked_sub(TURNS_KEPT).map_or(0, time_column);
        let removed = query("DELETE FROM turns WHERE at_ms < ?").bind(oldest_kept).execute(&self.writer).await;
        if let Err(problem) = removed.map_err(service_error) {
            warn!(error = %problem, "old chat turns could not be removed");
        }
    }
}

fn kept(row: &SqliteRow) -> Result<KeptTurn, sqlx::Error> {
    let place: String = row.try_get("place")?;
    let record: String = row.try_get("record")?;
    Ok(KeptTurn {
        id: TurnId(id(row.try_get("number")?)),
        user: UserId(id(row.try_get("user")?)),
        place: Place::from_key(&place).ok_or_else(|| unreadable("place"))?,
        at: time(row.try_get("at_ms")?),
        record: serde_json::from_str(&record).map_err(|_| unreadable("record"))?,
        recovered: row.try_get("recovered")?,
    })
}

fn unreadable(column: &str) -> sqlx::Error {
    sqlx::Error::Decode(format!("a turn's {column} says nothing this program has ever written").into())
}
