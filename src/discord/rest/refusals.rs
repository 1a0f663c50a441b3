//! The budget of refused requests.
//!
//! Discord bans an address for a while after 10,000 requests in 10 minutes that were answered with 401, 403 or 429. See
//! its documentation, "Rate Limits", "Invalid Request Limit". The bot stops long before that. The count is also in the
//! store: refusals of earlier processes, and of others on the same store, count too.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tracing::{info, warn};

use candor_engine::{REFUSALS_WITHIN, RefusedInMinute, RefusedRequests};

/// The maximum of refused requests that are risked within [`REFUSALS_WITHIN`].
pub(super) const REFUSALS_MAX: usize = 500;
/// How long the start, and the end of the process, wait for the store at most.
const STORED_WITHIN: Duration = Duration::from_secs(1);

/// The refused requests of the last ten minutes.
#[derive(Default)]
pub(super) struct Refusals {
    counted: Mutex<Counted>,
    store: OnceLock<Arc<dyn RefusedRequests>>,
    /// Whether a write is in progress. Changed only while `counted` is locked: there is one write at a time.
    is_storing: watch::Sender<bool>,
    /// Whether the last write failed, which is logged once.
    fails: AtomicBool,
}

#[derive(Debug, Default)]
struct Counted {
    /// Those of this process that are not stored yet, oldest first.
    own: VecDeque<Instant>,
    /// Those of the write in progress. The store may commit it after any delay, so only its own answer says whether
    /// they are stored.
    being_stored: VecDeque<Instant>,
    /// The stored ones of every process: when those of a minute expire, and their number.
    stored: Vec<(Instant, usize)>,
}

impl Refusals {
    /// Counts in this store too, beginning with its content. Waits for it, but not for long.
    pub(super) async fn count_in(self: &Arc<Self>, store: Arc<dyn RefusedRequests>) {
        if self.store.set(store).is_ok() {
            self.begin_to_store(true);
            self.ended().await;
        }
    }

    /// Checks whether another refusal may be risked while `n_left` remain in reserve. The error says when there is room
    /// again.
    pub(super) fn room(&self, n_left: usize, now: Instant) -> Result<(), Instant> {
        let mut counted = self.lock();
        counted.forget(now);
        let n_stored = counted.stored.iter().fold(0_usize, |n, (_, of_minute)| n.saturating_add(*of_minute));
        let n_own = counted.own.len() + counted.being_stored.len();
        if n_stored.saturating_add(n_own) < REFUSALS_MAX.saturating_sub(n_left) {
            return Ok(());
        }
        let own = counted.being_stored.front().or(counted.own.front()).map(|&first| first + REFUSALS_WITHIN);
        Err(own.into_iter().chain(counted.stored.iter().map(|(until, _)| *until)).min().unwrap_or(now))
    }

    pub(super) fn add(&self, now: Instant) {
        let mut counted = self.lock();
        counted.own.push_back(now);
        counted.bound();
    }

    /// Starts to store the counted requests, if there are any, without waiting. The next write includes those of a
    /// failed one.
    pub(super) fn keep(self: &Arc<Self>) {
        self.begin_to_store(false);
    }

    /// Stores them and waits briefly until it is done: for callers after whom the process ends.
    pub(super) async fn kept(self: &Arc<Self>) {
        self.keep();
        self.ended().await;
    }

    /// Starts a write, unless one is in progress: its task then stores the rest too. `also_nothing`: write even without
    /// new refusals, to learn those of other processes.
    fn begin_to_store(self: &Arc<Self>, also_nothing: bool) {
        let Some(store) = self.store.get().cloned() else { return };
        let counted = self.lock();
        if *self.is_storing.borrow() || (counted.own.is_empty() && !also_nothing) {
            return;
        }
        self.is_storing.send_replace(true);
        let refusals = self.clone();
        // In its own task: a caller that stops waiting does not cancel the write.
        tokio::spawn(async move { refusals.store_all(&*store).await });
    }

    /// Stores the refusals, also those that come meanwhile, and learns those of other processes.
    async fn store_all(&self, store: &dyn RefusedRequests) {
        loop {
            let wall = SystemTime::now();
            let now = Instant::now();
            let n = u64::try_from(self.lock().hand_over()).unwrap_or(u64::MAX);
            let written = store.add_refused(n, wall).await;
            let is_over = {
                let mut counted = self.lock();
                match &written {
                    Ok(minutes) => counted.stored(minutes, wall, now),
                    Err(_) => counted.not_stored(),
                }
                let is_over = written.is_err() || counted.own.is_empty();
                if is_over {
                    self.is_storing.send_replace(false);
                }
                is_over
            };
            match written {
                Ok(_) if self.fails.swap(false, Ordering::Relaxed) => {
                    info!("refused requests are counted over a restart again");
                }
                Ok(_) => {}
                Err(problem) if !self.fails.swap(true, Ordering::Relaxed) => {
                    warn!(error = %problem, "refused requests are not counted over a restart");
                }
                Err(_) => {}
            }
            if is_over {
                return;
            }
        }
    }

    async fn ended(&self) {
        let mut is_storing = self.is_storing.subscribe();
        let ended = timeout(STORED_WITHIN, is_storing.wait_for(|is_storing| !is_storing)).await;
        if ended.is_err() && !self.fails.swap(true, Ordering::Relaxed) {
            warn!("refused requests are not counted over a restart: the store takes too long");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counted {
    fn forget(&mut self, now: Instant) {
        for own in [&mut self.being_stored, &mut self.own] {
            own.retain(|first| now.saturating_duration_since(*first) < REFUSALS_WITHIN);
        }
        self.stored.retain(|(until, _)| now < *until);
    }

    /// Forgets the oldest beyond the maximum.
    fn bound(&mut self) {
        let n_over = self.own.len().saturating_sub(REFUSALS_MAX);
        self.own.drain(..n_over);
    }

    /// Moves the unstored refusals to a write. Returns their number.
    fn hand_over(&mut self) -> usize {
        self.being_stored = std::mem::take(&mut self.own);
        self.being_stored.len()
    }

    /// Takes them back after a failed write: they go with the next one.
    fn not_stored(&mut self) {
        let since = std::mem::replace(&mut self.own, std::mem::take(&mut self.being_stored));
        self.own.extend(since);
        self.bound();
    }

    /// Replaces them by the count of the store, after a successful write.
    fn stored(&mut self, minutes: &[RefusedInMinute], wall: SystemTime, now: Instant) {
        self.being_stored.clear();
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
    use std::sync::atomic::AtomicUsize;

    use async_trait::async_trait;

    use super::*;
    use candor_core::contract::ServiceError;

    /// A store that holds one minute, and takes nothing while it fails. As with SQLite, a write that was begun commits,
    /// whoever still waits for it.
    #[derive(Default)]
    struct OneMinute {
        n: Arc<AtomicUsize>,
        n_writes: AtomicUsize,
        fails: Mutex<bool>,
        stalls_for: Mutex<Duration>,
    }

    #[async_trait]
    impl RefusedRequests for OneMinute {
        async fn add_refused(&self, n: u64, now: SystemTime) -> Result<Vec<RefusedInMinute>, ServiceError> {
            let all = self.n.clone();
            let n = usize::try_from(n).unwrap();
            let fails = *self.fails.lock().unwrap();
            let stalls_for = *self.stalls_for.lock().unwrap();
            self.n_writes.fetch_add(1, Ordering::Relaxed);
            let written = tokio::spawn(async move {
                tokio::time::sleep(stalls_for + Duration::from_millis(5)).await;
                if fails {
                    return Err(ServiceError::Store("the disk is full".to_owned()));
                }
                let n = all.fetch_add(n, Ordering::Relaxed) + n;
                Ok(vec![RefusedInMinute { ends: now + Duration::from_secs(30), n: u64::try_from(n).unwrap() }])
            });
            written.await.unwrap()
        }
    }

    async fn add(refusals: &Arc<Refusals>) {
        refusals.add(Instant::now());
        refusals.kept().await;
    }

    /// How many more would be risked.
    fn left(refusals: &Refusals) -> usize {
        (0..=REFUSALS_MAX).take_while(|n_left| refusals.room(*n_left, Instant::now()).is_ok()).count()
    }

    #[tokio::test(start_paused = true)]
    async fn those_of_earlier_processes_and_of_others_count() {
        let store = Arc::new(OneMinute::default());
        for n_before in [0, 10, 20] {
            let process = Arc::<Refusals>::default();
            process.count_in(store.clone()).await;
            assert_eq!(left(&process), REFUSALS_MAX - n_before);
            for _ in 0..10 {
                add(&process).await;
            }
            assert_eq!(left(&process), REFUSALS_MAX - n_before - 10);
        }
        let one = Arc::<Refusals>::default();
        let other = Arc::<Refusals>::default();
        one.count_in(store.clone()).await;
        other.count_in(store.clone()).await;
        add(&other).await;
        add(&one).await;
        assert_eq!(left(&one), REFUSALS_MAX - 32, "it learns of the other's with its own");
    }

    #[tokio::test(start_paused = true)]
    async fn each_is_counted_once_whether_or_not_the_store_takes_it_and_those_at_once_are_stored_together() {
        let store = Arc::new(OneMinute::default());
        let process = Arc::<Refusals>::default();
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
    async fn each_is_counted_once_in_a_store_that_commits_after_nobody_waits_for_it_any_more() {
        for fails in [false, true] {
            let store = Arc::new(OneMinute::default());
            let process = Arc::<Refusals>::default();
            process.count_in(store.clone()).await;
            (*store.stalls_for.lock().unwrap(), *store.fails.lock().unwrap()) = (Duration::from_secs(30), fails);
            for n in 1..=8 {
                add(&process).await;
                assert_eq!(left(&process), REFUSALS_MAX - n);
            }
            assert_eq!((store.n.load(Ordering::Relaxed), store.n_writes.load(Ordering::Relaxed)), (0, 2));
            (*store.stalls_for.lock().unwrap(), *store.fails.lock().unwrap()) = (Duration::ZERO, false);
            tokio::time::sleep(Duration::from_secs(60)).await;
            let n_stored = if fails { 0 } else { 8 };
            assert_eq!((left(&process), store.n.load(Ordering::Relaxed)), (REFUSALS_MAX - 8, n_stored));
            add(&process).await;
            assert_eq!((left(&process), store.n.load(Ordering::Relaxed)), (REFUSALS_MAX - 9, 9));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn they_leave_the_count_ten_minutes_after_their_minute() {
        let store = Arc::new(OneMinute::default());
        let process = Arc::<Refusals>::default();
        store.n.store(REFUSALS_MAX, Ordering::Relaxed);
        process.count_in(store).await;
        let again = process.room(0, Instant::now()).unwrap_err();
        assert_eq!(again.duration_since(Instant::now()).as_secs(), 629);
        assert_eq!(process.room(0, again), Ok(()));
    }
}
