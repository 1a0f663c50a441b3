//! The modules' records.

use std::time::SystemTime;

use async_trait::async_trait;
use serde_json::Value as Json;

use crate::database::Database;
use crate::sql::{Connection, Param, Row};
use crate::tables::words::{HeldWords, take_out};
use candor_core::contract::{
    Change, PersonsRecord, RecordChange, RecordId, Records, ServiceError, person_of_scope, scopes_of_people,
};
use candor_core::inbound::UserId;
use candor_engine::executor::StagedChange;

#[async_trait]
impl Records for Database {
    async fn reserve(&self, module: &str, scope: &str, limit: usize) -> Result<RecordId, ServiceError> {
        let scope = RecordScope::new(module, scope);
        self.write(move |connection| {
            Box::pin(async move {
                scope.check_room(connection, limit).await?;
                scope.next_id(connection).await
            })
        })
        .await
    }

    async fn add(&self, module: &str, scope: &str, body: &Json, limit: usize) -> Result<RecordId, ServiceError> {
        let scope = RecordScope::new(module, scope);
        let body = body.to_string();
        self.write(move |connection| {
            Box::pin(async move {
                let id = scope.next_id(connection).await?;
                scope.insert(connection, id, body, limit).await?;
                Ok(id)
            })
        })
        .await
    }

    async fn list(&self, module: &str, scope: &str) -> Result<Vec<(RecordId, Json)>, ServiceError> {
        let all = "SELECT id, body FROM records WHERE module = $1 AND scope = $2 ORDER BY id";
        let rows = self.rows(all, vec![module.into(), scope.into()]).await?;
        rows.into_iter().map(|mut row| Ok((row.take()?, parse(&row.take::<String>()?)?))).collect()
    }

    async fn list_of_people(
        &self,
        module: &str,
        scope: &str,
        limit: usize,
    ) -> Result<Vec<PersonsRecord>, ServiceError> {
        // The range of scopes lets the index serve: no id has more digits, and digits sort the same in both engines.
        let theirs = "SELECT scope, id, body FROM records WHERE module = $1 AND scope >= $2 AND scope <= $3 \
                      AND substr(scope, 1, length($2)) = $2 LIMIT $4";
        let begin = scopes_of_people(scope);
        let end = format!("{begin}{}", "9".repeat(MOST_DIGITS));
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = self.rows(theirs, vec![module.into(), begin.into(), end.into(), limit.into()]).await?;
        let record = |mut row: Row| {
            Ok(PersonsRecord { scope: row.take()?, id: row.take()?, body: parse(&row.take::<String>()?)? })
        };
        rows.into_iter().map(record).collect()
    }

    async fn get(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Json>, ServiceError> {
        let body = self.row(BODY, vec![module.into(), scope.into(), id.into()]).await?;
        body.map(|mut row| parse(&row.take::<String>()?)).transpose()
    }

    async fn replace(
        &self,
        module: &str,
        scope: &str,
        id: RecordId,
        expected: &Json,
        body: &Json,
    ) -> Result<bool, ServiceError> {
        let scope = RecordScope::new(module, scope);
        let expected = expected.clone();
        let body = body.to_string();
        self.write(move |connection| Box::pin(async move { scope.replace(connection, id, &expected, body).await }))
            .await
    }

    async fn remove(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Json>, ServiceError> {
        let scope = RecordScope::new(module, scope);
        self.write(move |connection| Box::pin(async move { scope.take(connection, id).await })).await
    }

    async fn forget(&self, module: &str, scope: &str, id: RecordId, words: &str) -> Result<Option<Json>, ServiceError> {
        let scope = RecordScope::new(module, scope);
        let words = words.to_owned();
        let found = self.find_words(scope.person()?, &words).await?;
        let removed = self.write(move |connection| {
            Box::pin(async move {
                let removed = scope.take(connection, id).await?;
                if removed.is_some() {
                    take_out(connection, &found).await?;
                }
                Ok(removed)
            })
        });
        let removed = removed.await?;
        self.empty_log().await;
        Ok(removed)
    }
}

impl Database {
    /// Returns the first records of a module in all scopes behind one, ordered by scope.
    pub async fn records_of_module(
        &self,
        module: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<(String, Json)>, ServiceError> {
        let next = "SELECT scope, body FROM records WHERE module = $1 AND scope > $2 ORDER BY scope, id LIMIT $3";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = self.rows(next, vec![module.into(), after.into(), limit.into()]).await?;
        rows.into_iter().map(|mut row| Ok((row.take()?, parse(&row.take::<String>()?)?))).collect()
    }

    /// Finds the words that each forgetting change will remove.
    pub(super) async fn find_forgotten(&self, changes: &[StagedChange]) -> Result<Vec<HeldWords>, ServiceError> {
        let mut found = Vec::new();
        for RecordChange { module, scope, change, .. } in changes.iter().filter_map(StagedChange::record) {
            if let Change::Forget { words, .. } = change {
                found.push(self.find_words(RecordScope::new(module, scope).person()?, words).await?);
            }
        }
        Ok(found)
    }
}

/// Applies the staged changes of records in order. `forgotten` is the result of [`Database::find_forgotten`] for them.
/// Returns false if one does not fit the stored data; the caller must then undo the earlier ones.
pub(super) async fn change(
    connection: &mut dyn Connection,
    changes: Vec<StagedChange>,
    forgotten: Vec<HeldWords>,
) -> Result<bool, ServiceError> {
    let mut forgotten = forgotten.into_iter();
    // Locks every scope first, in the same order everywhere, to avoid deadlocks.
    let changed = changes.iter().filter_map(StagedChange::record);
    let mut names: Vec<_> = changed.map(|change| format!("records {} {}", change.module, change.scope)).collect();
    names.sort();
    names.dedup();
    for name in names {
        connection.lock(&name).await?;
    }
    for change in changes {
        let StagedChange::Record(RecordChange { module, scope, id, change }) = change else { continue };
        let scope = RecordScope { module, scope };
        let fits = match change {
            Change::Add { body, limit } => scope.insert(connection, id, body.to_string(), limit).await?,
            Change::Replace { expected, body } => scope.replace(connection, id, &expected, body.to_string()).await?,
            Change::Remove { expected } => scope.remove(connection, id, &expected).await?,
            Change::Forget { expected, .. } => {
                let is_removed = scope.remove(connection, id, &expected).await?;
                let held = forgotten.next();
                if let Some(held) = held.filter(|_| is_removed) {
                    take_out(connection, &held).await?;
                }
                is_removed
            }
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

const MOST_DIGITS: usize = 20;

const BODY: &str = "SELECT body FROM records WHERE module = $1 AND scope = $2 AND id = $3";

/// Removes a scope with its records, and returns the number of records.
///
/// A number on an old button or in a message must never refer to another record. So the scope's last number is kept if
/// it is the module's largest. It is stored under a scope without a name, which does not reveal the person.
pub(super) async fn remove_scope(
    connection: &mut dyn Connection,
    module: &str,
    scope: &str,
) -> Result<u64, ServiceError> {
    let of_scope: [Param; 2] = [module.into(), scope.into()];
    let n_removed = connection.execute("DELETE FROM records WHERE module = $1 AND scope = $2", &of_scope).await?;
    let gone = "DELETE FROM record_scopes WHERE module = $1 AND scope = $2 RETURNING last_id";
    if let Some(last) = connection.value::<i64>(gone, &of_scope).await? {
        let stays = "INSERT INTO record_scopes (module, scope, last_id) VALUES ($1, '', $2) \
                     ON CONFLICT (module, scope) DO UPDATE SET last_id = CASE \
                     WHEN excluded.last_id > record_scopes.last_id THEN excluded.last_id \
                     ELSE record_scopes.last_id END";
        connection.execute(stays, &[module.into(), last.into()]).await?;
    }
    Ok(n_removed)
}

struct RecordScope {
    module: String,
    scope: String,
}

impl RecordScope {
    fn new(module: &str, scope: &str) -> Self {
        Self { module: module.to_owned(), scope: scope.to_owned() }
    }

    fn with<const N: usize>(&self, more: [Param; N]) -> Vec<Param> {
        [self.module.as_str().into(), self.scope.as_str().into()].into_iter().chain(more).collect()
    }

    /// Reserves a number. Other transactions get none in this scope until this one ends.
    async fn next_id(&self, connection: &mut dyn Connection) -> Result<RecordId, ServiceError> {
        // A new scope continues after the numbers of removed scopes: see `remove_scope`.
        let next = "INSERT INTO record_scopes (module, scope, last_id, \"user\", used_ms) VALUES ($1, $2, \
                    1 + coalesce((SELECT last_id FROM record_scopes WHERE module = $1 AND scope = ''), 0), $3, $4) \
                    ON CONFLICT (module, scope) DO UPDATE SET last_id = record_scopes.last_id + 1, \
                    used_ms = excluded.used_ms RETURNING last_id";
        let user = person_of_scope(&self.scope).map(|user| user.0.cast_signed());
        let next = connection.value(next, &self.with([user.into(), SystemTime::now().into()])).await?;
        next.ok_or_else(|| ServiceError::Store("no number was given out".to_owned()))
    }

    async fn check_room(&self, connection: &mut dyn Connection, limit: usize) -> Result<(), ServiceError> {
        let kept = "SELECT count(*) FROM records WHERE module = $1 AND scope = $2";
        let kept: i64 = connection.value(kept, &self.with([])).await?.unwrap_or_default();
        if usize::try_from(kept).is_ok_and(|kept| limit <= kept) {
            let module = &self.module;
            let kept_here = format!("`{module}` keeps {kept} records here, and {limit} is the most it may keep");
            return Err(ServiceError::Full(kept_here));
        }
        Ok(())
    }

    /// Adds a record under its number, unless the scope is full. Returns false if the number is taken.
    async fn insert(
        &self,
        connection: &mut dyn Connection,
        id: RecordId,
        body: String,
        limit: usize,
    ) -> Result<bool, ServiceError> {
        self.check_room(connection, limit).await?;
        let record = "INSERT INTO records (module, scope, id, body) VALUES ($1, $2, $3, $4) \
                      ON CONFLICT (module, scope, id) DO NOTHING";
        Ok(connection.execute(record, &self.with([id.into(), body.into()])).await? == 1)
    }

    /// Returns the owner if the scope belongs to one person.
    fn person(&self) -> Result<UserId, ServiceError> {
        person_of_scope(&self.scope).ok_or_else(|| ServiceError::Store("these records are nobody's own".to_owned()))
    }

    /// Removes a record with any body, and returns it.
    async fn take(&self, connection: &mut dyn Connection, id: RecordId) -> Result<Option<Json>, ServiceError> {
        let removed = "DELETE FROM records WHERE module = $1 AND scope = $2 AND id = $3 RETURNING body";
        let removed: Option<String> = connection.value(removed, &self.with([id.into()])).await?;
        removed.as_deref().map(parse).transpose()
    }

    /// Returns the stored text of a record if its body is the expected one.
    async fn text_of(
        &self,
        connection: &mut dyn Connection,
        id: RecordId,
        expected: &Json,
    ) -> Result<Option<String>, ServiceError> {
        let Some(kept) = connection.value::<String>(BODY, &self.with([id.into()])).await? else { return Ok(None) };
        // Compares values: the order of keys in the text has no meaning.
        Ok((parse(&kept)? == *expected).then_some(kept))
    }

    async fn replace(
        &self,
        connection: &mut dyn Connection,
        id: RecordId,
        expected: &Json,
        body: String,
    ) -> Result<bool, ServiceError> {
        let Some(kept) = self.text_of(connection, id, expected).await? else { return Ok(false) };
        // The record may have changed since it was read.
        let record = "UPDATE records SET body = $1 WHERE module = $2 AND scope = $3 AND id = $4 AND body = $5";
        let values = [body.into()].into_iter().chain(self.with([id.into(), kept.into()])).collect::<Vec<_>>();
        Ok(connection.execute(record, &values).await? == 1)
    }

    async fn remove(
        &self,
        connection: &mut dyn Connection,
        id: RecordId,
        expected: &Json,
    ) -> Result<bool, ServiceError> {
        let Some(kept) = self.text_of(connection, id, expected).await? else { return Ok(false) };
        let record = "DELETE FROM records WHERE module = $1 AND scope = $2 AND id = $3 AND body = $4";
        Ok(connection.execute(record, &self.with([id.into(), kept.into()])).await? == 1)
    }
}

fn parse(body: &str) -> Result<Json, ServiceError> {
    serde_json::from_str(body).map_err(|problem| ServiceError::Store(format!("a record is not JSON: {problem}")))
}
