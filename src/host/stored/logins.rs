//! Pending IDENTIFYs (without a session yet), counted across restarts. A bot that Discord refuses must not use up the
//! logins of the day by restarting again and again.

use std::time::SystemTime;

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
