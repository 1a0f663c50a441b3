//! The clock. Everywhere else, time is an argument.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use candor_core::contract::ServiceError;

/// How often the clock is compared with the store server's.
const COMPARED_EVERY: Duration = Duration::from_mins(1);

/// How far apart clocks may be: a synchronized clock is never further off.
const APART_MAX: Duration = Duration::from_secs(2);

/// A source of the time. A trait, so that tests can set it.
pub trait Clock: Send + Sync {
    fn now(&self) -> SystemTime;
}

#[async_trait]
pub trait StoreTime: Send + Sync {
    /// Returns the server's time. `None` if there is no server: then only this host's clock counts.
    async fn time(&self) -> Result<Option<SystemTime>, ServiceError>;
}

/// A clock that follows the store server's clock. Several processes share a store and compare stored times with their
/// clocks. If one is ahead, it would remove or close data that is recent for the others. If one is behind, its leases
/// would be expired for the others, so that two processes hold one lease.
pub struct ServerClock {
    own: Arc<dyn Clock>,
    store: Arc<dyn StoreTime>,
    /// How far this host's clock is ahead of the server's, in ms; negative if it is behind, 0 if it is close enough.
    offset_ms: AtomicI64,
}

impl ServerClock {
    /// Creates a clock that shows this host's time until the first comparison.
    pub fn new(own: Arc<dyn Clock>, store: Arc<dyn StoreTime>) -> Self {
        Self { own, store, offset_ms: AtomicI64::new(0) }
    }

    /// Compares this host's clock with the store server's.
    ///
    /// # Errors
    /// Fails if the server does not respond. The previous offset stays in force.
    pub async fn compare(&self) -> Result<(), ServiceError> {
        // The server's time is from a moment between these two calls: a slow response proves little.
        let before = self.own.now();
        let Some(server) = self.store.time().await? else { return Ok(()) };
        let after = self.own.now();
        let offset_ms = match (before.duration_since(server), server.duration_since(after)) {
            (Ok(ahead), _) if APART_MAX < ahead => in_ms(ahead),
            (_, Ok(behind)) if APART_MAX < behind => -in_ms(behind),
            _ => 0,
        };
        match (self.offset_ms.swap(offset_ms, Ordering::Relaxed), offset_ms) {
            (0, 0) => {}
            (0, ahead_ms) => warn!(ahead_ms, "this host's clock differs from the store's server, whose time is used"),
            (_, 0) => info!("this host's clock no longer differs from the store's server"),
            (_, _) => {}
        }
        Ok(())
    }

    /// Repeats the comparison until `stop`.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        while stop.run_until_cancelled(tokio::time::sleep(COMPARED_EVERY)).await.is_some() {
            if let Err(problem) = self.compare().await {
                warn!(error = %problem, "the clock could not be compared with that of the store's server");
            }
        }
    }
}

impl Clock for ServerClock {
    fn now(&self) -> SystemTime {
        let own = self.own.now();
        let offset_ms = self.offset_ms.load(Ordering::Relaxed);
        let offset = Duration::from_millis(offset_ms.unsigned_abs());
        if offset_ms < 0 {
            own.checked_add(offset).unwrap_or(own)
        } else {
            own.checked_sub(offset).unwrap_or(SystemTime::UNIX_EPOCH)
        }
    }
}

fn in_ms(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// A clock, or a server's, that shows what it is set to, in seconds since 1970.
    struct Set(Mutex<u64>);

    impl Clock for Set {
        fn now(&self) -> SystemTime {
            SystemTime::UNIX_EPOCH + Duration::from_secs(*self.0.lock().unwrap())
        }
    }

    #[async_trait]
    impl StoreTime for Set {
        async fn time(&self) -> Result<Option<SystemTime>, ServiceError> {
            Ok(Some(self.now()))
        }
    }

    #[tokio::test]
    async fn a_clock_that_is_ahead_or_behind_shows_the_time_of_the_server() {
        const SERVER: u64 = 1_000_000;
        let own = Arc::new(Set(Mutex::new(SERVER)));
        let server = Arc::new(Set(Mutex::new(SERVER)));
        let clock = ServerClock::new(own.clone(), server.clone());
        // This host's clock, and what is shown once it was compared.
        let cases = [
            (SERVER, SERVER),
            (SERVER + 2, SERVER + 2),
            (SERVER - 2, SERVER - 2),
            (SERVER + 3, SERVER),
            (SERVER - 3, SERVER),
            (SERVER + 400 * 86_400, SERVER),
            (0, SERVER),
            (SERVER + 1, SERVER + 1),
        ];
        for (shows, expected) in cases {
            *own.0.lock().unwrap() = shows;
            clock.compare().await.unwrap();
            assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + Duration::from_secs(expected), "{shows}");
        }
        // What was found holds until the next comparison.
        *own.0.lock().unwrap() = SERVER - 60;
        clock.compare().await.unwrap();
        *own.0.lock().unwrap() += 10;
        assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + Duration::from_secs(SERVER + 10));
    }
}
