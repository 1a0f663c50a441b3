//! Signed heads of the receipts, published where nobody with access to the store can take them back.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use candor_core::contract::ServiceError;
use candor_core::record::SignedHead;

#[async_trait]
pub trait PublishedHeads: Send + Sync {
    /// Returns the last signed head. `None` if there is no receipt yet.
    async fn newest_head(&self) -> Result<Option<SignedHead>, ServiceError>;
    /// Returns whether it is this process's turn to publish in a place: once in `every`, over all processes.
    async fn takes_turn(&self, place: &str, now: SystemTime, every: Duration) -> Result<bool, ServiceError>;
    /// Gives the turn back, until a moment: nothing was published.
    async fn gives_back(&self, place: &str, until: SystemTime, every: Duration) -> Result<(), ServiceError>;
}
