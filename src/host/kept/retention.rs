//! Deletes data past its retention period, in batches.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::host::Clock;
use candor_core::contract::ServiceError;
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

/// How far the clock may go ahead of the time that passed. Further is a jump: nothing is removed then for [`HOLD`].
const JUMP: Duration = Duration::from_hours(1);

/// How far the clock may be ahead, at the start, of the last thing that was written before. A bot that was off for
/// longer cannot be told from one whose clock is wrong.
const OFF_MAX: Duration = Duration::from_hours(24);

/// How long nothing is removed after a jump: time to set the clock right.
const HOLD: Duration = Duration::from_hours(24);

/// How long answers are kept for `/receipt`. Nobody is expected to ask for one later.
pub(super) const ANSWERS_KEPT: Duration = Duration::from_hours(7 * 24);

/// How long what chat used on a day is kept, from the beginning of that day: the budget of that day, and time for
/// clocks that differ.
pub(super) const SPENDING_KEPT: Duration = Duration::from_hours(2 * 24);

/// What is removed when it is old.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aging {
    /// Receipts of commands that somebody called.
    Receipts,
    /// Receipts of refreshes of live messages.
    Refreshes,
    /// Exchanges of conversations with the model.
    Exchanges,
    /// Records of chat turns.
    Turns,
    /// Answers that are kept for `/receipt`.
    Answers,
    /// What chat used on each day.
    Spending,
}

/// Removes what is old.
#[async_trait]
pub trait Retention: Send + Sync {
    /// Removes the oldest from before a moment, a part that is a hundred at most, and says how many.
    async fn remove_old(&self, what: Aging, before: SystemTime, now: SystemTime) -> Result<usize, ServiceError>;
    /// How many came in since a moment, of all processes.
    async fn added(&self, what: Aging, since: SystemTime) -> Result<u64, ServiceError>;
    /// When the newest of what the bot writes all the time was written: receipts, claims and samples. `None` if there
    /// is nothing yet.
    async fn newest(&self) -> Result<Option<SystemTime>, ServiceError>;
}

/// Removes what was kept for long enough.
pub struct RetentionTask {
    /// Where it is removed.
    pub store: Arc<dyn Retention>,
    /// How long it is kept.
    pub keep: KeepSettings,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// When the newest row was written before this process wrote any: [`Retention::newest`].
    pub newest: Option<SystemTime>,
}

impl RetentionTask {
    /// Removes a part of each kind now and then one in ten minutes, until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        let mut every = interval(EVERY);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last = (self.clock.now(), Instant::now());
        let is_far_ahead = |newest| last.0.duration_since(newest).is_ok_and(|ahead| OFF_MAX < ahead);
        let mut hold_until = self.newest.is_some_and(is_far_ahead).then(|| {
            warn!("the clock is more than a day ahead of what is stored; nothing old is removed for a day");
            Instant::now() + HOLD
        });
        loop {
            tokio::select! {
                _ = every.tick() => {}
                () = stop.cancelled() => return,
            }
            let since = last.0;
            let (now, passed) = (self.clock.now(), last.1.elapsed());
            if now.duration_since(last.0).is_ok_and(|ahead| passed + JUMP < ahead) {
                warn!("the clock jumped ahead; nothing old is removed for a day");
                hold_until = Some(Instant::now() + HOLD);
            }
            last = (now, Instant::now());
            if hold_until.is_none_or(|until| until <= Instant::now()) {
                stop.run_until_cancelled(self.remove_parts(since, now)).await;
            }
        }
    }

    /// Removes a part of each kind, as large as what came in since the last time asks for.
    async fn remove_parts(&self, since: SystemTime, now: SystemTime) {
        let kinds = [
            (Aging::Receipts, self.keep.receipts),
            (Aging::Refreshes, self.keep.refreshes),
            (Aging::Exchanges, self.keep.conversations),
            (Aging::Turns, self.keep.turns),
            (Aging::Answers, ANSWERS_KEPT),
            (Aging::Spending, SPENDING_KEPT),
        ];
        for (what, kept) in kinds {
            let before = now.checked_sub(kept).unwrap_or(SystemTime::UNIX_EPOCH);
            match self.remove_part(what, since, before, now).await {
                Ok(0) => {}
                Ok(n_removed) => info!(what = ?what, removed = n_removed, "removed what is old"),
                Err(problem) => warn!(what = ?what, error = %problem, "what is old could not be removed"),
            }
        }
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

    /// Any number of old rows, and a note of each time that they were removed. Nothing comes in.
    #[derive(Default)]
    struct Endless(Mutex<Vec<Aging>>);

    /// Old rows of one kind. As many as `added` are there more whenever somebody asks for it.
    struct Filling {
        added: u64,
        rows: Mutex<u64>,
    }

    #[async_trait]
    impl Retention for Filling {
        async fn remove_old(&self, what: Aging, _: SystemTime, _: SystemTime) -> Result<usize, ServiceError> {
            let mut rows = self.rows.lock().unwrap();
            let n = if what == Aging::Turns { 100.min(*rows) } else { 0 };
            *rows -= n;
            Ok(usize::try_from(n).unwrap())
        }

        async fn added(&self, what: Aging, _: SystemTime) -> Result<u64, ServiceError> {
            let added = if what == Aging::Turns { self.added } else { 0 };
            *self.rows.lock().unwrap() += added;
            Ok(added)
        }

        async fn newest(&self) -> Result<Option<SystemTime>, ServiceError> {
            Ok(None)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_removed_keeps_up_with_what_comes_in_and_works_off_what_was_left() {
        // What comes in between two times, what was left from before, and what is left after three hours.
        let cases = [(0, 0, 0), (400, 1_000, 0), (1_000, 5_000, 0), (120_000, 500_000, 0), (1_000, 30_000, 13_000)];
        for (added, left, expected) in cases {
            let (store, stop) = (Arc::new(Filling { added, rows: Mutex::new(left) }), CancellationToken::new());
            let clock = Arc::new(Ahead { begun: Instant::now(), by: Mutex::default() });
            let keep = KeepSettings::default();
            let retention = RetentionTask { store: store.clone(), keep, clock, newest: None };
            let running = tokio::spawn(retention.run(stop.clone()));
            tokio::time::sleep(Duration::from_mins(165)).await;
            assert_eq!(*store.rows.lock().unwrap(), expected, "{added} come in, {left} were left");
            stop.cancel();
            running.await.unwrap();
        }
    }

    #[async_trait]
    impl Retention for Endless {
        async fn remove_old(&self, what: Aging, _: SystemTime, _: SystemTime) -> Result<usize, ServiceError> {
            self.0.lock().unwrap().push(what);
            match what {
                Aging::Receipts => Err(ServiceError::Store("it was changed".to_owned())),
                _ => Ok(100),
            }
        }

        async fn added(&self, _: Aging, _: SystemTime) -> Result<u64, ServiceError> {
            Ok(0)
        }

        async fn newest(&self) -> Result<Option<SystemTime>, ServiceError> {
            Ok(None)
        }
    }

    /// A clock that can be set ahead of the time that passes.
    struct Ahead {
        begun: Instant,
        by: Mutex<Duration>,
    }

    impl Clock for Ahead {
        fn now(&self) -> SystemTime {
            UNIX_EPOCH + Duration::from_hours(1_000_000) + self.begun.elapsed() + *self.by.lock().unwrap()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_goes_for_a_day_after_a_start_with_a_clock_far_ahead_of_what_is_stored() {
        let hours = Duration::from_hours;
        // How old the newest row is at the start, and whether something is removed at once.
        let cases = [(None, true), (Some(hours(23)), true), (Some(hours(25)), false), (Some(hours(9 * 8_766)), false)];
        for (age, is_removed_at_once) in cases {
            let (store, stop) = (Arc::new(Endless::default()), CancellationToken::new());
            let clock = Arc::new(Ahead { begun: Instant::now(), by: Mutex::default() });
            let newest = age.map(|age| clock.now() - age);
            let retention = RetentionTask { store: store.clone(), keep: KeepSettings::default(), clock, newest };
            let running = tokio::spawn(retention.run(stop.clone()));
            let is_removed = || !std::mem::take(&mut *store.0.lock().unwrap()).is_empty();
            tokio::time::sleep(hours(23)).await;
            assert_eq!(is_removed(), is_removed_at_once, "{age:?}");
            tokio::time::sleep(hours(2)).await;
            assert!(is_removed(), "{age:?}");
            stop.cancel();
            running.await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_part_of_each_kind_goes_at_a_time_and_nothing_for_a_day_after_the_clock_jumped() {
        let (store, stop) = (Arc::new(Endless::default()), CancellationToken::new());
        let clock = Arc::new(Ahead { begun: Instant::now(), by: Mutex::default() });
        let retention =
            RetentionTask { store: store.clone(), keep: KeepSettings::default(), clock: clock.clone(), newest: None };
        let running = tokio::spawn(retention.run(stop.clone()));
        let removed = || std::mem::take(&mut *store.0.lock().unwrap());
        let minutes = async |n: u64| tokio::time::sleep(Duration::from_secs(60 * n)).await;

        minutes(1).await;
        let part = [Aging::Refreshes, Aging::Exchanges, Aging::Turns, Aging::Answers, Aging::Spending];
        let part = part.map(|what| [what; 5]).concat();
        assert_eq!(removed(), [&[Aging::Receipts][..], &part].concat(), "a failure of one stops no other");
        minutes(10).await;
        assert_eq!(removed().len(), 26);

        *clock.by.lock().unwrap() = Duration::from_hours(24 * 365);
        minutes(23 * 60).await;
        assert_eq!(removed(), []);
        minutes(2 * 60).await;
        assert_ne!(removed(), []);
        stop.cancel();
        running.await.unwrap();
    }
}
