//! Health of store and disk, checked only on request, so that an idle bot writes nothing.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Mutex;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, timeout};
use tracing::{info, warn};

use candor_core::contract::ServiceError;
use candor_core::record::{Latch, Measured, Readiness};

/// How long a result is reused. The store is written at most this often, even if health is asked for more often.
const LOOKED_FOR: Duration = Duration::from_secs(5);
/// The same while something is not ready, so that a recovery shows soon.
const FAILED_FOR: Duration = Duration::from_secs(1);
/// How long a check of store and disk may take. The health check command times out after 2 s.
const LOOK_WITHIN: Duration = Duration::from_secs(1);
/// The least free disk space, in bytes, with which the bot is ready. Some thousand receipts fit into it.
const FREE_MIN: u64 = 16 * 1024 * 1024;

#[async_trait]
pub trait StoreProbe: Send + Sync {
    /// Writes something without effect. It is on the disk when this returns.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    async fn probe(&self) -> Result<(), ServiceError>;
    /// Returns the size of the store in bytes.
    ///
    /// # Errors
    /// Fails if the store fails.
    async fn size(&self) -> Result<Option<u64>, ServiceError>;
}

/// Returns the free space for the data folder in bytes, or `None` if it is unknown. May block.
pub type Disk = Arc<dyn Fn() -> Option<u64> + Send + Sync>;

pub struct Health {
    store: Arc<dyn StoreProbe>,
    disk: Disk,
    readiness: Arc<Readiness>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    looked: Option<Instant>,
    measured: Measured,
    /// A probe that did not end in time. The next one starts only after it has ended.
    probing: Option<JoinHandle<Result<(), ServiceError>>>,
}

impl Health {
    pub fn new(store: Arc<dyn StoreProbe>, disk: Disk, readiness: Arc<Readiness>) -> Self {
        Self { store, disk, readiness, state: Mutex::default() }
    }

    /// Checks store and disk and sets their latches, unless the last result is recent. Takes a second at most.
    pub async fn look(&self) -> Measured {
        let mut state = self.state.lock().await;
        let is_ready = |wanted: Latch| self.readiness.read().any(|(latch, is_ready, _)| latch == wanted && is_ready);
        let lasts = if is_ready(Latch::Store) && is_ready(Latch::Disk) { LOOKED_FOR } else { FAILED_FOR };
        if state.looked.is_some_and(|looked| looked.elapsed() < lasts) {
            return state.measured;
        }
        let disk = self.disk.clone();
        let probing = state.probing.take().unwrap_or_else(|| {
            let store = self.store.clone();
            tokio::spawn(async move { store.probe().await })
        });
        let size = timeout(LOOK_WITHIN, self.store.size());
        let free = timeout(LOOK_WITHIN, spawn_blocking(move || disk()));
        let (probed, size, free) = tokio::join!(probed(probing), size, free);
        let (is_well, probing) = probed;
        state.measured = Measured {
            store_size: size.ok().and_then(Result::ok).flatten(),
            disk_free: free.ok().and_then(Result::ok).flatten(),
        };
        state.probing = probing;
        let is_first = state.looked.replace(Instant::now()).is_none();
        self.set(Latch::Store, is_well, is_first, "the store cannot be written");
        // A disk with unknown free space counts as ready.
        let has_room = state.measured.disk_free.is_none_or(|free| FREE_MIN <= free);
        self.set(Latch::Disk, has_room, is_first, "the disk of the data folder is full");
        state.measured
    }

    /// Sets a latch, and logs a change. A part that is ready at the start is not logged.
    fn set(&self, latch: Latch, ready: bool, is_first: bool, problem: &str) {
        let has_changed = self.readiness.set(latch, ready);
        match ready {
            true if has_changed && !is_first => info!(part = latch.name(), "well again"),
            false if has_changed || is_first => warn!(part = latch.name(), "{problem}"),
            _ => {}
        }
    }
}

/// Waits for a probe, up to the limit of a check. Returns whether the store is ready, and the probe if it goes on.
async fn probed(
    mut probing: JoinHandle<Result<(), ServiceError>>,
) -> (bool, Option<JoinHandle<Result<(), ServiceError>>>) {
    match timeout(LOOK_WITHIN, &mut probing).await {
        Ok(ended) => (matches!(ended, Ok(Ok(()))), None),
        Err(_) => (false, Some(probing)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use tokio::time::{advance, pause, sleep};

    use super::*;

    /// A store that counts its probes, and whose state is said.
    #[derive(Default)]
    struct Tried {
        probes: AtomicU64,
        state: AtomicU64,
    }

    const WELL: u64 = 0;
    const DEAD: u64 = 1;
    const HUNG: u64 = 2;

    #[async_trait]
    impl StoreProbe for Tried {
        async fn probe(&self) -> Result<(), ServiceError> {
            self.probes.fetch_add(1, Ordering::Relaxed);
            match self.state.load(Ordering::Relaxed) {
                WELL => Ok(()),
                DEAD => Err(ServiceError::DiskFull),
                _ => {
                    while self.state.load(Ordering::Relaxed) == HUNG {
                        sleep(Duration::from_millis(100)).await;
                    }
                    Ok(())
                }
            }
        }

        async fn size(&self) -> Result<Option<u64>, ServiceError> {
            Ok(Some(4_096))
        }
    }

    fn health() -> (Arc<Tried>, Arc<AtomicU64>, Arc<Readiness>, Health) {
        let store = Arc::new(Tried::default());
        let free = Arc::new(AtomicU64::new(FREE_MIN));
        let readiness = Arc::new(Readiness::default());
        assert!([Latch::Registry, Latch::Gateway].into_iter().all(|latch| readiness.set(latch, true)));
        let read = free.clone();
        let disk: Disk = Arc::new(move || Some(read.load(Ordering::Relaxed)));
        let health = Health::new(store.clone(), disk, readiness.clone());
        (store, free, readiness, health)
    }

    #[tokio::test]
    async fn a_store_is_tried_when_somebody_asks_and_not_more_often_than_every_five_seconds() {
        pause();
        let (store, _, readiness, health) = health();
        for _ in 0..10 {
            let measured = health.look().await;
            assert_eq!(measured, Measured { store_size: Some(4_096), disk_free: Some(FREE_MIN) });
        }
        assert_eq!((store.probes.load(Ordering::Relaxed), readiness.missing().len()), (1, 0));
        advance(LOOKED_FOR).await;
        health.look().await;
        assert_eq!(store.probes.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn a_dead_store_and_a_full_disk_are_missing_until_they_are_well_again() {
        pause();
        let (store, free, readiness, health) = health();
        health.look().await;
        store.state.store(DEAD, Ordering::Relaxed);
        free.store(FREE_MIN - 1, Ordering::Relaxed);
        advance(LOOKED_FOR).await;
        health.look().await;
        assert_eq!(readiness.missing(), ["store", "disk"]);
        store.state.store(WELL, Ordering::Relaxed);
        free.store(FREE_MIN, Ordering::Relaxed);
        advance(FAILED_FOR).await;
        health.look().await;
        assert_eq!(readiness.missing(), [""; 0]);
        let losses: Vec<_> = readiness.read().map(|(latch, _, losses)| (latch.name(), losses)).collect();
        assert_eq!(losses, [("registry", 0), ("store", 1), ("disk", 1), ("gateway", 0)]);
    }

    #[tokio::test]
    async fn a_store_that_hangs_is_told_within_a_second_and_is_not_asked_again_meanwhile() {
        pause();
        let (store, _, readiness, health) = health();
        store.state.store(HUNG, Ordering::Relaxed);
        for _ in 0..3 {
            let began = Instant::now();
            health.look().await;
            assert!(began.elapsed() <= LOOK_WITHIN + Duration::from_millis(100), "{:?}", began.elapsed());
            assert_eq!(readiness.missing(), ["store"]);
            advance(LOOKED_FOR).await;
        }
        assert_eq!(store.probes.load(Ordering::Relaxed), 1);
        store.state.store(WELL, Ordering::Relaxed);
        health.look().await;
        assert_eq!(readiness.missing(), [""; 0]);
    }
}
