//! In-memory records, for module tests.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;

use crate::contract::{PersonsRecord, RecordId, Records, ServiceError, scopes_of_people};

#[derive(Default)]
pub struct InMemory(Mutex<BTreeMap<(String, String), ScopeRecords>>);

/// The last assigned number, and the records.
type ScopeRecords = (RecordId, BTreeMap<RecordId, Value>);

impl InMemory {
    fn in_scope<T>(&self, module: &str, scope: &str, act: impl FnOnce(&mut ScopeRecords) -> T) -> T {
        act(self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry((module.to_owned(), scope.to_owned()))
            .or_default())
    }
}

#[async_trait]
impl Records for InMemory {
    async fn reserve(&self, module: &str, scope: &str, limit: usize) -> Result<RecordId, ServiceError> {
        self.in_scope(module, scope, |(last, records)| {
            if limit <= records.len() {
                return Err(ServiceError::Full("full".to_owned()));
            }
            *last += 1;
            Ok(*last)
        })
    }

    async fn add(&self, module: &str, scope: &str, body: &Value, limit: usize) -> Result<RecordId, ServiceError> {
        self.in_scope(module, scope, |(last, records)| {
            if limit <= records.len() {
                return Err(ServiceError::Full("full".to_owned()));
            }
            *last += 1;
            records.insert(*last, body.clone());
            Ok(*last)
        })
    }

    async fn list(&self, module: &str, scope: &str) -> Result<Vec<(RecordId, Value)>, ServiceError> {
        Ok(self.in_scope(module, scope, |(_, records)| records.clone().into_iter().collect()))
    }

    async fn list_of_people(
        &self,
        module: &str,
        scope: &str,
        limit: usize,
    ) -> Result<Vec<PersonsRecord>, ServiceError> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = scopes_of_people(scope);
        let theirs = all.iter().filter(|((of, scope), _)| of == module && scope.starts_with(&begin));
        let records = theirs.flat_map(|((_, scope), (_, records))| {
            records.iter().map(|(id, body)| PersonsRecord { scope: scope.clone(), id: *id, body: body.clone() })
        });
        Ok(records.take(limit).collect())
    }

    async fn get(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError> {
        Ok(self.in_scope(module, scope, |(_, records)| records.get(&id).cloned()))
    }

    async fn replace(
        &self,
        module: &str,
        scope: &str,
        id: RecordId,
        expected: &Value,
        body: &Value,
    ) -> Result<bool, ServiceError> {
        Ok(self.in_scope(module, scope, |(_, records)| {
            let kept = records.get_mut(&id).filter(|kept| *kept == expected);
            kept.map(|kept| *kept = body.clone()).is_some()
        }))
    }

    async fn remove(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError> {
        Ok(self.in_scope(module, scope, |(_, records)| records.remove(&id)))
    }

    async fn forget(&self, module: &str, scope: &str, id: RecordId, _: &str) -> Result<Option<Value>, ServiceError> {
        self.remove(module, scope, id).await
    }
}
