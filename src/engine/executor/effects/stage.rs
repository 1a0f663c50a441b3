//! The changes that a run has staged so far.

use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard};

use crate::executor::ledger::StagedChange;
use candor_core::contract::ServiceError;

/// The most changes of one run: more than any module makes, and few enough for one transaction.
const CHANGES_MAX: usize = 1_000;

/// The changes of one run. `None` once it has ended.
pub(in crate::executor) struct StagedChanges(Mutex<Option<Changes>>);

/// The changes of a run that has not ended.
pub(super) struct Changes {
    may_change: bool,
    made: Vec<StagedChange>,
}

impl Changes {
    pub(super) fn made(&self) -> &[StagedChange] {
        &self.made
    }

    pub(super) fn take_back(&mut self, at: usize) {
        self.made.remove(at);
    }

    /// Adds a change. Fails if the run may not change anything or has made too many changes.
    pub(super) fn stage(&mut self, change: StagedChange) -> Result<(), ServiceError> {
        if !self.may_change {
            return Err(ServiceError::ReadsOnly);
        }
        if CHANGES_MAX <= self.made.len() {
            return Err(ServiceError::Full(format!("one run makes at most {CHANGES_MAX} changes")));
        }
        self.made.push(change);
        Ok(())
    }
}

impl StagedChanges {
    /// Starts without changes. If the run may not change anything, adding one fails.
    pub(super) fn none(may_change: bool) -> Self {
        Self(Mutex::new(Some(Changes { may_change, made: Vec::new() })))
    }

    /// Ends the run and returns its changes. A task that the handler left behind can change nothing more.
    pub(in crate::executor) async fn end(&self) -> Vec<StagedChange> {
        self.0.lock().await.take().map(|changes| changes.made).unwrap_or_default()
    }

    /// Locks the changes of a run that has not ended. Until the lock is dropped, no other task can read or add changes.
    pub(super) async fn open(&self) -> Result<MappedMutexGuard<'_, Changes>, ServiceError> {
        MutexGuard::try_map(self.0.lock().await, Option::as_mut)
            .map_err(|_| ServiceError::Store("the run that asked for this has ended".to_owned()))
    }
}
