//! The clock. Everywhere else, time is an argument.

use std::time::SystemTime;

/// Tells the time. A trait, so that tests can set it.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> SystemTime;
}
