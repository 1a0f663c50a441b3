//! The state of the bot that the operator's port shows.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use candor_core::record::{Counters, Measured, ProcessFigures, Readiness, ReloadState, ShardState};

/// The state that is exposed here.
#[derive(Clone)]
pub struct AdminState {
    /// What is ready.
    pub readiness: Arc<Readiness>,
    /// The counters.
    pub counters: Arc<Counters>,
    /// Whether requests to the model's server are paused, if a model is configured.
    pub is_breaker_open: Option<Gauge>,
    /// The status of the commands at Discord, if that is the edge.
    pub registered: Option<States>,
    /// The shards of the connection to Discord, if that is the edge.
    pub shards: Option<Shards>,
    /// Counts the lines of the log that were dropped.
    pub lines_dropped: Count,
    /// Reloads the modules, where that is possible.
    pub reloads: Option<Reloads>,
    /// Looks at store and disk, and sets their latches.
    pub look: Option<Look>,
    /// The modules and commands in force.
    pub modules: Option<Arc<dyn Fn() -> Modules + Send + Sync>>,
    /// The figures of this process, if the system says them.
    pub process: Option<Arc<dyn Fn() -> Option<ProcessFigures> + Send + Sync>>,
}

impl AdminState {
    /// What every bot has, before the other parts are known.
    pub fn new(readiness: Arc<Readiness>, counters: Arc<Counters>, lines_dropped: Count) -> Self {
        let (is_breaker_open, registered, shards, reloads) = (None, None, None, None);
        let (look, modules, process) = (None, None, None);
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

    /// Looks at store and disk, where that is possible.
    pub(super) async fn measured(&self) -> Measured {
        match &self.look {
            Some(look) => look().await,
            None => Measured::default(),
        }
    }
}

/// Looks at store and disk. Takes a second or so at most.
pub type Look = Arc<dyn Fn() -> BoxFuture<'static, Measured> + Send + Sync>;

/// How many modules and commands there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modules {
    /// The modules in force.
    pub modules: usize,
    /// Those that failed their check.
    pub rejected: usize,
    /// The commands in force.
    pub commands: usize,
    /// Those of modules that failed their check.
    pub unavailable: usize,
}

/// The state of another part, as one of a closed set.
#[derive(Clone)]
pub struct States {
    /// The names of all states.
    pub names: &'static [&'static str],
    /// Returns the name of the present state.
    pub now: Arc<dyn Fn() -> &'static str + Send + Sync>,
}

/// Returns the state of every shard, in their order.
pub type Shards = Arc<dyn Fn() -> Vec<ShardState> + Send + Sync>;

/// Reloads the modules, and tells how that goes.
#[derive(Clone)]
pub struct Reloads {
    /// Reloads them now. Tells what changed, or what is wrong.
    pub now: Arc<dyn Fn() -> BoxFuture<'static, Result<String, String>> + Send + Sync>,
    /// How they went.
    pub state: Arc<ReloadState>,
}

/// Returns a count of another part.
pub type Count = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Returns a yes-or-no state of another part.
pub type Gauge = Arc<dyn Fn() -> bool + Send + Sync>;
