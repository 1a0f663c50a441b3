//! Leases: they decide which of several processes does a shared job.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::clock::Clock;
use candor_core::agent::ConversationKey;
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;

/// Lends each name to one process at a time. If a process ends without giving a lease back, the lease lasts until it
/// expires.
#[async_trait]
pub trait Leases: Send + Sync {
    /// Takes a lease until `now + lasts` (an hour at most), or renews this process's lease. Returns false, and changes
    /// nothing, if another process has it.
    ///
    /// # Errors
    /// Fails if the store fails. The owner is then unknown, and the caller should act as if another process had the
    /// lease.
    async fn take_lease(&self, name: &str, lasts: Duration, now: SystemTime) -> Result<bool, ServiceError>;
    /// Gives a lease back, if this process has it.
    ///
    /// # Errors
    /// Fails if the store fails. The lease expires by itself.
    async fn give_back_lease(&self, name: &str) -> Result<(), ServiceError>;
    /// Records that this process lives until `now + lasts`, so that other processes leave its open work alone. Does
    /// nothing if no other process shares the store, or if processes detect each other in another way.
    ///
    /// # Errors
    /// Fails if the store fails.
    async fn lives(&self, _lasts: Duration, _now: SystemTime) -> Result<(), ServiceError> {
        Ok(())
    }
    /// Records that this process has no open work any more.
    ///
    /// # Errors
    /// Fails if the store fails.
    async fn has_ended(&self) -> Result<(), ServiceError> {
        Ok(())
    }
}

/// A process without a sign of life for this time counts as ended: others then close its runs.
const LIVES: Duration = Duration::from_secs(45);

/// The interval between signs of life.
const SIGN_EVERY: Duration = Duration::from_secs(15);

/// Gives a sign of life. The returned future gives the others until `stop`.
pub async fn living(
    leases: Arc<dyn Leases>,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
) -> impl Future<Output = ()> {
    sign(&*leases, &*clock).await;
    async move {
        while stop.run_until_cancelled(tokio::time::sleep(SIGN_EVERY)).await.is_some() {
            sign(&*leases, &*clock).await;
        }
        if let Err(problem) = leases.has_ended().await {
            warn!(error = %problem, "other processes learn only after a while that this one has ended");
        }
    }
}

async fn sign(leases: &dyn Leases, clock: &dyn Clock) {
    if let Err(problem) = leases.lives(LIVES, clock.now()).await {
        warn!(error = %problem, "other processes may take this one to have ended");
    }
}

/// Returns the name of the lease for the turns of a conversation.
pub fn turn_lease(key: &ConversationKey) -> String {
    format!("{}{}", turn_leases_of(key.user), key.place)
}

/// Returns the common prefix of the lease names for this person's turns.
pub fn turn_leases_of(user: UserId) -> String {
    format!("turn:{user} ")
}
