//! Requests that Discord refused, counted across restarts: a bot that restarts again and again must not risk a ban of
//! its address with each start.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use candor_core::contract::ServiceError;

/// Discord counts refused requests over this time.
pub const REFUSALS_WITHIN: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedInMinute {
    /// When the minute ends.
    pub ends: SystemTime,
    pub n: u64,
}

/// Stores how many requests were refused, for every process on the same store.
#[async_trait]
pub trait RefusedRequests: Send + Sync {
    /// Adds `n` refused requests in the minute of `now`. Returns the counts of each minute within [`REFUSALS_WITHIN`],
    /// oldest first. Deletes older counts, and counts with a time in the future.
    ///
    /// # Errors
    /// Fails if the store fails. It is then unknown whether they were added.
    async fn add_refused(&self, n: u64, now: SystemTime) -> Result<Vec<RefusedInMinute>, ServiceError>;
}
