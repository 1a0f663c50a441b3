//! Deletes data past its retention period, in batches.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::host::Clock;
use crate::host::kept::trusted_time::TrustedTime;
use candor_core::contract::{ServiceError, Workspaces};
use candor_core::inbound::Place;
use candor_core::settings::KeepSettings;

/// How often a part of each kind is removed.
const EVERY: Duration = Duration::from_mins(10);

/// How many of each kind may be removed at a time however few came in: little enough that a clock that is wrong for an
/// hour costs little.
const REMOVED_MIN: u64 = 500;

/// How many may be removed for each that came in since the last time: with one, what is left over once would never
/// grow less.
const REMOVED_PER_ADDED: u64 = 2;

/// The shortest pause between two parts. It is as long as the part took, so that at least half of the time belongs to
/// those who wait to write.
const PAUSE_MIN: Duration = Duration::from_millis(5);

/// How long what chat used on a day is kept, from the beginning of that day: the budget of that day, and time for
/// clocks that differ.
pub(super) const SPENDING_KEPT: Duration = Duration::from_hours(2 * 24);

/// How long the ids of events are kept. Discord delivers an event again within minutes, if at all.
const CLAIMS_KEPT: Duration = Duration::from_hours(24);

/// How long logins are kept of which no session came: Discord counts those of a day.
const LOGINS_KEPT: Duration = Duration::from_hours(24);

/// How long a lease is kept after its end. Its process was killed, most likely.
const LEASES_KEPT: Duration = Duration::from_hours(1);

/// What is removed when it is old.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aging {
    /// Receipts of commands that somebody called.
    Receipts,
    /// Receipts of refreshes of live messages.
    Refreshes,
    /// Exchanges of conversations with the model.
    Exchanges,
    /// Summaries of conversations, by the oldest exchange in them.
    Summaries,
    /// Records of chat turns.
    Turns,
    /// Answers that are kept for `/receipt`.
    Answers,
    /// What chat used on each day.
    Spending,
    /// Ids of events that were claimed.
    Claims,
    /// Samples of the metrics file, and sets of keys that no sample has any more.
    Samples,
    /// Logins at Discord of which no session came.
    Logins,
    /// Leases that are over.
    Leases,
    /// Which conversations were begun: those that nobody goes on with.
    Conversations,
    /// Models that were chosen, where nobody has chatted since.
    ChosenModels,
    /// The last numbers of scopes of records that have none any more.
    Scopes,
    /// What is known of commands at Discord, of servers where nothing was registered since.
    Registrations,
}

/// Removes what is old.
#[async_trait]
pub trait Retention: Send + Sync {
    /// Removes the oldest from before a moment, a part that is a hundred at most, and says how many.
    async fn remove_old(&self, what: Aging, before: SystemTime, now: SystemTime) -> Result<usize, ServiceError>;
    /// Takes what was deleted since the last time out of the store's log as well.
    async fn empty_log(&self);
    /// How many came in since a moment, of all processes.
    async fn added(&self, what: Aging, since: SystemTime) -> Result<u64, ServiceError>;
    /// Direct messages, or the console, that somebody has not used since a moment: a hundred at most. None on a database
    /// server, because files may be kept on another host.
    async fn unused_places(&self, before: SystemTime) -> Result<Vec<Place>, ServiceError>;
    /// Forgets who used the bot there, unless somebody has used it since that moment or a module keeps records there.
    /// False if not.
    async fn forget_place(&self, place: Place, before: SystemTime) -> Result<bool, ServiceError>;
    /// Notes that such a place is in use, because something is kept there.
    async fn place_stays(&self, place: Place, now: SystemTime) -> Result<(), ServiceError>;
    /// The time that was believed last; `None` in a store that never knew one.
    async fn trusted_time(&self) -> Result<Option<TrustedTime>, ServiceError>;
    /// Keeps the time that is believed.
    async fn keep_trusted_time(&self, trusted: TrustedTime) -> Result<(), ServiceError>;
}

/// Removes what was kept for long enough.
pub struct RetentionTask {
    /// Where it is removed.
    pub store: Arc<dyn Retention>,
    /// Where files are kept: whose they are must not be forgotten.
    pub files: Arc<dyn Workspaces>,
    /// How long it is kept.
    pub keep: KeepSettings,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

impl RetentionTask {
    /// Removes a part of each kind now and then one in ten minutes, until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        let mut every = interval(EVERY);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut known = None;
        loop {
            tokio::select! {
                _ = every.tick() => {}
                () = stop.cancelled() => return,
            }
            if let Some(Err(problem)) = stop.run_until_cancelled(self.look(&mut known)).await {
                warn!(error = %problem, "nothing old is removed: the time that is believed cannot be kept");
            }
            self.store.empty_log().await;
        }
    }

    /// Looks at the clock, and removes a part of each kind if it is believed.
    async fn look(&self, known: &mut Option<(TrustedTime, Instant)>) -> Result<(), ServiceError> {
        let now = self.clock.now();
        let (before, passed) = match *known {
            Some((before, at)) => (before, Some(at.elapsed())),
            None => (self.store.trusted_time().await?.unwrap_or(TrustedTime::UNKNOWN), None),
        };
        let mut trusted = before;
        let is_believed = match passed {
            Some(passed) => trusted.follow(now, passed),
            None => trusted.begin(now),
        };
        if !is_believed && before.held.is_none() {
            warn!("the clock does not agree with the time that has passed; nothing old is removed for a day");
        }
        *known = Some((trusted, Instant::now()));
        self.store.keep_trusted_time(trusted).await?;
        if is_believed {
            // What came in while nothing was removed does not count: a jump would ask for all of it.
            let since = if before.held.is_some() { now.checked_sub(EVERY).unwrap_or(now) } else { before.at };
            self.remove_parts(since, now).await;
        }
        Ok(())
    }

    /// Removes a part of each kind, as large as what came in since the last time asks for.
    async fn remove_parts(&self, since: SystemTime, now: SystemTime) {
        let kinds = [
            (Aging::Receipts, self.keep.receipts),
            (Aging::Refreshes, self.keep.refreshes),
            (Aging::Exchanges, self.keep.conversations),
            (Aging::Summaries, self.keep.conversations),
            (Aging::Turns, self.keep.turns),
            (Aging::Answers, self.keep.answers),
            (Aging::Spending, SPENDING_KEPT),
            (Aging::Claims, CLAIMS_KEPT),
            (Aging::Samples, self.keep.samples),
            (Aging::Logins, LOGINS_KEPT),
            (Aging::Leases, LEASES_KEPT),
            (Aging::Conversations, self.keep.conversations),
            (Aging::ChosenModels, self.keep.conversations),
            // As long as a receipt may say the number.
            (Aging::Scopes, self.keep.receipts),
            (Aging::Registrations, self.keep.receipts),
        ];
        for (what, kept) in kinds {
            let before = now.checked_sub(kept).unwrap_or(SystemTime::UNIX_EPOCH);
            match self.remove_part(what, since, before, now).await {
                Ok(0) => {}
                Ok(n_removed) => info!(what = ?what, removed = n_removed, "removed old entries"),
                Err(problem) => warn!(what = ?what, error = %problem, "old entries could not be removed"),
            }
        }
        // As long as a receipt tells who used the bot there.
        let before = now.checked_sub(self.keep.receipts).unwrap_or(SystemTime::UNIX_EPOCH);
        if let Err(problem) = self.forget_places(before, now).await {
            warn!(error = %problem, "who used the bot in direct messages could not be forgotten");
        }
    }

    /// Forgets who used the bot in direct messages that nobody has used for long and where nothing is kept.
    async fn forget_places(&self, before: SystemTime, now: SystemTime) -> Result<(), ServiceError> {
        for place in self.store.unused_places(before).await? {
            let files = self.files.list(place, None).await;
            let is_empty = files.is_ok_and(|files| files.is_whole && files.entries.is_empty());
            if !is_empty || !self.store.forget_place(place, before).await? {
                // It is looked at again after as long a time.
                self.store.place_stays(place, now).await?;
            }
        }
        Ok(())
    }

    async fn remove_part(
        &self,
        what: Aging,
        since: SystemTime,
        before: SystemTime,
        now: SystemTime,
    ) -> Result<u64, ServiceError> {
        let most = REMOVED_MIN.max(REMOVED_PER_ADDED.saturating_mul(self.store.added(what, since).await?));
        let mut n_removed = 0;
        while n_removed < most {
            let began = Instant::now();
            match self.store.remove_old(what, before, now).await? {
                0 => break,
                n => n_removed += n as u64,
            }
            sleep(began.elapsed().max(PAUSE_MIN)).await;
        }
        Ok(n_removed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::UNIX_EPOCH;

    use super::*;
    use candor_core::contract::{Listing, WorkspaceError, WorkspacePath, Written};

    /// Each test begins at this time.
    fn begun() -> SystemTime {
        UNIX_EPOCH + Duration::from_hours(1_000_000)
    }

    /// Any number of old rows, and a note of each time that they were removed. Nothing comes in.
    struct Endless {
        removed: Mutex<Vec<Aging>>,
        trusted: Mutex<Option<TrustedTime>>,
    }

    /// Old rows of one kind. As many as `added` are there more whenever somebody asks for it.
    struct Filling {
        added: u64,
        rows: Mutex<u64>,
        /// How often the log was emptied.
        emptied: Mutex<u64>,
    }

    #[async_trait]
    impl Retention for Filling {
        async fn remove_old(&self, what: Aging, _: SystemTime, _: SystemTime) -> Result<usize, ServiceError> {
            let mut rows = self.rows.lock().unwrap();
            let n = if what == Aging::Turns { 100.min(*rows) } else { 0 };
            *rows -= n;
            Ok(usize::try_from(n).unwrap())
        }

        async fn empty_log(&self) {
            *self.emptied.lock().unwrap() += 1;
        }

        async fn added(&self, what: Aging, _: SystemTime) -> Result<u64, ServiceError> {
            let added = if what == Aging::Turns { self.added } else { 0 };
            *self.rows.lock().unwrap() += added;
            Ok(added)
        }

        async fn unused_places(&self, _: SystemTime) -> Result<Vec<Place>, ServiceError> {
            Ok(Vec::new())
        }

        async fn forget_place(&self, _: Place, _: SystemTime) -> Result<bool, ServiceError> {
            unreachable!("nobody used the bot in a direct message")
        }

        async fn place_stays(&self, _: Place, _: SystemTime) -> Result<(), ServiceError> {
            unreachable!("nobody used the bot in a direct message")
        }

        async fn trusted_time(&self) -> Result<Option<TrustedTime>, ServiceError> {
            Ok(Some(TrustedTime { at: begun(), held: None }))
        }

        async fn keep_trusted_time(&self, _: TrustedTime) -> Result<(), ServiceError> {
            Ok(())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_removed_keeps_up_with_what_comes_in_and_works_off_what_was_left() {
        // What comes in between two times, what was left from before, and what is left after three hours.
        let cases = [(0, 0, 0), (400, 1_000, 0), (1_000, 5_000, 0), (120_000, 500_000, 0), (1_000, 30_000, 13_000)];
        for (added, left, expected) in cases {
            let store = Arc::new(Filling { added, rows: Mutex::new(left), emptied: Mutex::default() });
            let stop = CancellationToken::new();
            let clock = Arc::new(Ahead { begun: Instant::now(), by: Mutex::default() });
            let retention = task(store.clone(), clock);
            let running = tokio::spawn(retention.run(stop.clone()));
            tokio::time::sleep(Duration::from_mins(165)).await;
            assert_eq!(*store.rows.lock().unwrap(), expected, "{added} come in, {left} were left");
            assert!(10 < *store.emptied.lock().unwrap(), "the log is emptied each time");
            stop.cancel();
            running.await.unwrap();
        }
    }

    #[async_trait]
    impl Retention for Endless {
        async fn remove_old(&self, what: Aging, _: SystemTime, _: SystemTime) -> Result<usize, ServiceError> {
            self.removed.lock().unwrap().push(what);
            match what {
                Aging::Receipts => Err(ServiceError::Store("it was changed".to_owned())),
                _ => Ok(100),
            }
        }

        async fn empty_log(&self) {}

        async fn added(&self, _: Aging, _: SystemTime) -> Result<u64, ServiceError> {
            Ok(0)
        }

        async fn unused_places(&self, _: SystemTime) -> Result<Vec<Place>, ServiceError> {
            Ok(Vec::new())
        }

        async fn forget_place(&self, _: Place, _: SystemTime) -> Result<bool, ServiceError> {
            unreachable!("nobody used the bot in a direct message")
        }

        async fn place_stays(&self, _: Place, _: SystemTime) -> Result<(), ServiceError> {
            unreachable!("nobody used the bot in a direct message")
        }

        async fn trusted_time(&self) -> Result<Option<TrustedTime>, ServiceError> {
            Ok(*self.trusted.lock().unwrap())
        }

        async fn keep_trusted_time(&self, trusted: TrustedTime) -> Result<(), ServiceError> {
            *self.trusted.lock().unwrap() = Some(trusted);
            Ok(())
        }
    }

    /// No place is looked at: nobody used the bot in a direct message.
    struct NoWorkspaces;

    #[async_trait]
    impl Workspaces for NoWorkspaces {
        async fn list(&self, _: Place, _: Option<&WorkspacePath>) -> Result<Listing, WorkspaceError> {
            unreachable!()
        }

        async fn read(&self, _: Place, _: &WorkspacePath) -> Result<Vec<u8>, WorkspaceError> {
            unreachable!()
        }

        async fn write(
            &self,
            _: Place,
            _: &WorkspacePath,
            _: &[u8],
            _: Option<&[u8]>,
        ) -> Result<Written, WorkspaceError> {
            unreachable!()
        }

        async fn remove(&self, _: Place, _: &WorkspacePath) -> Result<u64, WorkspaceError> {
            unreachable!()
        }
    }

    /// A clock that can be set ahead of the time that passes.
    struct Ahead {
        begun: Instant,
        by: Mutex<Duration>,
    }

    impl Clock for Ahead {
        fn now(&self) -> SystemTime {
            begun() + self.begun.elapsed() + *self.by.lock().unwrap()
        }
    }

    fn task(store: Arc<dyn Retention>, clock: Arc<dyn Clock>) -> RetentionTask {
        RetentionTask { store, files: Arc::new(NoWorkspaces), keep: KeepSettings::default(), clock }
    }

    /// Runs for some hours, and says what was removed.
    async fn run(store: &Arc<Endless>, clock: &Arc<Ahead>, hours: u64) -> Vec<Aging> {
        let stop = CancellationToken::new();
        let retention = task(store.clone(), clock.clone());
        let running = tokio::spawn(retention.run(stop.clone()));
        tokio::time::sleep(Duration::from_hours(hours) + Duration::from_mins(1)).await;
        stop.cancel();
        running.await.unwrap();
        std::mem::take(&mut *store.removed.lock().unwrap())
    }

    fn endless(trusted: Option<TrustedTime>) -> (Arc<Endless>, Arc<Ahead>) {
        let store = Endless { removed: Mutex::default(), trusted: Mutex::new(trusted) };
        (Arc::new(store), Arc::new(Ahead { begun: Instant::now(), by: Mutex::default() }))
    }

    #[tokio::test(start_paused = true)]
    async fn m6_a_part_of_each_kind_goes_at_a_time_and_a_failure_of_one_stops_no_other() {
        let (store, clock) = endless(Some(TrustedTime { at: begun(), held: None }));
        let first = run(&store, &clock, 0).await;
        assert_eq!(first.iter().filter(|what| **what == Aging::Receipts).count(), 1, "it failed");
        for what in [Aging::Refreshes, Aging::Claims, Aging::Samples, Aging::Registrations] {
            assert_eq!(first.iter().filter(|removed| **removed == what).count(), 5, "{what:?}");
        }
        assert_eq!(run(&store, &clock, 1).await.len(), first.len() * 7, "every ten minutes");
    }

    #[tokio::test(start_paused = true)]
    async fn l5_nothing_goes_for_a_day_of_running_after_the_clock_jumped_also_over_restarts() {
        let (store, clock) = endless(Some(TrustedTime { at: begun(), held: None }));
        assert_ne!(run(&store, &clock, 1).await, []);
        *clock.by.lock().unwrap() = Duration::from_hours(24 * 365);
        for hours in [1, 12, 10] {
            assert_eq!(run(&store, &clock, hours).await, [], "{hours} h");
        }
        assert_ne!(run(&store, &clock, 2).await, []);
        *clock.by.lock().unwrap() = Duration::from_hours(24 * 365 * 2);
        assert_eq!(run(&store, &clock, 1).await, []);
        // It is set right.
        *clock.by.lock().unwrap() = Duration::from_hours(24 * 365);
        assert_ne!(run(&store, &clock, 0).await, []);

        let (store, clock) = endless(None);
        assert_eq!(run(&store, &clock, 23).await, [], "a store of an older version");
        assert_ne!(run(&store, &clock, 2).await, []);
    }
}
