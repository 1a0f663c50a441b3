//! Leases: which of several processes does a shared job.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

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
}

/// The lease of the process that runs the turn of a conversation.
pub fn turn_lease(key: &ConversationKey) -> String {
    format!("{}{}", turn_leases_of(key.user), key.place)
}

/// How the names of all leases of turns of this person begin.
pub fn turn_leases_of(user: UserId) -> String {
    format!("turn:{user} ")
}
