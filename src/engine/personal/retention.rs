//! Deletes data past its retention period, in batches.
//!
//! Also a clock for retention that ignores jumps, even across restarts: a jump must not make all data old at once.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::Clock;
use candor_core::contract::{ServiceError, Workspaces};
use candor_core::inbound::Place;
use candor_core::settings::KeepSettings;

/// How often a part of each kind is removed.
const EVERY: Duration = Duration::from_mins(10);

/// How many of each kind may be removed at a time even if few were added. Small enough that a clock that is wrong for
/// an hour does little harm.
const REMOVED_MIN: u64 = 500;

/// How many may be removed for each one added since the last time. With one, a backlog would never shrink.
const REMOVED_PER_ADDED: u64 = 2;

/// The shortest pause between two parts. A pause is as long as the part took, so that other writers have at least half
/// of the time.
const PAUSE_MIN: Duration = Duration::from_millis(5);

/// How long the use of chat on a day is kept, from the beginning of that day: the day itself, plus time for clocks that
/// differ.
pub(super) const SPENDING_KEPT: Duration = Duration::from_hours(2 * 24);

/// How long the ids of events are kept. Discord delivers an event again within minutes, if at all.
const CLAIMS_KEPT: Duration = Duration::from_hours(24);

/// How long logins without a session are kept: Discord counts those of a day.
const LOGINS_KEPT: Duration = Duration::from_hours(24);

/// How long a lease is kept after its end. Its process was most likely killed.
const LEASES_KEPT: Duration = Duration::from_hours(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aging {
    /// Receipts of commands that a person or a model called.
    Receipts,
    /// Receipts of refreshes of live messages.
    Refreshes,
    Exchanges,
    /// Summaries of conversations, by the oldest exchange in them.
    Summaries,
    Turns,
    /// Answers that are kept for `/receipt`.
    Answers,
    Spending,
    /// Ids of claimed events.
    Claims,
    /// Samples of the metrics file, and sets of keys that no sample uses any more.
    Samples,
    /// Logins at Discord without a session.
    Logins,
    /// Expired leases.
    Leases,
    /// Conversations that are no longer used.
    Conversations,
    /// Models chosen for conversations that are no longer used.
    ChosenModels,
    /// The last numbers of scopes without records.
    Scopes,
    /// Registration states of commands at Discord, for guilds where nothing was registered since.
    Registrations,
}

#[async_trait]
pub trait Retention: Send + Sync {
    /// Removes the oldest entries from before a moment, at most a hundred, and returns how many.
    async fn remove_old(&self, what: Aging, before: SystemTime, now: SystemTime) -> Result<usize, ServiceError>;
    /// Removes deleted data from the store's log as well.
    async fn empty_log(&self);
    /// Returns how many entries all processes added since a moment.
    async fn added(&self, what: Aging, since: SystemTime) -> Result<u64, ServiceError>;
    /// Returns direct messages, or the console, with a user who was last there before a moment; at most a hundred.
    /// Empty on a database server, because files may be stored on another host.
    async fn unused_places(&self, before: SystemTime) -> Result<Vec<Place>, ServiceError>;
    /// Forgets the users of a place. Returns false, and does nothing, if it was used since that moment or a module has
    /// records there.
    async fn forget_place(&self, place: Place, before: SystemTime) -> Result<bool, ServiceError>;
    /// Marks a place as used, because it holds data.
    async fn place_stays(&self, place: Place, now: SystemTime) -> Result<(), ServiceError>;
    /// Returns the last trusted time; `None` in a store that never had one.
    async fn trusted_time(&self) -> Result<Option<TrustedTime>, ServiceError>;
    async fn keep_trusted_time(&self, trusted: TrustedTime) -> Result<(), ServiceError>;
}

pub struct RetentionTask {
    pub store: Arc<dyn Retention>,
    /// The files. As long as a place has files, its users must not be forgotten.
    pub files: Arc<dyn Workspaces>,
    pub keep: KeepSettings,
    pub clock: Arc<dyn Clock>,
}

impl RetentionTask {
    /// Removes a part of each kind now and then every ten minutes, until `stop`.
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

    /// Checks the clock, and removes a part of each kind if the clock is trusted.
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
            // Entries that were added during a hold do not count: after a jump they would justify removing everything.
            let since = if before.held.is_some() { now.checked_sub(EVERY).unwrap_or(now) } else { before.at };
            self.remove_parts(since, now).await;
        }
        Ok(())
    }

    /// Removes a part of each kind. The size of a part depends on the entries added since the last time.
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
            // As long as a receipt may mention the number.
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
        // As long as a receipt shows who used the bot there.
        let before = now.checked_sub(self.keep.receipts).unwrap_or(SystemTime::UNIX_EPOCH);
        if let Err(problem) = self.forget_places(before, now).await {
            warn!(error = %problem, "who used the bot in direct messages could not be forgotten");
        }
    }

    /// Forgets the users of direct messages that were not used for long and hold no data.
    async fn forget_places(&self, before: SystemTime, now: SystemTime) -> Result<(), ServiceError> {
        for place in self.store.unused_places(before).await? {
            let files = self.files.list(place, None).await;
            let is_empty = files.is_ok_and(|files| files.is_whole && files.entries.is_empty());
            if !is_empty || !self.store.forget_place(place, before).await? {
                // The place is checked again after the same time.
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

/// How far the clock may be from the elapsed time. A larger difference is a jump.
const JUMP: Duration = Duration::from_hours(1);

/// How far the clock may be, at a start, from the last run of the bot. A longer pause looks the same as a wrong clock.
const OFF_MAX: Duration = Duration::from_hours(24);

/// How long the clock is not trusted after a jump, counted while the bot runs: time to correct it.
const HOLD: Duration = Duration::from_hours(24);

/// The trusted time, kept in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedTime {
    /// The expected time: when the clock was last trusted, plus the time that passed since.
    pub at: SystemTime,
    /// How long, in running time, the clock has not been trusted; `None` if it is trusted.
    pub held: Option<Duration>,
}

impl TrustedTime {
    /// The value of a store without a trusted time: the clock is trusted after a day.
    pub(super) const UNKNOWN: Self = Self { at: UNIX_EPOCH, held: Some(Duration::ZERO) };

    /// Checks the clock at a start. Returns whether it is trusted.
    pub(super) fn begin(&mut self, now: SystemTime) -> bool {
        let leeway = if self.held.is_some() { JUMP } else { OFF_MAX };
        self.look(now, Duration::ZERO, leeway)
    }

    /// Checks the clock when `passed` has elapsed since the last check. Returns whether it is trusted.
    pub(super) fn follow(&mut self, now: SystemTime, passed: Duration) -> bool {
        self.look(now, passed, JUMP)
    }

    fn look(&mut self, now: SystemTime, passed: Duration, leeway: Duration) -> bool {
        let expected = self.at.checked_add(passed).unwrap_or(self.at);
        let apart = now.duration_since(expected).unwrap_or_else(|behind| behind.duration());
        let held = self.held.map_or(Duration::ZERO, |held| held + passed);
        let is_believed = apart <= leeway || HOLD <= held;
        *self = match is_believed {
            true => Self { at: now, held: None },
            false => Self { at: expected, held: Some(held) },
        };
        is_believed
    }
}

#[cfg(test)]
mod retention_tests {
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

#[cfg(test)]
mod trusted_time_tests {
    use super::*;

    #[test]
    fn a_clock_that_jumped_is_believed_after_a_day_of_running_also_over_restarts_or_once_it_is_right_again() {
        let hours = Duration::from_hours;
        let year = hours(24 * 365);
        let begun = UNIX_EPOCH + year * 50;
        // What the clock says, in hours from the begin, after how many hours of running (`None`: at a start), and
        // whether it is believed.
        let cases: [&[(u64, Option<u64>, bool)]; 6] = [
            &[(0, None, true), (1, Some(1), true), (24, None, true), (25, Some(1), true)],
            // Off for more than a day.
            &[(25, None, false), (48, Some(23), false), (49, Some(1), true), (50, Some(1), true)],
            // It jumps by a year, and the bot is started anew twice within the day.
            &[
                (8_760, Some(1), false),
                (8_772, Some(12), false),
                (8_772, None, false),
                (8_779, Some(7), false),
                (8_780, None, false),
                (8_784, Some(4), false),
                (8_785, Some(1), true),
                (8_786, Some(1), true),
            ],
            // It jumps less far than the bot may have been off, and is not believed for that it was started anew.
            &[(5, Some(1), false), (5, None, false), (6, Some(1), false)],
            // It is set right: at once, and while the bot is off.
            &[(8_760, Some(1), false), (2, Some(1), true), (3, Some(1), true)],
            &[(8_760, Some(1), false), (2, None, true)],
        ];
        for looks in cases {
            let mut trusted = TrustedTime { at: begun, held: None };
            for (says, passed, expected) in looks {
                let now = begun + hours(*says);
                let is_believed = match passed {
                    None => trusted.begin(now),
                    Some(passed) => trusted.follow(now, hours(*passed)),
                };
                assert_eq!(is_believed, *expected, "{says} h in {looks:?}");
            }
        }
        // Set back: for a day nothing is done, so that what was a correction does not count as a jump ahead later.
        let mut trusted = TrustedTime { at: begun, held: None };
        assert!(!trusted.follow(begun - year, hours(1)));
        assert!(trusted.follow(begun + hours(2), hours(1)));
        // A store of an older version.
        let mut trusted = TrustedTime::UNKNOWN;
        assert!(!trusted.begin(begun));
        assert!(!trusted.follow(begun + hours(23), hours(23)));
        assert!(trusted.follow(begun + hours(24), hours(1)));
    }
}
