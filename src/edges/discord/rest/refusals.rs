//! How many refused requests may still be risked.
//!
//! Discord bans an address for a while after 10,000 requests in 10 minutes that were answered with 401, 403 or 429. See
//! its documentation, "Rate Limits", "Invalid Request Limit". The bot stops long before that. They are counted in the
//! store too: those of earlier processes, and of others on the same store, count as its own.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, timeout};
use tracing::warn;

use crate::host::{REFUSALS_WITHIN, RefusedInMinute, RefusedRequests};

/// This many refused requests within [`REFUSALS_WITHIN`] are risked at most.
pub(super) const REFUSALS_MAX: usize = 500;
/// How long whoever was refused waits for the store at most.
const STORED_WITHIN: Duration = Duration::from_secs(1);

/// The refused requests of the last ten minutes.
#[derive(Default)]
pub(super) struct Refusals {
    counted: Mutex<Counted>,
    store: OnceLock<Arc<dyn RefusedRequests>>,
    /// Held by whoever stores: what is being stored is not stored twice.
    storing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Counted {
    /// Those of this process that are not stored yet, oldest first.
    own: VecDeque<Instant>,
    /// How many of them were taken out at the front so far.
    n_gone: usize,
    /// Those that are stored, of every process: when those of a minute leave the count, and how many they are.
    stored: Vec<(Instant, usize)>,
}

impl Refusals {
    /// Counts in this store too, beginning with what is there.
    pub(super) async fn count_in(&self, store: Arc<dyn RefusedRequests>) {
        if self.store.set(store).is_ok() {
            self.store(true).await;
        }
    }

    /// Whether another refusal may be risked while `n_left` are to remain. The error says when there is room again.
    pub(super) fn room(&self, n_left: usize, now: Instant) -> Result<(), Instant> {
        let mut counted = self.lock();
        counted.forget(now);
        let n_stored: usize = counted.stored.iter().map(|(_, n)| n).sum();
        if n_stored.saturating_add(counted.own.len()) < REFUSALS_MAX.saturating_sub(n_left) {
            return Ok(());
        }
        let own = counted.own.front().map(|&first| first + REFUSALS_WITHIN);
        Err(own.into_iter().chain(counted.stored.iter().map(|(until, _)| *until)).min().unwrap_or(now))
    }

    /// Counts a refused request.
    pub(super) fn add(&self, now: Instant) {
        let mut counted = self.lock();
        counted.own.push_back(now);
        if REFUSALS_MAX < counted.own.len() {
            counted.take(1);
        }
    }

    /// Stores what was counted, if there is anything. What the store does not take goes with the next one.
    pub(super) async fn keep(&self) {
        if !self.lock().own.is_empty() {
            self.store(false).await;
        }
    }

    /// Stores what is not stored yet, and learns what others stored. `also_nothing`: also if there is nothing to store.
    async fn store(&self, also_nothing: bool) {
        let Some(store) = self.store.get() else { return };
        let stored = timeout(STORED_WITHIN, async {
            let _storing = self.storing.lock().await;
            let (n, upto) = {
                let counted = self.lock();
                (counted.own.len(), counted.n_gone + counted.own.len())
            };
            if n == 0 && !also_nothing {
                return Ok(());
            }
            let (wall, now) = (SystemTime::now(), Instant::now());
            let n = u64::try_from(n).unwrap_or(u64::MAX);
            let minutes = store.add_refused(n, wall).await?;
            self.lock().stored(upto, &minutes, (wall, now));
            Ok::<_, candor_core::contract::ServiceError>(())
        });
        match stored.await {
            Ok(Ok(())) => {}
            Ok(Err(problem)) => warn!(error = %problem, "refused requests are not counted over a restart"),
            Err(_) => warn!("refused requests are not counted over a restart: the store takes too long"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counted {
    fn take(&mut self, n: usize) {
        let n = n.min(self.own.len());
        self.own.drain(..n);
        self.n_gone += n;
    }

    fn forget(&mut self, now: Instant) {
        let old = |first: &&Instant| REFUSALS_WITHIN <= now.saturating_duration_since(**first);
        self.take(self.own.iter().take_while(old).count());
        self.stored.retain(|(until, _)| now < *until);
    }

    /// The first ones, up to this one, are stored: they are in what the store says.
    fn stored(&mut self, upto: usize, minutes: &[RefusedInMinute], (wall, now): (SystemTime, Instant)) {
        self.take(upto.saturating_sub(self.n_gone));
        let leave = |minute: &RefusedInMinute| {
            let until = minute.ends + REFUSALS_WITHIN;
            let n = usize::try_from(minute.n).unwrap_or(usize::MAX).min(REFUSALS_MAX);
            (now + until.duration_since(wall).unwrap_or_default(), n)
        };
        self.stored = minutes.iter().map(leave).collect();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;

    use super::*;
    use candor_core::contract::ServiceError;

    /// A store that holds one minute, and takes nothing while it fails.
    #[derive(Default)]
    struct OneMinute {
        n: AtomicUsize,
        n_writes: AtomicUsize,
        fails: Mutex<bool>,
    }

    #[async_trait]
    impl RefusedRequests for OneMinute {
        async fn add_refused(&self, n: u64, now: SystemTime) -> Result<Vec<RefusedInMinute>, ServiceError> {
            tokio::time::sleep(Duration::from_millis(5)).await;
            if *self.fails.lock().unwrap() {
                return Err(ServiceError::Store("the disk is full".to_owned()));
            }
            self.n_writes.fetch_add(1, Ordering::Relaxed);
            let n = self.n.fetch_add(usize::try_from(n).unwrap(), Ordering::Relaxed) + usize::try_from(n).unwrap();
            Ok(vec![RefusedInMinute { ends: now + Duration::from_secs(30), n: u64::try_from(n).unwrap() }])
        }
    }

    async fn add(refusals: &Refusals) {
        refusals.add(Instant::now());
        refusals.keep().await;
    }

    /// How many more would be risked.
    fn left(refusals: &Refusals) -> usize {
        (0..=REFUSALS_MAX).take_while(|n_left| refusals.room(*n_left, Instant::now()).is_ok()).count()
    }

    #[tokio::test(start_paused = true)]
    async fn those_of_earlier_processes_and_of_others_count() {
        let store = Arc::new(OneMinute::default());
        for n_before in [0, 10, 20] {
            let process = Refusals::default();
            process.count_in(store.clone()).await;
            assert_eq!(left(&process), REFUSALS_MAX - n_before);
            for _ in 0..10 {
                add(&process).await;
            }
            assert_eq!(left(&process), REFUSALS_MAX - n_before - 10);
        }
        let (one, other) = (Refusals::default(), Refusals::default());
        one.count_in(store.clone()).await;
        other.count_in(store.clone()).await;
        add(&other).await;
        add(&one).await;
        assert_eq!(left(&one), REFUSALS_MAX - 32, "it learns of the other's with its own");
    }

    #[tokio::test(start_paused = true)]
    async fn each_is_counted_once_whether_or_not_the_store_takes_it_and_those_at_once_are_stored_together() {
        let (store, process) = (Arc::new(OneMinute::default()), Refusals::default());
        process.count_in(store.clone()).await;
        *store.fails.lock().unwrap() = true;
        for _ in 0..7 {
            add(&process).await;
        }
        assert_eq!((left(&process), store.n.load(Ordering::Relaxed)), (REFUSALS_MAX - 7, 0));
        *store.fails.lock().unwrap() = false;
        let n_before = store.n_writes.load(Ordering::Relaxed);
        let adding = (0..50).map(|_| add(&process));
        futures_util::future::join_all(adding).await;
        assert_eq!((left(&process), store.n.load(Ordering::Relaxed)), (REFUSALS_MAX - 57, 57));
        assert!(store.n_writes.load(Ordering::Relaxed) - n_before <= 2);
    }

    #[tokio::test(start_paused = true)]
    async fn they_leave_the_count_ten_minutes_after_their_minute() {
        let (store, process) = (Arc::new(OneMinute::default()), Refusals::default());
        store.n.store(REFUSALS_MAX, Ordering::Relaxed);
        process.count_in(store).await;
        let again = process.room(0, Instant::now()).unwrap_err();
        assert_eq!(again.duration_since(Instant::now()).as_secs(), 629);
        assert_eq!(process.room(0, again), Ok(()));
    }
}
