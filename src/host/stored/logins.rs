//! Pending IDENTIFYs (no session came yet), counted over restarts: a bot that Discord refuses must not use up the
//! logins of the day by being started again and again.

use std::time::SystemTime;

use async_trait::async_trait;

use candor_core::contract::ServiceError;

/// Stores them, for every process on the same store.
#[async_trait]
pub trait PendingLogins: Send + Sync {
    /// A login was made then. Those of more than a day before it are forgotten.
    async fn login_made(&self, at: SystemTime) -> Result<(), ServiceError>;
    /// A session came of the login of then.
    async fn login_succeeded(&self, at: SystemTime) -> Result<(), ServiceError>;
    /// The logins since then of which no session came, oldest first, at most a thousand.
    async fn pending_logins(&self, since: SystemTime) -> Result<Vec<SystemTime>, ServiceError>;
}
