//! A run's view of records: the stored ones, with its own uncommitted changes. They are stored with its receipt, or not
//! at all.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::MappedMutexGuard;

use crate::executor::effects::stage::{Changes, StagedChanges};
use crate::executor::ledger::StagedChange;
use candor_core::contract::{Change, PersonsRecord, RecordChange, RecordId, Records, ServiceError, scopes_of_people};

pub(super) struct StagedRecords {
    pub(super) stored: Arc<dyn Records>,
    pub(super) staged: Arc<StagedChanges>,
}

impl StagedRecords {
    async fn open(&self) -> Result<OpenChanges<'_>, ServiceError> {
        Ok(OpenChanges { stored: &*self.stored, changes: self.staged.open().await? })
    }
}

/// The records as the run sees them. Meanwhile no other task of the run can read or change any.
struct OpenChanges<'a> {
    stored: &'a dyn Records,
    changes: MappedMutexGuard<'a, Changes>,
}

impl OpenChanges<'_> {
    fn of_scope<'s>(&'s self, module: &'s str, scope: &'s str) -> impl DoubleEndedIterator<Item = &'s RecordChange> {
        let all = self.changes.made().iter().filter_map(StagedChange::record);
        all.filter(move |change| change.module == module && change.scope == scope)
    }

    async fn get(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError> {
        let last = self.of_scope(module, scope).rfind(|change| change.id == id);
        match last.map(|change| &change.change) {
            Some(Change::Add { body, .. } | Change::Replace { body, .. }) => Ok(Some(body.clone())),
            Some(Change::Remove { .. } | Change::Forget { .. }) => Ok(None),
            None => self.stored.get(module, scope, id).await,
        }
    }

    fn stage(&mut self, module: &str, scope: &str, id: RecordId, change: Change) -> Result<(), ServiceError> {
        let module = module.to_owned();
        let scope = scope.to_owned();
        self.changes.stage(StagedChange::Record(RecordChange { module, scope, id, change }))
    }
}

#[async_trait]
impl Records for StagedRecords {
    async fn reserve(&self, module: &str, scope: &str, limit: usize) -> Result<RecordId, ServiceError> {
        self.stored.reserve(module, scope, limit).await
    }

    async fn add(&self, module: &str, scope: &str, body: &Value, limit: usize) -> Result<RecordId, ServiceError> {
        let mut open = self.open().await?;
        let mut added = 0_usize;
        let mut removed = 0_usize;
        for change in open.of_scope(module, scope) {
            match change.change {
                Change::Add { .. } => added += 1,
                Change::Remove { .. } | Change::Forget { .. } => removed += 1,
                Change::Replace { .. } => {}
            }
        }
        let room = limit.saturating_add(removed).saturating_sub(added);
        let id = open.stored.reserve(module, scope, room).await?;
        open.stage(module, scope, id, Change::Add { body: body.clone(), limit })?;
        Ok(id)
    }

    async fn list(&self, module: &str, scope: &str) -> Result<Vec<(RecordId, Value)>, ServiceError> {
        let open = self.open().await?;
        let mut records = open.stored.list(module, scope).await?;
        for RecordChange { id, change, .. } in open.of_scope(module, scope) {
            match change {
                Change::Add { body, .. } => records.push((*id, body.clone())),
                Change::Replace { body, .. } => {
                    let found = records.iter_mut().find(|(found, _)| found == id);
                    if let Some((_, kept)) = found {
                        *kept = body.clone();
                    }
                }
                Change::Remove { .. } | Change::Forget { .. } => records.retain(|(found, _)| found != id),
            }
        }
        records.sort_by_key(|(id, _)| *id);
        Ok(records)
    }

    async fn list_of_people(
        &self,
        module: &str,
        scope: &str,
        limit: usize,
    ) -> Result<Vec<PersonsRecord>, ServiceError> {
        let open = self.open().await?;
        let mut records = open.stored.list_of_people(module, scope, limit).await?;
        let begin = scopes_of_people(scope);
        let changes = open.changes.made().iter().filter_map(StagedChange::record);
        for RecordChange { scope, id, change, .. } in
            changes.filter(|change| change.module == module && change.scope.starts_with(&begin))
        {
            let is_it = |record: &PersonsRecord| record.scope == *scope && record.id == *id;
            match change {
                Change::Add { body, .. } => {
                    records.push(PersonsRecord { scope: scope.clone(), id: *id, body: body.clone() });
                }
                Change::Replace { body, .. } => {
                    if let Some(kept) = records.iter_mut().find(|record| is_it(record)) {
                        kept.body = body.clone();
                    }
                }
                Change::Remove { .. } | Change::Forget { .. } => records.retain(|record| !is_it(record)),
            }
        }
        records.truncate(limit);
        Ok(records)
    }

    async fn get(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError> {
        self.open().await?.get(module, scope, id).await
    }

    async fn replace(
        &self,
        module: &str,
        scope: &str,
        id: RecordId,
        expected: &Value,
        body: &Value,
    ) -> Result<bool, ServiceError> {
        let mut open = self.open().await?;
        let fits = open.get(module, scope, id).await?.as_ref() == Some(expected);
        if fits {
            open.stage(module, scope, id, Change::Replace { expected: expected.clone(), body: body.clone() })?;
        }
        Ok(fits)
    }

    async fn remove(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError> {
        let mut open = self.open().await?;
        let removed = open.get(module, scope, id).await?;
        if let Some(expected) = removed.clone() {
            open.stage(module, scope, id, Change::Remove { expected })?;
        }
        Ok(removed)
    }

    async fn forget(
        &self,
        module: &str,
        scope: &str,
        id: RecordId,
        words: &str,
    ) -> Result<Option<Value>, ServiceError> {
        let mut open = self.open().await?;
        let removed = open.get(module, scope, id).await?;
        if let Some(expected) = removed.clone() {
            open.stage(module, scope, id, Change::Forget { expected, words: words.to_owned() })?;
        }
        Ok(removed)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use candor_core::testing::InMemory;

    async fn stored() -> Arc<InMemory> {
        let stored = Arc::new(InMemory::default());
        for body in ["milk", "bread"] {
            stored.add("tasks", "here", &json!(body), 9).await.unwrap();
        }
        stored
    }

    fn over(stored: Arc<InMemory>) -> StagedRecords {
        StagedRecords { stored, staged: Arc::new(StagedChanges::none(true)) }
    }

    /// The changes of a run that ends now.
    async fn end(staged: &StagedRecords) -> Vec<(RecordId, Change)> {
        let changes = staged.staged.end().await;
        changes.iter().filter_map(StagedChange::record).map(|change| (change.id, change.change.clone())).collect()
    }

    #[tokio::test]
    async fn a_run_sees_its_changes_and_nobody_else_does_until_they_are_stored() {
        let stored = stored().await;
        let staged = over(stored.clone());
        assert_eq!(staged.add("tasks", "here", &json!("tea"), 9).await.unwrap(), 3);
        assert!(staged.replace("tasks", "here", 1, &json!("milk"), &json!("oat milk")).await.unwrap());
        assert!(!staged.replace("tasks", "here", 1, &json!("milk"), &json!("soy milk")).await.unwrap());
        assert_eq!(staged.remove("tasks", "here", 2).await.unwrap(), Some(json!("bread")));
        assert_eq!(staged.remove("tasks", "here", 2).await.unwrap(), None);
        assert_eq!(staged.list("tasks", "here").await.unwrap(), [(1, json!("oat milk")), (3, json!("tea"))]);
        assert_eq!(staged.get("tasks", "here", 3).await.unwrap(), Some(json!("tea")));
        assert_eq!(staged.get("tasks", "elsewhere", 3).await.unwrap(), None);
        assert_eq!(stored.list("tasks", "here").await.unwrap(), [(1, json!("milk")), (2, json!("bread"))]);

        let replace = Change::Replace { expected: json!("milk"), body: json!("oat milk") };
        let added = Change::Add { body: json!("tea"), limit: 9 };
        assert_eq!(end(&staged).await, [(3, added), (1, replace), (2, Change::Remove { expected: json!("bread") })]);
    }

    #[tokio::test]
    async fn a_run_sees_what_it_changed_of_one_person_among_those_of_all() {
        let stored = Arc::new(InMemory::default());
        for scope in ["here/user:1", "here/user:2", "here/user:3", "here", "here2/user:1"] {
            stored.add("poll", scope, &json!("tea"), 9).await.unwrap();
        }
        let staged = over(stored);
        assert!(staged.replace("poll", "here/user:1", 1, &json!("tea"), &json!("milk")).await.unwrap());
        staged.remove("poll", "here/user:2", 1).await.unwrap();
        staged.add("poll", "here/user:4", &json!("bread"), 9).await.unwrap();
        staged.add("poll", "here2/user:4", &json!("bread"), 9).await.unwrap();
        let seen = staged.list_of_people("poll", "here", 9).await.unwrap();
        let seen: Vec<_> = seen.into_iter().map(|record| (record.scope, record.body)).collect();
        let expected = [("1", "milk"), ("3", "tea"), ("4", "bread")];
        assert_eq!(seen, expected.map(|(user, body)| (format!("here/user:{user}"), json!(body))));
        assert_eq!(staged.list_of_people("poll", "here", 2).await.unwrap().len(), 2);
    }

    #[tokio::test]
    async fn what_a_run_removed_makes_room_for_what_it_adds() {
        let staged = over(stored().await);
        assert!(staged.add("tasks", "here", &json!("tea"), 2).await.is_err());
        staged.remove("tasks", "here", 1).await.unwrap();
        staged.add("tasks", "here", &json!("tea"), 2).await.unwrap();
        assert!(staged.add("tasks", "here", &json!("cake"), 2).await.is_err());
    }

    #[tokio::test]
    async fn what_a_run_forgets_is_gone_for_it_and_its_words_are_staged() {
        let staged = over(stored().await);
        assert_eq!(staged.forget("tasks", "here", 1, "milk").await.unwrap(), Some(json!("milk")));
        assert_eq!(staged.forget("tasks", "here", 1, "milk").await.unwrap(), None);
        assert_eq!(staged.list("tasks", "here").await.unwrap(), [(2, json!("bread"))]);
        let forgotten = Change::Forget { expected: json!("milk"), words: "milk".to_owned() };
        assert_eq!(end(&staged).await, [(1, forgotten)]);
    }

    #[tokio::test]
    async fn after_its_end_a_run_changes_nothing_and_sees_nothing() {
        let staged = over(stored().await);
        assert_eq!(end(&staged).await, []);
        assert!(staged.add("tasks", "here", &json!("late"), 9).await.is_err());
        assert!(staged.get("tasks", "here", 1).await.is_err());
        assert_eq!(end(&staged).await, []);
    }
}
