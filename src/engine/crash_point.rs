//! Named points at which a test kills the process. A release build has none of them.

/// A point in the course of a command, or of its recovery after a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CrashPoint {
    /// The run has begun, and its handler has not been called.
    Began,
    /// The store has recorded that the run changes something outside of the store. Nothing is changed yet.
    Announced,
    /// The handler has returned, and its changes are staged.
    Staged,
    /// All changes of the run are in the transaction, which is not committed.
    InCommit,
    /// The run is committed, and its person has no answer yet.
    Committed,
    /// The answer was given before its receipt is stored.
    StoringLate,
    /// The store has recorded that an answer will be deferred. Discord does not know it yet.
    Deferring,
    /// Discord has accepted that the answer is deferred.
    Deferred,
    /// The person has the answer, and the store does not know it yet.
    Answered,
    /// The recovery of an interrupted run is about to notify its person.
    Telling,
    /// The person is notified, and the run is still open.
    Told,
}

impl CrashPoint {
    /// Every point, in the order in which a run reaches them.
    pub const ALL: [Self; 11] = [
        Self::Began,
        Self::Announced,
        Self::Staged,
        Self::InCommit,
        Self::Committed,
        Self::StoringLate,
        Self::Deferring,
        Self::Deferred,
        Self::Answered,
        Self::Telling,
        Self::Told,
    ];

    /// Kills the process if `CANDOR_CRASH_AT` names this point and this time: `InCommit:2` for the second time. Writes
    /// and closes nothing first.
    #[cfg(debug_assertions)]
    pub fn reached(self) {
        use std::sync::OnceLock;
        use std::sync::atomic::{AtomicU64, Ordering};

        static WANTED: OnceLock<Option<(String, u64)>> = OnceLock::new();
        static TIMES: AtomicU64 = AtomicU64::new(0);
        let wanted = WANTED.get_or_init(|| {
            let wanted = std::env::var("CANDOR_CRASH_AT").ok()?;
            let (point, time) = wanted.split_once(':')?;
            Some((point.to_owned(), time.parse().ok()?))
        });
        let Some((point, time)) = wanted else { return };
        if *point == format!("{self:?}") && TIMES.fetch_add(1, Ordering::Relaxed) + 1 == *time {
            std::process::abort();
        }
    }

    #[cfg(not(debug_assertions))]
    pub fn reached(self) {}
}
