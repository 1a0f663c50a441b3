//! The clock: time is an argument everywhere else.

use std::time::SystemTime;

/// Tells the time. A trait, so that tests can.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> SystemTime;
}
