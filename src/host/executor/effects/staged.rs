//! The changes that a run has staged so far.

use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard};

use crate::host::executor::ledger::StagedChange;
use candor_core::contract::ServiceError;

/// The most changes of one run: more than any module makes, and few enough for one transaction.
const CHANGES_MAX: usize = 1_000;

/// The changes of one run, in their order: none any more once it has ended.
pub(in crate::host::executor) struct StagedChanges(Mutex<Option<Vec<StagedChange>>>);

impl Default for StagedChanges {
    /// Nothing is changed yet.
    fn default() -> Self {
        Self(Mutex::new(Some(Vec::new())))
    }
}

/// Adds a change, unless the run makes too many.
pub(super) fn stage(changes: &mut Vec<StagedChange>, change: StagedChange) -> Result<(), ServiceError> {
    if CHANGES_MAX <= changes.len() {
        return Err(ServiceError::Full(format!("one run makes at most {CHANGES_MAX} changes")));
    }
    changes.push(change);
    Ok(())
}

impl StagedChanges {
    /// Ends the run and returns its changes. A task that the handler left behind changes nothing more.
    pub(in crate::host::executor) async fn end(&self) -> Vec<StagedChange> {
        self.0.lock().await.take().unwrap_or_default()
    }

    /// The changes so far, of a run that has not ended. Whoever holds them sees and makes the next change alone.
    pub(super) async fn open(&self) -> Result<MappedMutexGuard<'_, Vec<StagedChange>>, ServiceError> {
        MutexGuard::try_map(self.0.lock().await, Option::as_mut)
            .map_err(|_| ServiceError::Store("the run that asked for this has ended".to_owned()))
    }
}
