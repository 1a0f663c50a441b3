//! Pending IDENTIFYs (without a session yet) and refused requests, counted across restarts. A bot that restarts again and
//! again must not use up the logins of the day, or risk a ban of its address.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use candor_core::contract::ServiceError;

/// Stores pending logins, for every process on the same store.
#[async_trait]
pub trait PendingLogins: Send + Sync {
    /// Stores a login. Deletes those of more than a day before it.
    async fn login_made(&self, at: SystemTime) -> Result<(), ServiceError>;
    /// Removes the login of this time, which led to a session.
    async fn login_succeeded(&self, at: SystemTime) -> Result<(), ServiceError>;
    /// Returns the logins since then without a session, oldest first, at most a thousand.
    async fn pending_logins(&self, since: SystemTime) -> Result<Vec<SystemTime>, ServiceError>;
}

/// Discord counts refused requests over this time.
pub const REFUSALS_WITHIN: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedInMinute {
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
