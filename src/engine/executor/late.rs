//! Receipts of runs that changed nothing: stored while their answers are being sent, those of one interval together.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::join_all;
use tokio::sync::{OwnedRwLockReadGuard, oneshot};
use tracing::{error, info, warn};

use crate::crash_point::CrashPoint;
use crate::executor::flights::{Flights, RunGuard};
use crate::executor::ledger::{Commit, Committed, Ledger, ReceiptCommit};
use candor_core::contract::ServiceError;
use candor_core::record::ReceiptId;

/// A receipt that waits for the end of its interval.
pub(super) struct LateReceipt {
    pub(super) commit: Commit,
    /// Is sent true once the receipt is stored; false if it could not be, so that the answer must not name it.
    pub(super) is_kept: oneshot::Sender<bool>,
    /// Until the receipt is stored, its run is under way, and readers of receipts wait.
    pub(super) under_way: (RunGuard, OwnedRwLockReadGuard<()>),
}

/// The receipts of this interval.
#[derive(Clone, Default)]
pub struct LateReceipts(Arc<Mutex<Vec<LateReceipt>>>);

impl LateReceipts {
    /// Adds a receipt. The first one of an interval starts the task that stores them at its end.
    pub(super) fn add(&self, late: LateReceipt, ledger: &Arc<dyn Ledger>, flights: &Flights) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(late);
        if waiting.len() == 1 {
            let late = self.clone();
            let ledger = ledger.clone();
            let flights = flights.clone();
            tokio::spawn(async move {
                flights.interval_ends().await;
                let batch = std::mem::take(&mut *late.0.lock().unwrap_or_else(PoisonError::into_inner));
                store(&*ledger, batch).await;
            });
        }
    }
}

/// Stores all of them at once. If an event was claimed before, stores each by itself.
async fn store(ledger: &dyn Ledger, batch: Vec<LateReceipt>) {
    CrashPoint::StoringLate.reached();
    let of = |late: &LateReceipt| {
        let Commit { event, at, receipt, .. } = &late.commit;
        ReceiptCommit { event: *event, at: *at, receipt: receipt.clone() }
    };
    let stored = ledger.commit_receipts(batch.iter().map(of).collect()).await;
    let each = batch.into_iter().map(async |LateReceipt { commit, is_kept: kept, under_way }| {
        let id = commit.receipt.id();
        let is_stored = match &stored {
            Ok(true) => true,
            Ok(false) => is_stored_alone(ledger, commit).await,
            Err(problem) => is_kept(id, &Err(problem.clone())),
        };
        let _its_edge_may_have_stopped_waiting = kept.send(is_stored);
        drop(under_way);
    });
    join_all(each).await;
}

async fn is_stored_alone(ledger: &dyn Ledger, commit: Commit) -> bool {
    let id = commit.receipt.id();
    match committed(ledger, commit).await {
        // Another process received the event too, and was first. Its run has the receipt, and both answers are equally
        // valid.
        Ok(Committed::ClaimedBefore) => {
            info!(receipt.id = %id, "another process has the receipt of this event");
            true
        }
        stored => is_kept(id, &stored),
    }
}

/// Commits, and repeats the commit if it is unknown whether it is stored.
pub(super) async fn committed(ledger: &dyn Ledger, commit: Commit) -> Result<Committed, ServiceError> {
    if !ledger.is_shared() {
        return ledger.commit(commit).await;
    }
    match ledger.commit(commit.clone()).await {
        Err(ServiceError::Store(problem)) => {
            warn!(receipt.id = %commit.receipt.id(), error = problem, "a commit is tried once more");
            ledger.commit(commit).await
        }
        ended => ended,
    }
}

pub(super) fn is_kept(id: ReceiptId, stored: &Result<Committed, ServiceError>) -> bool {
    match stored {
        Ok(Committed::Committed) => true,
        Ok(other) => {
            error!(receipt.id = %id, result = ?other, "the receipt could not be kept");
            false
        }
        Err(problem) => {
            error!(receipt.id = %id, error = %problem, "the receipt could not be kept");
            false
        }
    }
}
