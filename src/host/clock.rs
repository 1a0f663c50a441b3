//! The clock. Everywhere else, time is an argument.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use candor_core::contract::ServiceError;

/// How often the clock is compared with that of the store's server.
const COMPARED_EVERY: Duration = Duration::from_mins(1);

/// How far apart clocks may be: a synchronized one is never further ahead.
const APART_MAX: Duration = Duration::from_secs(2);

/// Tells the time. A trait, so that tests can set it.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> SystemTime;
}

/// Tells the time of the server that keeps the store.
#[async_trait]
pub trait StoreTime: Send + Sync {
    /// The server's time. `None` if there is no server: then nobody else's clock counts.
    async fn time(&self) -> Result<Option<SystemTime>, ServiceError>;
}

/// A clock that is not ahead of the store's server: of several processes on one store, one whose host is ahead would
/// remove or close what is young to the others. A clock that is behind only keeps things for longer.
pub struct HeldBack {
    own: Arc<dyn Clock>,
    store: Arc<dyn StoreTime>,
    ahead_ms: AtomicU64,
}

impl HeldBack {
    /// This clock, until the first comparison as it is.
    pub fn new(own: Arc<dyn Clock>, store: Arc<dyn StoreTime>) -> Self {
        Self { own, store, ahead_ms: AtomicU64::new(0) }
    }

    /// Compares it with the store's server.
    ///
    /// # Errors
    /// If the server does not answer: what was found before holds.
    pub async fn compare(&self) -> Result<(), ServiceError> {
        // Read before the question: a slow answer makes it seem behind, never ahead.
        let own = self.own.now();
        let Some(server) = self.store.time().await? else { return Ok(()) };
        let ahead = own.duration_since(server).unwrap_or_default();
        let ahead_ms = if ahead <= APART_MAX { 0 } else { u64::try_from(ahead.as_millis()).unwrap_or(u64::MAX) };
        match (self.ahead_ms.swap(ahead_ms, Ordering::Relaxed), ahead_ms) {
            (0, 0) => {}
            (0, ahead_ms) => warn!(ahead_ms, "this host's clock is ahead of the store's server, whose time is used"),
            (_, 0) => info!("this host's clock is no longer ahead of the store's server"),
            (_, _) => {}
        }
        Ok(())
    }

    /// Compares it again and again, until `stop`.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        while stop.run_until_cancelled(tokio::time::sleep(COMPARED_EVERY)).await.is_some() {
            if let Err(problem) = self.compare().await {
                warn!(error = %problem, "the clock could not be compared with that of the store's server");
            }
        }
    }
}

impl Clock for HeldBack {
    fn now(&self) -> SystemTime {
        let ahead = Duration::from_millis(self.ahead_ms.load(Ordering::Relaxed));
        self.own.now().checked_sub(ahead).unwrap_or(SystemTime::UNIX_EPOCH)
    }
}
