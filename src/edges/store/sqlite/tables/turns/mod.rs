//! The records of chat turns.

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
        let turn = query("INSERT INTO turns (user, place, at_ms, record) VALUES (?, ?, ?, ?)");
        let turn = turn.bind(id_column(user.0)).bind(place.key()).bind(time_column(at)).bind(record);
        let number = self.write(turn).await?.last_insert_rowid().cast_unsigned();
        if number.is_multiple_of(TURNS_BETWEEN_REMOVALS) {
            self.remove_old_turns(at).await;
        }
        Ok(TurnId(number))
    }

    async fn shown(&self, turn: TurnId, messages: &[u64]) -> Result<(), ServiceError> {
        let mut transaction = self.begin().await?;
        for &message in messages {
            // Discord numbers messages once, so what a message shows never changes.
            let shown =
                query("INSERT INTO turn_messages (message, turn) VALUES (?, ?) ON CONFLICT (message) DO NOTHING");
            let shown = shown.bind(id_column(message)).bind(id_column(turn.0));
            shown.execute(&mut *transaction).await.map_err(service_error)?;
        }
        transaction.commit().await.map_err(service_error)
    }

    async fn turn(&self, id: TurnId) -> Result<Option<KeptTurn>, ServiceError> {
        self.read_one(query("SELECT * FROM turns WHERE number = ?").bind(id_column(id.0)), kept).await
    }

    async fn turn_of_message(&self, message: u64) -> Result<Option<KeptTurn>, ServiceError> {
        let turn = query("SELECT * FROM turns WHERE number = (SELECT turn FROM turn_messages WHERE message = ?)");
        self.read_one(turn.bind(id_column(message)), kept).await
    }

    async fn last_turn(&self, user: UserId, place: Place) -> Result<Option<KeptTurn>, ServiceError> {
        let last = query("SELECT * FROM turns WHERE user = ? AND place = ? ORDER BY number DESC LIMIT 1");
        self.read_one(last.bind(id_column(user.0)).bind(place.key()), kept).await
    }

    async fn claim_recovery(&self, turn: TurnId) -> Result<bool, ServiceError> {
        // One statement checks and claims: of two concurrent presses, one changes the row.
        let claim = query("UPDATE turns SET recovered = 1 WHERE number = ? AND recovered = 0");
        Ok(0 < self.write(claim.bind(id_column(turn.0))).await?.rows_affected())
    }

    async fn release_recovery(&self, turn: TurnId) -> Result<(), ServiceError> {
        self.write(query("UPDATE turns SET recovered = 0 WHERE number = ?").bind(id_column(turn.0))).await.map(drop)
    }
}

fn text_of(record: &TurnRecord) -> Result<String, ServiceError> {
    serde_json::to_string(&record.clone().bounded())
        .map_err(|problem| ServiceError::Store(format!("a turn cannot be written down: {problem}")))
}

impl Sqlite {
    /// Removes old turns with their messages. The current turn is kept whatever becomes of them: a failure is only
    /// logged.
    async fn remove_old_turns(&self, now: SystemTime) {
        let oldest_kept = now.checked_sub(TURNS_KEPT).map_or(0, time_column);
        if let Err(problem) = self.write(query("DELETE FROM turns WHERE at_ms < ?").bind(oldest_kept)).await {
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
