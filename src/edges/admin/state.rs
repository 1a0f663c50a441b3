//! The state of the bot that the operator's port shows.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use candor_core::record::{Counters, Readiness};

#[derive(Clone)]
pub struct AdminState {
    pub readiness: Arc<Readiness>,
    pub counters: Arc<Counters>,
    /// Whether requests to the provider are paused; `None` without a model.
    pub is_breaker_open: Option<Gauge>,
    /// The status of the commands at Discord; `None` at the console.
    pub registered: Option<States>,
    /// How many guilds have outdated commands at Discord, if each guild has its own set.
    pub servers_behind: Option<Known>,
    /// The shards of the connection to Discord; `None` at the console.
    pub shards: Option<Shards>,
    pub lines_dropped: Count,
    pub reloads: Option<Reloads>,
    /// Measures store and disk, and sets their latches.
    pub look: Option<Look>,
    pub modules: Option<Arc<dyn Fn() -> Modules + Send + Sync>>,
    /// The resource use of this process, if the system reports it.
    pub process: Option<Arc<dyn Fn() -> Option<Process> + Send + Sync>>,
}

impl AdminState {
    /// Creates the state that every bot has; the other parts follow later.
    pub fn new(readiness: Arc<Readiness>, counters: Arc<Counters>, lines_dropped: Count) -> Self {
        let (is_breaker_open, registered, servers_behind, shards, reloads) = (None, None, None, None, None);
        let (look, modules, process) = (None, None, None);
        Self {
            readiness,
            counters,
            is_breaker_open,
            registered,
            servers_behind,
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

/// Measurements of store and disk, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The size of the store, if it reports one.
    pub store_size: Option<u64>,
    /// The free space on the disk of the data folder, if known.
    pub disk_free: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modules {
    pub modules: usize,
    /// Modules that failed the check.
    pub rejected: usize,
    pub commands: usize,
    /// Commands of modules that failed the check.
    pub unavailable: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// In bytes.
    pub memory: u64,
    pub processor_time: Duration,
    /// The start time, in seconds since 1970.
    pub started: u64,
    /// The number of open files, if the system reports it.
    pub open_files: Option<usize>,
}

#[derive(Clone)]
pub struct States {
    pub names: &'static [&'static str],
    pub now: Arc<dyn Fn() -> &'static str + Send + Sync>,
}

/// One shard of the connection to Discord.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Whether it has a session and a connection.
    pub is_connected: bool,
    /// Time since the last acknowledged heartbeat.
    pub acknowledged: Option<Duration>,
    /// Time since the last event.
    pub event: Option<Duration>,
}

pub type Shards = Arc<dyn Fn() -> Vec<Shard> + Send + Sync>;

/// Reloads the modules, and reports the results of reloads.
#[derive(Clone)]
pub struct Reloads {
    /// Reloads now. Returns the changes or the errors.
    pub now: Arc<dyn Fn() -> BoxFuture<'static, Result<String, String>> + Send + Sync>,
    /// Whether the last reload failed, so that the previous version stays in force.
    pub has_failed: Gauge,
    pub done: Count,
    pub failed: Count,
}

pub type Count = Arc<dyn Fn() -> u64 + Send + Sync>;

pub type Known = Arc<dyn Fn() -> Option<u64> + Send + Sync>;

pub type Gauge = Arc<dyn Fn() -> bool + Send + Sync>;
