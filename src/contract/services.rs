//! The few things a module may reach beyond itself, each behind a trait, each asked for in its manifest.
//!
//! A module that did not ask for a service cannot use it: [`Services`] hands out only what was granted.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::agent::KeptTurn;
use crate::contract::history::History;
use crate::contract::workspace::{OwnWorkspace, Workspaces};
use crate::inbound::{Caller, Place, UserId};
use crate::receipt::{Entry, ReceiptId};

/// The top-level entry of a metrics file that the bot wrote itself. Not a metric: it tells such a file from
/// another producer's, which the bot never replaces.
pub const OWN_METRICS: (&str, &str) = ("producer", "candor");

/// A service, by the name a manifest asks for it with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceName {
    /// `records`: the module's own stored records.
    Records,
    /// `live`: the watched metrics file.
    Live,
    /// `history`: what the live metrics were.
    History,
    /// `workspace`: a folder of files for each community.
    Workspace,
    /// `prompt`: the module tells the chat model about whoever speaks to it.
    Prompt,
    /// `talk`: conversations and the model's name. Harness only.
    Talk,
    /// `receipts`: what ran. Harness only.
    Receipts,
}

impl ServiceName {
    /// Every service.
    pub const ALL: [Self; 7] =
        [Self::Records, Self::Live, Self::History, Self::Workspace, Self::Prompt, Self::Talk, Self::Receipts];

    /// The name in a manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Live => "live",
            Self::History => "history",
            Self::Workspace => "workspace",
            Self::Prompt => "prompt",
            Self::Talk => "talk",
            Self::Receipts => "receipts",
        }
    }

    /// Whether only the harness may ask for it.
    pub fn harness_only(self) -> bool {
        matches!(self, Self::Talk | Self::Receipts)
    }
}

/// A service could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The module's manifest does not ask for this service.
    #[error("the module did not ask for the service `{0}` in its manifest")]
    NotGranted(&'static str),
    /// The store refused or failed.
    #[error("the store failed: {0}")]
    Store(String),
    /// A limit of the service is reached.
    #[error("{0}")]
    Full(String),
}

/// The services handed to one module.
#[derive(Clone, Default)]
pub struct Services {
    records: Option<Arc<dyn Records>>,
    live: Option<Arc<dyn Live>>,
    history: Option<Arc<dyn History>>,
    workspaces: Option<Arc<dyn Workspaces>>,
    talk: Option<Arc<dyn Talk>>,
    receipts: Option<Arc<dyn ReceiptBook>>,
    module: Arc<str>,
    place: Option<Place>,
    scope: Arc<str>,
    caller_scope: Arc<str>,
}

impl Services {
    /// Everything the host has, for a module of no name: narrow it with [`Services::granted`] before use.
    pub fn of_host(
        records: Arc<dyn Records>,
        live: Arc<dyn Live>,
        talk: Arc<dyn Talk>,
        receipts: Arc<dyn ReceiptBook>,
    ) -> Self {
        Self { records: Some(records), live: Some(live), talk: Some(talk), receipts: Some(receipts), ..Self::default() }
    }

    /// The same services with these records.
    #[must_use]
    pub fn with_records(mut self, records: Arc<dyn Records>) -> Self {
        self.records = Some(records);
        self
    }

    /// The same services with these folders.
    #[must_use]
    pub fn with_workspaces(mut self, workspaces: Arc<dyn Workspaces>) -> Self {
        self.workspaces = Some(workspaces);
        self
    }

    /// The same services with this metrics file.
    #[must_use]
    pub fn with_live(mut self, live: Arc<dyn Live>) -> Self {
        self.live = Some(live);
        self
    }

    /// The same services with this history of the metrics file.
    #[must_use]
    pub fn with_history(mut self, history: Arc<dyn History>) -> Self {
        self.history = Some(history);
        self
    }

    /// Only those that this module asked for, bound to it and to the person and the place of one call.
    #[must_use]
    pub fn granted(&self, module: &str, asked: &[ServiceName], user: UserId, place: Place) -> Self {
        let has = |name| asked.contains(&name);
        Self {
            records: self.records.clone().filter(|_| has(ServiceName::Records)),
            live: self.live.clone().filter(|_| has(ServiceName::Live)),
            history: self.history.clone().filter(|_| has(ServiceName::History)),
            workspaces: self.workspaces.clone().filter(|_| has(ServiceName::Workspace)),
            talk: self.talk.clone().filter(|_| has(ServiceName::Talk)),
            receipts: self.receipts.clone().filter(|_| has(ServiceName::Receipts)),
            module: module.into(),
            place: Some(place),
            scope: place.scope().into(),
            caller_scope: format!("{}/user:{user}", place.scope()).into(),
        }
    }

    /// The module's own records in the place of this call: no other module's, and no other place's.
    pub fn records(&self) -> Result<OwnRecords<'_>, ServiceError> {
        self.records_of(&self.scope)
    }

    /// The module's own records of the caller in the place of this call: what belongs to one person in one
    /// community.
    pub fn caller_records(&self) -> Result<OwnRecords<'_>, ServiceError> {
        self.records_of(&self.caller_scope)
    }

    fn records_of<'a>(&'a self, scope: &'a str) -> Result<OwnRecords<'a>, ServiceError> {
        let records = self.records.as_deref().ok_or(ServiceError::NotGranted(ServiceName::Records.name()))?;
        Ok(OwnRecords { records, module: &self.module, scope })
    }

    /// The folder of the community that this call came from: no other community's.
    pub fn workspace(&self) -> Result<OwnWorkspace<'_>, ServiceError> {
        let granted = self.workspaces.as_deref().zip(self.place);
        let (workspaces, place) = granted.ok_or(ServiceError::NotGranted(ServiceName::Workspace.name()))?;
        Ok(OwnWorkspace::new(workspaces, place))
    }

    /// The watched metrics file.
    pub fn live(&self) -> Result<&dyn Live, ServiceError> {
        self.live.as_deref().ok_or(ServiceError::NotGranted(ServiceName::Live.name()))
    }

    /// What the live metrics were.
    pub fn history(&self) -> Result<&dyn History, ServiceError> {
        self.history.as_deref().ok_or(ServiceError::NotGranted(ServiceName::History.name()))
    }

    /// Conversations and models.
    pub fn talk(&self) -> Result<&dyn Talk, ServiceError> {
        self.talk.as_deref().ok_or(ServiceError::NotGranted(ServiceName::Talk.name()))
    }

    /// The ledger.
    pub fn receipts(&self) -> Result<&dyn ReceiptBook, ServiceError> {
        self.receipts.as_deref().ok_or(ServiceError::NotGranted(ServiceName::Receipts.name()))
    }
}

/// A record's number within its module and scope. Never given out twice, also after a removal or a restart.
pub type RecordId = i64;

/// Small JSON records that a module keeps, each in a scope: a community (see [`Place::scope`]), or a person in it.
#[async_trait]
pub trait Records: Send + Sync {
    /// Adds a record and returns its number. At most `limit` records may be in the scope.
    async fn add(&self, module: &str, scope: &str, body: &Value, limit: usize) -> Result<RecordId, ServiceError>;
    /// All records of a scope, oldest first.
    async fn list(&self, module: &str, scope: &str) -> Result<Vec<(RecordId, Value)>, ServiceError>;
    /// One record.
    async fn get(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError>;
    /// Replaces a record if it still says `expected`; says whether it did. What another call changed in
    /// the meantime is never overwritten.
    async fn replace(
        &self,
        module: &str,
        scope: &str,
        id: RecordId,
        expected: &Value,
        body: &Value,
    ) -> Result<bool, ServiceError>;
    /// Removes a record and returns what it said, if it was there.
    async fn remove(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError>;
}

/// The records of one module in one scope: all that the module can reach of them.
pub struct OwnRecords<'a> {
    records: &'a dyn Records,
    module: &'a str,
    scope: &'a str,
}

impl OwnRecords<'_> {
    /// See [`Records::add`].
    pub async fn add(&self, body: &Value, limit: usize) -> Result<RecordId, ServiceError> {
        self.records.add(self.module, self.scope, body, limit).await
    }

    /// See [`Records::list`].
    pub async fn list(&self) -> Result<Vec<(RecordId, Value)>, ServiceError> {
        self.records.list(self.module, self.scope).await
    }

    /// See [`Records::get`].
    pub async fn get(&self, id: RecordId) -> Result<Option<Value>, ServiceError> {
        self.records.get(self.module, self.scope, id).await
    }

    /// See [`Records::replace`].
    pub async fn replace(&self, id: RecordId, expected: &Value, body: &Value) -> Result<bool, ServiceError> {
        self.records.replace(self.module, self.scope, id, expected, body).await
    }

    /// See [`Records::remove`].
    pub async fn remove(&self, id: RecordId) -> Result<Option<Value>, ServiceError> {
        self.records.remove(self.module, self.scope, id).await
    }
}

/// The live metrics file.
pub trait Live: Send + Sync {
    /// What the file says now. Never waits, never touches the disk.
    fn observe(&self) -> Observation<Map<String, Value>>;
    /// How the operator wants it shown.
    fn presentation(&self) -> &Presentation;
}

/// What a watched file says, and what is wrong with it. Both may be present: the last good value stays
/// while the file is broken. Neither is, while the file was not read yet.
#[derive(Debug, PartialEq)]
pub struct Observation<T> {
    /// The path as the operator wrote it.
    pub path: String,
    /// The last whole and valid content.
    pub good: Option<Good<T>>,
    /// Why the file as it is now is not that content.
    pub trouble: Option<Trouble>,
}

/// A whole and valid content of a watched file.
#[derive(Debug, PartialEq)]
pub struct Good<T> {
    /// The content.
    pub value: Arc<T>,
    /// The file's modification time when it was read.
    pub modified: SystemTime,
}

// By hand, because to derive them would ask for contents that can be cloned, and these are shared.
impl<T> Clone for Observation<T> {
    fn clone(&self) -> Self {
        Self { path: self.path.clone(), good: self.good.clone(), trouble: self.trouble.clone() }
    }
}

impl<T> Clone for Good<T> {
    fn clone(&self) -> Self {
        Self { value: Arc::clone(&self.value), modified: self.modified }
    }
}

/// What is wrong with a watched file now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// There is no such file.
    Missing {
        /// Since when.
        since: SystemTime,
    },
    /// It cannot be read, or it does not say anything valid.
    Invalid {
        /// Since when.
        since: SystemTime,
        /// What is wrong, with line and column where there are any.
        problem: String,
    },
}

/// How live metrics are shown: `[status]` of the settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Presentation {
    /// The top-level key that says when the producer wrote the file: RFC 3339 text, or seconds or
    /// milliseconds since 1970.
    pub generated_at: String,
    /// Older than this is stale.
    pub stale_after: Duration,
    /// By key, dotted for groups (`memory.used_bytes`).
    pub metrics: BTreeMap<String, Metric>,
}

/// How one metric is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metric {
    /// The name shown; else made of the key.
    pub label: Option<String>,
    /// `%`, `bytes`, `bytes/s`, `seconds`, or any text set behind the number.
    pub unit: Option<String>,
    /// Where a chart of it has lines, from low to high.
    pub thresholds: Vec<f64>,
}

/// Conversations with the chat model.
#[async_trait]
pub trait Talk: Send + Sync {
    /// The configured models, the default first. Empty when no model is configured.
    fn models(&self) -> &[String];
    /// The model this conversation uses.
    async fn model_of(&self, place: Place, user: UserId) -> Result<Option<String>, ServiceError>;
    /// Sets it.
    async fn set_model(&self, place: Place, user: UserId, model: &str) -> Result<(), ServiceError>;
    /// Forgets what was said and counts it.
    async fn clear(&self, place: Place, user: UserId) -> Result<ClearedConversation, ServiceError>;
}

/// What [`Talk::clear`] forgot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearedConversation {
    /// Messages, the person's and the model's together.
    pub messages: u64,
}

/// Some of a person's receipts in one place.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiptList {
    /// Those that were asked for, newest first.
    pub entries: Vec<Entry>,
    /// How many there are in all.
    pub total: u64,
}

/// The ledger, to be read.
#[async_trait]
pub trait ReceiptBook: Send + Sync {
    /// The receipt of that id.
    async fn find(&self, id: ReceiptId) -> Result<Option<Entry>, ServiceError>;
    /// The caller's last receipt in this place, of any command but `except`.
    async fn last(&self, caller: &Caller, place: Place, except: &str) -> Result<Option<Entry>, ServiceError>;
    /// What the command of that receipt answered, if its answer could not be shown when it came.
    async fn kept_answer(&self, id: ReceiptId, now: SystemTime) -> Result<Option<String>, ServiceError>;
    /// The caller's receipts in this place, newest first, of any command but `except`: so many of them from this one on,
    /// and how many there are.
    async fn list(
        &self,
        caller: &Caller,
        place: Place,
        except: &str,
        range: Range<u64>,
    ) -> Result<ReceiptList, ServiceError>;
    /// The chat turn that a message of Discord shows the reply of.
    async fn turn_of_message(&self, message: u64) -> Result<Option<KeptTurn>, ServiceError>;
    /// The caller's last chat turn in this place.
    async fn last_turn(&self, caller: &Caller, place: Place) -> Result<Option<KeptTurn>, ServiceError>;
}
