//! Small JSON records that a module stores.

use async_trait::async_trait;
use serde_json::Value;

use crate::contract::services::service::ServiceError;
use crate::inbound::UserId;

/// A record's number within its module and scope. Numbers are not reused after a removal or a restart, except after all
/// data of the person who owns the scope was erased.
pub type RecordId = i64;

/// A store of small JSON records of modules, each in a scope: a community (see
/// [`Place::scope`](crate::inbound::Place::scope)), or a person in it.
#[async_trait]
pub trait Records: Send + Sync {
    /// Reserves the number of a new record. The scope may hold at most `limit` records.
    async fn reserve(&self, module: &str, scope: &str, limit: usize) -> Result<RecordId, ServiceError>;
    /// Adds a record and returns its number. The scope may hold at most `limit` records.
    async fn add(&self, module: &str, scope: &str, body: &Value, limit: usize) -> Result<RecordId, ServiceError>;
    /// Returns all records of a scope, oldest first.
    async fn list(&self, module: &str, scope: &str) -> Result<Vec<(RecordId, Value)>, ServiceError>;
    /// Returns one record.
    async fn get(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError>;
    /// Returns the personal records of everyone within a scope (see [`personal_scope`]), at most `limit`, in no
    /// particular order.
    async fn list_of_people(&self, module: &str, scope: &str, limit: usize)
    -> Result<Vec<PersonsRecord>, ServiceError>;
    /// Replaces a record if its body still equals `expected`, and returns whether it did. A concurrent change is never
    /// overwritten.
    async fn replace(
        &self,
        module: &str,
        scope: &str,
        id: RecordId,
        expected: &Value,
        body: &Value,
    ) -> Result<bool, ServiceError>;
    /// Removes a record and returns its body, if it existed.
    async fn remove(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError>;
    /// Removes a record of one person as [`Records::remove`] does, and removes these words from their other stored
    /// data: receipt arguments, records of chat turns, and stored answers. Chat conversations keep them.
    async fn forget(&self, module: &str, scope: &str, id: RecordId, words: &str)
    -> Result<Option<Value>, ServiceError>;
}

/// Returns the scope of one person's data in a community. It is part of stored records, so its form never changes.
pub fn personal_scope(community: &str, user: UserId) -> String {
    format!("{}{user}", scopes_of_people(community))
}

/// The scope of personal records that apply in every place. Its form never changes.
pub(super) const EVERYWHERE: &str = "everywhere";

/// Returns the scope of one thing in a community, by its record's number. Each person's records about it are in their
/// [`personal_scope`] within it. Its form never changes.
pub(super) fn scope_of_thing(community: &str, thing: RecordId) -> String {
    format!("{community}/thing:{thing}")
}

/// Returns the common prefix of all personal scopes within a scope. A user's id follows.
pub fn scopes_of_people(scope: &str) -> String {
    format!("{scope}/user:")
}

/// A personal record in a list of several people's records.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonsRecord {
    /// Its scope. See [`personal_scope`].
    pub scope: String,
    /// Its number in this scope.
    pub id: RecordId,
    /// Its body.
    pub body: Value,
}

/// Returns the person of a scope made by [`personal_scope`].
pub fn person_of_scope(scope: &str) -> Option<UserId> {
    let (_, user) = scope.rsplit_once("/user:")?;
    user.parse().ok().map(UserId)
}

/// A staged change of a module's record. It applies only to the state that the run saw: if the stored record differs by
/// then, nothing of the run is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordChange {
    /// The module.
    pub module: String,
    /// The record's scope.
    pub scope: String,
    /// The record's number.
    pub id: RecordId,
    /// The change itself.
    pub change: Change,
}

/// A change of one record.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Adds it under a reserved number.
    Add {
        /// The new body.
        body: Value,
        /// The most records of the scope.
        limit: usize,
    },
    /// Replaces its body.
    Replace {
        /// The body that the run saw.
        expected: Value,
        /// The new body.
        body: Value,
    },
    /// Removes it.
    Remove {
        /// The body that the run saw.
        expected: Value,
    },
    /// Removes it, and its words from the person's other stored data. See [`Records::forget`].
    Forget {
        /// The body that the run saw.
        expected: Value,
        /// The words to remove.
        words: String,
    },
}

/// The records of one module in one scope.
pub struct OwnRecords<'a> {
    pub(super) records: &'a dyn Records,
    pub(super) module: &'a str,
    pub(super) scope: String,
}

impl OwnRecords<'_> {
    /// Adds a record. See [`Records::add`].
    pub async fn add(&self, body: &Value, limit: usize) -> Result<RecordId, ServiceError> {
        self.records.add(self.module, &self.scope, body, limit).await
    }

    /// Returns all records. See [`Records::list`].
    pub async fn list(&self) -> Result<Vec<(RecordId, Value)>, ServiceError> {
        self.records.list(self.module, &self.scope).await
    }

    /// Returns one record. See [`Records::get`].
    pub async fn get(&self, id: RecordId) -> Result<Option<Value>, ServiceError> {
        self.records.get(self.module, &self.scope, id).await
    }

    /// Replaces a record. See [`Records::replace`].
    pub async fn replace(&self, id: RecordId, expected: &Value, body: &Value) -> Result<bool, ServiceError> {
        self.records.replace(self.module, &self.scope, id, expected, body).await
    }

    /// Removes a record. See [`Records::remove`].
    pub async fn remove(&self, id: RecordId) -> Result<Option<Value>, ServiceError> {
        self.records.remove(self.module, &self.scope, id).await
    }

    /// Removes a record and its words. See [`Records::forget`].
    pub async fn forget(&self, id: RecordId, words: &str) -> Result<Option<Value>, ServiceError> {
        self.records.forget(self.module, &self.scope, id, words).await
    }
}

/// Everyone's records about one thing in the place of this call, such as the votes in a poll. A record belongs to its
/// person and is exported and erased with their other data.
pub struct RecordsOfThing<'a> {
    pub(super) records: &'a dyn Records,
    pub(super) module: &'a str,
    pub(super) scope: String,
}

impl RecordsOfThing<'_> {
    /// Returns everyone's records, at most `limit`, in no particular order.
    pub async fn list(&self, limit: usize) -> Result<Vec<PersonsRecord>, ServiceError> {
        self.records.list_of_people(self.module, &self.scope, limit).await
    }

    /// Removes one of them, as [`Records::remove`] does.
    pub async fn remove(&self, record: &PersonsRecord) -> Result<Option<Value>, ServiceError> {
        self.records.remove(self.module, &record.scope, record.id).await
    }
}
