//! The ledger: event claims, and receipts in a hash chain.

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use futures_util::TryStreamExt as _;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, query, query_scalar};
use tracing::warn;

use crate::edges::store::sqlite::Sqlite;
use crate::edges::store::sqlite::cause::service_error;
use crate::edges::store::sqlite::columns::{id, id_column, time, time_column};
use crate::host::executor::Ledger;
use candor_core::agent::Turns;
use candor_core::contract::{ReceiptBook, ReceiptList, ServiceError};
use candor_core::inbound::{Caller, EventId, Place, UserId};
use candor_core::record::{
    Digest, Facts, KeptTurn, LedgerEntry, Origin, Outcome, Receipt, ReceiptId, Source, microseconds,
};

/// Discord delivers an event again within minutes, if at all.
const CLAIMS_KEPT: Duration = Duration::from_hours(24);

/// Old claims are removed at every claim whose number is a multiple of this.
const CLAIMS_BETWEEN_REMOVALS: u64 = 1_000;

#[async_trait]
impl Ledger for Sqlite {
    async fn claim(&self, event: EventId, at: SystemTime) -> Result<Option<u64>, ServiceError> {
        // A conflict clause would do too, but would use up a number each time. `execute` runs the statement to
        // its end, where SQLite commits and where a full disk shows; to fetch what an insert returns would stop
        // at its row, and that error would be lost.
        let claim = query(
            "INSERT INTO claims (event, claimed_ms) SELECT ?1, ?2 WHERE NOT EXISTS \
             (SELECT 1 FROM claims WHERE event = ?1)",
        );
        let inserted = self.write(claim.bind(id_column(event.0)).bind(time_column(at))).await?;
        if inserted.rows_affected() == 0 {
            return Ok(None);
        }
        let number = inserted.last_insert_rowid().cast_unsigned();
        if number.is_multiple_of(CLAIMS_BETWEEN_REMOVALS) {
            self.remove_old_claims(at).await;
        }
        Ok(Some(number))
    }

    async fn append(&self, receipt: &Receipt) -> Result<(), ServiceError> {
        let mut transaction = self.begin().await?;
        let last = query_scalar("SELECT link FROM receipts ORDER BY position DESC LIMIT 1");
        let last = last.fetch_optional(&mut *transaction).await;
        let previous = last.and_then(|last| last.map_or(Ok(Digest::START), digest)).map_err(service_error)?;
        let facts = receipt.facts();
        query(
            "INSERT INTO receipts (number, command, arguments, caller, place, started_ms, took_us, outcome, \
             origin, source_name, source_as_of_ms, digest, link) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(id_column(receipt.id().number()))
        .bind(&facts.command)
        .bind(&facts.arguments)
        .bind(id_column(facts.caller.0))
        .bind(facts.place.key())
        .bind(time_column(facts.started))
        .bind(microseconds(facts.took))
        .bind(facts.outcome.name())
        .bind(facts.origin.name())
        .bind(facts.source.as_ref().map(|source| source.name.as_str()))
        .bind(facts.source.as_ref().and_then(|source| source.as_of).map(time_column))
        .bind(&receipt.digest().0[..])
        .bind(&receipt.link(previous).0[..])
        .execute(&mut *transaction)
        .await
        .map_err(service_error)?;
        transaction.commit().await.map_err(service_error)
    }

    async fn keep_answer(&self, id: ReceiptId, content: &str, at: SystemTime) -> Result<(), ServiceError> {
        self.insert_answer(id, content, at).await
    }
}

#[async_trait]
impl ReceiptBook for Sqlite {
    async fn find(&self, id: ReceiptId) -> Result<Option<LedgerEntry>, ServiceError> {
        self.read_one(query("SELECT * FROM receipts WHERE number = ?").bind(id_column(id.number())), entry).await
    }

    async fn last(&self, caller: &Caller, place: Place, except: &str) -> Result<Option<LedgerEntry>, ServiceError> {
        let last = query(
            "SELECT * FROM receipts WHERE caller = ? AND place = ? AND command <> ? AND origin <> 'refreshed' \
             ORDER BY position DESC LIMIT 1",
        );
        self.read_one(last.bind(id_column(caller.id.0)).bind(place.key()).bind(except), entry).await
    }

    async fn kept_answer(&self, id: ReceiptId, now: SystemTime) -> Result<Option<String>, ServiceError> {
        self.select_answer(id, now).await
    }

    async fn list(
        &self,
        caller: &Caller,
        place: Place,
        except: &str,
        range: Range<u64>,
    ) -> Result<ReceiptList, ServiceError> {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        // Two statements: a receipt that comes between them is counted or listed with the next page.
        let total = query_scalar::<_, i64>(
            "SELECT count(*) FROM receipts WHERE caller = ? AND place = ? AND command <> ? AND origin <> 'refreshed'",
        );
        let total = total.bind(id_column(caller.id.0)).bind(place.key()).bind(except);
        let total = total.fetch_one(&self.readers).await.map_err(service_error)?;
        let rows = query(
            "SELECT * FROM receipts WHERE caller = ? AND place = ? AND command <> ? AND origin <> 'refreshed' \
             ORDER BY position DESC LIMIT ? OFFSET ?",
        );
        let rows = rows.bind(id_column(caller.id.0)).bind(place.key()).bind(except);
        let rows = rows.bind(number(range.end.saturating_sub(range.start))).bind(number(range.start));
        let entries = self.read_all(rows, entry).await?;
        Ok(ReceiptList { entries, total: total.try_into().unwrap_or_default() })
    }

    async fn turn_of_message(&self, message: u64) -> Result<Option<KeptTurn>, ServiceError> {
        Turns::turn_of_message(self, message).await
    }

    async fn last_turn(&self, caller: &Caller, place: Place) -> Result<Option<KeptTurn>, ServiceError> {
        Turns::last_turn(self, caller.id, place).await
    }
}

impl Sqlite {
    /// Follows the chain from its start and returns the first receipt that is not as it was stored, or that does not
    /// follow the one before it. A chain cut short at its end, or one whose every later link was remade, cannot be told
    /// from an intact one.
    pub async fn verify_chain(&self) -> Result<Option<ReceiptId>, ServiceError> {
        let mut rows = query("SELECT * FROM receipts ORDER BY position").fetch(&self.readers);
        let mut previous = Digest::START;
        while let Some(row) = rows.try_next().await.map_err(service_error)? {
            let kept = row.try_get("link").and_then(digest);
            let found = entry(&row).map(|entry| entry.link(previous));
            match (kept, found) {
                (Ok(kept), Ok(found)) if kept == found => previous = kept,
                _ => return Ok(Some(receipt_id(&row).map_err(service_error)?)),
            }
        }
        Ok(None)
    }

    /// Removes old claims. The current claim stands whatever becomes of them: a failure is only logged.
    async fn remove_old_claims(&self, now: SystemTime) {
        let oldest_kept = now.checked_sub(CLAIMS_KEPT).map_or(0, time_column);
        if let Err(problem) = self.write(query("DELETE FROM claims WHERE claimed_ms < ?").bind(oldest_kept)).await {
            warn!(error = %problem, "old claims could not be removed");
        }
    }
}

fn receipt_id(row: &SqliteRow) -> Result<ReceiptId, sqlx::Error> {
    Ok(ReceiptId::from_number(id(row.try_get("number")?)))
}

fn entry(row: &SqliteRow) -> Result<LedgerEntry, sqlx::Error> {
    let place: String = row.try_get("place")?;
    let outcome: String = row.try_get("outcome")?;
    let origin: String = row.try_get("origin")?;
    let source_name: Option<String> = row.try_get("source_name")?;
    let source_as_of: Option<i64> = row.try_get("source_as_of_ms")?;
    let took: i64 = row.try_get("took_us")?;
    let facts = Facts {
        command: row.try_get("command")?,
        arguments: row.try_get("arguments")?,
        caller: UserId(id(row.try_get("caller")?)),
        place: Place::from_key(&place).ok_or_else(|| unreadable("place"))?,
        started: time(row.try_get("started_ms")?),
        took: Duration::from_micros(u64::try_from(took).map_err(|_| unreadable("took_us"))?),
        origin: Origin::from_name(&origin).ok_or_else(|| unreadable("origin"))?,
        outcome: Outcome::from_name(&outcome).ok_or_else(|| unreadable("outcome"))?,
        source: source_name.map(|name| Source { name, as_of: source_as_of.map(time) }),
    };
    Ok(LedgerEntry { id: receipt_id(row)?, facts, digest: row.try_get("digest").and_then(digest)? })
}

fn digest(bytes: Vec<u8>) -> Result<Digest, sqlx::Error> {
    bytes.try_into().map(Digest).map_err(|_| unreadable("digest or link"))
}

fn unreadable(column: &str) -> sqlx::Error {
    sqlx::Error::Decode(format!("the ledger's {column} says nothing this program has ever written").into())
}
