//! The query for work that ended processes left open.

use std::time::{Duration, SystemTime};

use candor_core::inbound::EventId;

/// Selects work abandoned by a process that has ended. If that cannot be found out, selects work that has been open for
/// too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOpen {
    pub now: SystemTime,
    /// The longest that any work takes.
    pub longest: Duration,
    /// Select only work after this event, in the order of the store. `None` selects from the first one on.
    pub after: Option<EventId>,
}

impl LeftOpen {
    pub fn all(now: SystemTime, longest: Duration) -> Self {
        Self { now, longest, after: None }
    }
}
