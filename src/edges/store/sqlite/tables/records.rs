//! The modules' records.

use async_trait::async_trait;
use serde_json::Value;
use sqlx::{SqliteExecutor, query, query_as, query_scalar};

use crate::edges::store::sqlite::Sqlite;
use crate::edges::store::sqlite::cause::service_error;
use candor_core::contract::{RecordId, Records, ServiceError};

#[async_trait]
impl Records for Sqlite {
    async fn add(&self, module: &str, scope: &str, body: &Value, limit: usize) -> Result<RecordId, ServiceError> {
        let mut transaction = self.begin().await?;
        let kept = query_scalar::<_, i64>("SELECT count(*) FROM records WHERE module = ? AND scope = ?");
        let kept = kept.bind(module).bind(scope).fetch_one(&mut *transaction).await.map_err(service_error)?;
        if usize::try_from(kept).is_ok_and(|kept| limit <= kept) {
            let kept_here = format!("`{module}` keeps {kept} records here, and {limit} is the most it may keep");
            return Err(ServiceError::Full(kept_here));
        }
        let id = query_scalar::<_, RecordId>(
            "INSERT INTO record_scopes (module, scope, last_id) VALUES (?, ?, 1) \
             ON CONFLICT (module, scope) DO UPDATE SET last_id = last_id + 1 RETURNING last_id",
        );
        let id = id.bind(module).bind(scope).fetch_one(&mut *transaction).await.map_err(service_error)?;
        let record = query("INSERT INTO records (module, scope, id, body) VALUES (?, ?, ?, ?)");
        let record = record.bind(module).bind(scope).bind(id).bind(body.to_string());
        record.execute(&mut *transaction).await.map_err(service_error)?;
        transaction.commit().await.map_err(service_error)?;
        Ok(id)
    }

    async fn list(&self, module: &str, scope: &str) -> Result<Vec<(RecordId, Value)>, ServiceError> {
        let rows = query_as("SELECT id, body FROM records WHERE module = ? AND scope = ? ORDER BY id");
        let rows = rows.bind(module).bind(scope).fetch_all(&self.readers).await;
        let rows: Vec<(RecordId, String)> = rows.map_err(service_error)?;
        rows.into_iter().map(|(id, body)| Ok((id, parse(&body)?))).collect()
    }

    async fn get(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError> {
        body_of(&self.readers, module, scope, id).await
    }

    async fn replace(
        &self,
        module: &str,
        scope: &str,
        id: RecordId,
        expected: &Value,
        body: &Value,
    ) -> Result<bool, ServiceError> {
        let mut transaction = self.begin().await?;
        let kept = body_of(&mut *transaction, module, scope, id).await?;
        // Compared as values: the order of keys in the text means nothing.
        if kept.as_ref() != Some(expected) {
            return Ok(false);
        }
        let record = query("UPDATE records SET body = ? WHERE module = ? AND scope = ? AND id = ?");
        let record = record.bind(body.to_string()).bind(module).bind(scope).bind(id);
        record.execute(&mut *transaction).await.map_err(service_error)?;
        transaction.commit().await.map_err(service_error)?;
        Ok(true)
    }

    async fn remove(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError> {
        let mut transaction = self.begin().await?;
        let removed = query_scalar("DELETE FROM records WHERE module = ? AND scope = ? AND id = ? RETURNING body");
        let removed = removed.bind(module).bind(scope).bind(id).fetch_optional(&mut *transaction).await;
        let removed: Option<String> = removed.map_err(service_error)?;
        transaction.commit().await.map_err(service_error)?;
        removed.as_deref().map(parse).transpose()
    }
}

/// The body of a record, as a reader or a transaction of the writer sees it.
async fn body_of(
    seen_by: impl SqliteExecutor<'_>,
    module: &str,
    scope: &str,
    id: RecordId,
) -> Result<Option<Value>, ServiceError> {
    let body = query_scalar("SELECT body FROM records WHERE module = ? AND scope = ? AND id = ?");
    let body = body.bind(module).bind(scope).bind(id).fetch_optional(seen_by).await;
    let body: Option<String> = body.map_err(service_error)?;
    body.as_deref().map(parse).transpose()
}

fn parse(body: &str) -> Result<Value, ServiceError> {
    serde_json::from_str(body).map_err(|problem| ServiceError::Store(format!("a record is not JSON: {problem}")))
}
