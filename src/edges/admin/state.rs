//! The state of the bot that the operator's port shows.

use std::sync::Arc;

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
    /// Counts the lines of the log that were dropped.
    pub lines_dropped: Count,
}

/// The state of another part, as one of a closed set.
#[derive(Clone)]
pub struct States {
    /// The names of all states.
    pub names: &'static [&'static str],
    /// Returns the name of the present state.
    pub now: Arc<dyn Fn() -> &'static str + Send + Sync>,
}

/// Returns a count of another part.
pub type Count = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Returns a yes-or-no state of another part.
pub type Gauge = Arc<dyn Fn() -> bool + Send + Sync>;
