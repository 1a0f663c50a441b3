//! Leases: which of several processes does a shared job.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::host::clock::Clock;
use candor_core::agent::ConversationKey;
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;

/// Lends each name to one process at a time. A process that ends without giving a lease back keeps it until it is over.
#[async_trait]
pub trait Leases: Send + Sync {
    /// Takes a lease until `now + lasts` (an hour at most), or renews the one that this process has. False if another
    /// process has it: then nothing changes.
    ///
    /// # Errors
    /// If the store fails: then nobody knows who has it, and whoever asked should do as if another process had it.
    async fn take_lease(&self, name: &str, lasts: Duration, now: SystemTime) -> Result<bool, ServiceError>;
    /// Gives a lease back, if this process has it.
    ///
    /// # Errors
    /// If the store fails. The lease ends by itself.
    async fn give_back_lease(&self, name: &str) -> Result<(), ServiceError>;
    /// This process lives until `now + lasts`: what it has open is its own. Nothing where no other one shares the
    /// store, or where processes know of each other by another way.
    ///
    /// # Errors
    /// If the store fails.
    async fn lives(&self, _lasts: Duration, _now: SystemTime) -> Result<(), ServiceError> {
        Ok(())
    }
    /// This process has nothing open any more.
    ///
    /// # Errors
    /// If the store fails.
    async fn has_ended(&self) -> Result<(), ServiceError> {
        Ok(())
    }
}

/// After this time without a sign of life a process is taken to have ended: others tell how its commands ended.
const LIVES: Duration = Duration::from_secs(45);

/// How often it gives one.
const SIGN_EVERY: Duration = Duration::from_secs(15);

/// Gives a sign of life, and then returns what gives the others, until `stop`.
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

/// The lease of the process that runs the turn of a conversation.
pub fn turn_lease(key: &ConversationKey) -> String {
    format!("{}{}", turn_leases_of(key.user), key.place)
}

/// How the names of all leases of turns of this person begin.
pub fn turn_leases_of(user: UserId) -> String {
    format!("turn:{user} ")
}
