//! The state of the bot that the operator's port shows.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use candor_core::record::{Counters, Measured, ProcessFigures, Readiness, ReloadState, ShardState};

#[derive(Clone)]
pub struct AdminState {
    pub readiness: Arc<Readiness>,
    pub counters: Arc<Counters>,
    /// Whether requests to the provider are paused; `None` without a model.
    pub is_breaker_open: Option<Gauge>,
    /// The status of the commands at Discord; `None` at the console.
    pub registered: Option<States>,
    /// The shards of the connection to Discord; `None` at the console.
    pub shards: Option<Shards>,
    pub lines_dropped: Count,
    pub reloads: Option<Reloads>,
    /// Measures store and disk, and sets their latches.
    pub look: Option<Look>,
    pub modules: Option<Arc<dyn Fn() -> Modules + Send + Sync>>,
    /// The resource use of this process, if the system reports it.
    pub process: Option<Arc<dyn Fn() -> Option<ProcessFigures> + Send + Sync>>,
}

impl AdminState {
    /// Creates the state that every bot has; the other parts follow later.
    pub fn new(readiness: Arc<Readiness>, counters: Arc<Counters>, lines_dropped: Count) -> Self {
        let is_breaker_open = None;
        let registered = None;
        let shards = None;
        let reloads = None;
        let look = None;
        let modules = None;
        let process = None;
        Self {
            readiness,
            counters,
            is_breaker_open,
            registered,
            shards,
            lines_dropped,
            reloads,
            look,
            modules,
            process,
        }
    }

    pub(super) async fn measured(&self) -> Measured {
        match &self.look {
            Some(look) => look().await,
            None => Measured::default(),
        }
    }
}

/// Measures store and disk. Takes about a second at most.
pub type Look = Arc<dyn Fn() -> BoxFuture<'static, Measured> + Send + Sync>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modules {
    pub modules: usize,
    /// Modules that failed the check.
    pub rejected: usize,
    pub commands: usize,
    /// Commands of modules that failed the check.
    pub unavailable: usize,
}

#[derive(Clone)]
pub struct States {
    pub names: &'static [&'static str],
    pub now: Arc<dyn Fn() -> &'static str + Send + Sync>,
}

pub type Shards = Arc<dyn Fn() -> Vec<ShardState> + Send + Sync>;

/// Reloads the modules, and reports the results of reloads.
#[derive(Clone)]
pub struct Reloads {
    /// Reloads now. Returns the changes or the errors.
    pub now: Arc<dyn Fn() -> BoxFuture<'static, Result<String, String>> + Send + Sync>,
    pub state: Arc<ReloadState>,
}

pub type Count = Arc<dyn Fn() -> u64 + Send + Sync>;

pub type Gauge = Arc<dyn Fn() -> bool + Send + Sync>;
