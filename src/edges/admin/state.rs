//! The state of the bot that the operator's port shows.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use candor_core::record::{Counters, Readiness};

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
}

/// The state of another part, as one of a closed set.
#[derive(Clone)]
pub struct States {
    /// The names of all states.
    pub names: &'static [&'static str],
    /// Returns the name of the present state.
    pub now: Arc<dyn Fn() -> &'static str + Send + Sync>,
}

/// One shard of the connection to Discord.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Whether it has a session and a connection.
    pub is_connected: bool,
    /// How long ago Discord acknowledged a heartbeat.
    pub acknowledged: Option<Duration>,
    /// How long ago an event came.
    pub event: Option<Duration>,
}

/// Returns the state of every shard, in their order.
pub type Shards = Arc<dyn Fn() -> Vec<Shard> + Send + Sync>;

/// Reloads the modules, and tells how that goes.
#[derive(Clone)]
pub struct Reloads {
    /// Reloads them now. Tells what changed, or what is wrong.
    pub now: Arc<dyn Fn() -> BoxFuture<'static, Result<String, String>> + Send + Sync>,
    /// Whether the last reload failed, so that what was in force before stays.
    pub has_failed: Gauge,
    /// Counts those that came into force.
    pub done: Count,
    /// Counts those that failed.
    pub failed: Count,
}

/// Returns a count of another part.
pub type Count = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Returns a yes-or-no state of another part.
pub type Gauge = Arc<dyn Fn() -> bool + Send + Sync>;
