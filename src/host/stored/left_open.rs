//! What processes left open when they ended, as a store is asked for it.

use std::time::{Duration, SystemTime};

use candor_core::inbound::EventId;

/// What of that which is open nobody goes on with: what a process left that has ended. Where that cannot be found out,
/// it is what has been open for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOpen {
    /// The time.
    pub now: SystemTime,
    /// The longest that anything is under way.
    pub longest: Duration,
    /// Only what comes after this event, in the order of the store. None: from the first one on.
    pub after: Option<EventId>,
}

impl LeftOpen {
    /// All that is left open.
    pub fn all(now: SystemTime, longest: Duration) -> Self {
        Self { now, longest, after: None }
    }
}
