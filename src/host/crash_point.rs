//! Named points at which a test has the process end at once. A release build has none of them.

/// A point on the way of a command, or of what is told after a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CrashPoint {
    /// A run is entered, and its handler has not been called.
    Began,
    /// It is written down that a run changes something outside of the store, and nothing is changed yet.
    Announced,
    /// The handler has returned, and what it changes is staged.
    Staged,
    /// All of a run is in the transaction, which is not committed.
    InCommit,
    /// A run is committed, and nobody was told.
    Committed,
    /// The answer was given before its receipt is stored.
    StoringLate,
    /// It is written down that an answer will be deferred, and Discord was not told.
    Deferring,
    /// Discord was told that an answer is deferred.
    Deferred,
    /// The person has the answer, and that is not written down.
    Answered,
    /// The person of a run that an earlier process left open is about to be told.
    Telling,
    /// They were told, and the run is still open.
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

    /// Ends the process if this is the point, and the time, that the variable `CANDOR_CRASH_AT` names: `InCommit:2` for
    /// the second time. Nothing is written or closed, as if it were killed.
    #[cfg(debug_assertions)]
    pub(crate) fn reached(self) {
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

    /// Nothing: this is a release build.
    #[cfg(not(debug_assertions))]
    pub(crate) fn reached(self) {}
}
