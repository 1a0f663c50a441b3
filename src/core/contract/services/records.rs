//! Small JSON records that a module stores.

use std::borrow::Cow;

use async_trait::async_trait;
use serde_json::Value;

use crate::contract::services::error::ServiceError;
use crate::inbound::UserId;

/// A record's number within its module and scope. Not reused after a removal or a restart, unless all that was kept of
/// the person whose scope it is was erased.
pub type RecordId = i64;

/// Small JSON records of modules, each in a scope: a community (see
/// [`Place::scope`](crate::inbound::Place::scope)), or a person in it.
#[async_trait]
pub trait Records: Send + Sync {
    /// Reserves the number of a record that is to be added. The scope may hold at most `limit` records.
    async fn reserve(&self, module: &str, scope: &str, limit: usize) -> Result<RecordId, ServiceError>;
    /// Adds a record and returns its number. The scope may hold at most `limit` records.
    async fn add(&self, module: &str, scope: &str, body: &Value, limit: usize) -> Result<RecordId, ServiceError>;
    /// All records of a scope, oldest first.
    async fn list(&self, module: &str, scope: &str) -> Result<Vec<(RecordId, Value)>, ServiceError>;
    /// One record.
    async fn get(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError>;
    /// The records that people have of their own within a scope (see [`personal_scope`]), at most `limit`, in no certain
    /// order.
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
    /// Removes a record of one person, as [`Records::remove`] does, and takes these words out of what else is kept of
    /// that person: arguments of their receipts, records of their chat turns, and kept answers. What was said to the
    /// chat model stays.
    async fn forget(&self, module: &str, scope: &str, id: RecordId, words: &str)
    -> Result<Option<Value>, ServiceError>;
}

/// The scope of what belongs to one person in a community. It is part of stored records, so its form never changes.
pub fn personal_scope(community: &str, user: UserId) -> String {
    format!("{}{user}", scopes_of_people(community))
}

/// The scope of no community: what people keep in it counts in every place. Its form never changes.
pub(super) const EVERYWHERE: &str = "everywhere";

/// The scope of one thing in a community, by its record's number. What a person keeps of it is in their
/// [`personal_scope`] within it. Its form never changes.
pub(super) fn scope_of_thing(community: &str, thing: RecordId) -> String {
    format!("{community}/thing:{thing}")
}

/// What the scopes of all people within a scope begin with; a user's id follows.
pub fn scopes_of_people(scope: &str) -> String {
    format!("{scope}/user:")
}

/// A record of one person among those of several.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonsRecord {
    /// Its scope: see [`personal_scope`].
    pub scope: String,
    /// Its number in this scope.
    pub id: RecordId,
    /// Its body.
    pub body: Value,
}

/// The person of a scope that [`personal_scope`] made.
pub fn person_of_scope(scope: &str) -> Option<UserId> {
    let (_, user) = scope.rsplit_once("/user:")?;
    user.parse().ok().map(UserId)
}

/// A change of a module's record that a run staged, and that is not stored yet. It fits only what the run saw: if that
/// is stored otherwise by then, nothing of the run is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordChange {
    /// The module.
    pub module: String,
    /// The scope.
    pub scope: String,
    /// The record's number.
    pub id: RecordId,
    /// What happens to it.
    pub change: Change,
}

/// What happens to a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// It is added, under a number that was reserved for it.
    Add {
        /// The new body.
        body: Value,
        /// How many records the scope may hold.
        limit: usize,
    },
    /// Its body is replaced.
    Replace {
        /// The body that the run saw.
        expected: Value,
        /// The new body.
        body: Value,
    },
    /// It is removed.
    Remove {
        /// The body that the run saw.
        expected: Value,
    },
    /// It is removed, and its words are taken out of what else is kept of its person. See [`Records::forget`].
    Forget {
        /// The body that the run saw.
        expected: Value,
        /// The words.
        words: String,
    },
}

/// The records of one module in one scope.
pub struct OwnRecords<'a> {
    pub(super) records: &'a dyn Records,
    pub(super) module: &'a str,
    pub(super) scope: Cow<'a, str>,
}

impl OwnRecords<'_> {
    /// See [`Records::add`].
    pub async fn add(&self, body: &Value, limit: usize) -> Result<RecordId, ServiceError> {
        self.records.add(self.module, &self.scope, body, limit).await
    }

    /// See [`Records::list`].
    pub async fn list(&self) -> Result<Vec<(RecordId, Value)>, ServiceError> {
        self.records.list(self.module, &self.scope).await
    }

    /// See [`Records::get`].
    pub async fn get(&self, id: RecordId) -> Result<Option<Value>, ServiceError> {
        self.records.get(self.module, &self.scope, id).await
    }

    /// See [`Records::replace`].
    pub async fn replace(&self, id: RecordId, expected: &Value, body: &Value) -> Result<bool, ServiceError> {
        self.records.replace(self.module, &self.scope, id, expected, body).await
    }

    /// See [`Records::remove`].
    pub async fn remove(&self, id: RecordId) -> Result<Option<Value>, ServiceError> {
        self.records.remove(self.module, &self.scope, id).await
    }

    /// See [`Records::forget`].
    pub async fn forget(&self, id: RecordId, words: &str) -> Result<Option<Value>, ServiceError> {
        self.records.forget(self.module, &self.scope, id, words).await
    }
}

/// What people keep of one thing in the place of this call, such as the votes in a poll. A record belongs to its person:
/// it is exported and erased with all that is kept of them.
pub struct RecordsOfThing<'a> {
    pub(super) records: &'a dyn Records,
    pub(super) module: &'a str,
    pub(super) scope: String,
}

impl RecordsOfThing<'_> {
    /// Everybody's records, at most `limit`, in no certain order.
    pub async fn list(&self, limit: usize) -> Result<Vec<PersonsRecord>, ServiceError> {
        self.records.list_of_people(self.module, &self.scope, limit).await
    }

    /// Removes one of them, as [`Records::remove`] does.
    pub async fn remove(&self, record: &PersonsRecord) -> Result<Option<Value>, ServiceError> {
        self.records.remove(self.module, &record.scope, record.id).await
    }
}
