//! Answers that could not be shown in time, stored for `/receipt`.

use std::time::{Duration, SystemTime};

use sqlx::{query, query_scalar};

use crate::edges::store::sqlite::Sqlite;
use crate::edges::store::sqlite::cause::service_error;
use crate::edges::store::sqlite::columns::{id_column, time_column};
use candor_core::contract::ServiceError;
use candor_core::record::ReceiptId;

/// How long an answer is stored. Nobody is expected to ask for it later.
const KEPT_FOR: Duration = Duration::from_hours(7 * 24);

/// The longest content, in characters: what Discord can show of it, several times over.
const CONTENT_LENGTH_MAX: usize = 16_000;

impl Sqlite {
    /// Stores a command's answer, and removes old answers.
    pub(crate) async fn insert_answer(&self, id: ReceiptId, content: &str, at: SystemTime) -> Result<(), ServiceError> {
        let content: String = content.chars().take(CONTENT_LENGTH_MAX).collect();
        let mut transaction = self.begin().await?;
        let old = query("DELETE FROM kept_answers WHERE kept_ms < ?").bind(oldest_kept(at));
        old.execute(&mut *transaction).await.map_err(service_error)?;
        let answer = query("INSERT OR REPLACE INTO kept_answers (number, content, kept_ms) VALUES (?, ?, ?)");
        let answer = answer.bind(id_column(id.number())).bind(content).bind(time_column(at));
        answer.execute(&mut *transaction).await.map_err(service_error)?;
        transaction.commit().await.map_err(service_error)
    }

    /// The answer stored under this receipt, unless it is too old by now.
    pub(crate) async fn select_answer(&self, id: ReceiptId, now: SystemTime) -> Result<Option<String>, ServiceError> {
        let answer = query_scalar("SELECT content FROM kept_answers WHERE number = ? AND kept_ms >= ?");
        let answer = answer.bind(id_column(id.number())).bind(oldest_kept(now));
        answer.fetch_optional(&self.readers).await.map_err(service_error)
    }
}

fn oldest_kept(now: SystemTime) -> i64 {
    now.checked_sub(KEPT_FOR).map_or(0, time_column)
}
