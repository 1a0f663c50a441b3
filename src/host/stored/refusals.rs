//! Requests that Discord refused, counted over restarts: a bot that is started again and again must not risk the ban of
//! its address anew with each start.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use candor_core::contract::ServiceError;

/// Discord counts refused requests over this time.
pub const REFUSALS_WITHIN: Duration = Duration::from_secs(600);

/// Requests of one minute that Discord refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedInMinute {
    /// When the minute ends.
    pub ends: SystemTime,
    /// How many there were.
    pub n: u64,
}

/// Stores how many requests were refused, for every process on the same store.
#[async_trait]
pub trait RefusedRequests: Send + Sync {
    /// Adds so many that were refused in the minute of `now`, and returns those of each minute within
    /// [`REFUSALS_WITHIN`], oldest first. Older ones are forgotten, and so are those of a time that is still to come.
    ///
    /// # Errors
    /// If the store fails: then it is not known whether they were added.
    async fn add_refused(&self, n: u64, now: SystemTime) -> Result<Vec<RefusedInMinute>, ServiceError>;
}
