//! One turn at a time in each conversation, across the processes that share a store: a turn needs its lease.
//!
//! Within one process the `queue` sees to that. What another process got waits here until the turn is over, for a
//! while.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};
use tokio_util::task::AbortOnDropHandle;
use tracing::warn;

use crate::host::chat::queue::{Admitted, RunningTurn};
use crate::host::executor::Executor;
use crate::host::{Clock, Leases, turn_lease};
use candor_core::agent::ConversationKey;
use candor_core::contract::ServiceError;

/// After this time without a sign of the process that runs a turn another one takes over.
const LASTS: Duration = Duration::from_mins(1);

/// How often it gives one.
const RENEWED_EVERY: Duration = Duration::from_secs(15);

/// How often a turn that waits asks.
const ASKS_EVERY: Duration = Duration::from_millis(500);

/// The longest wait: longer than a process that ended keeps its lease, and than most turns.
const WAITS_MAX: Duration = Duration::from_mins(3);

/// Why a turn has no lease.
pub(super) enum NoLease {
    /// A turn of another process goes on and on.
    Elsewhere,
    /// It was stopped while it waited.
    Stopped,
    /// The store failed.
    Store(ServiceError),
}

/// The right to run the turn of a conversation, which is renewed until it is given back.
pub(super) struct TurnLease {
    leases: Arc<dyn Leases>,
    name: String,
    renewing: AbortOnDropHandle<()>,
}

impl TurnLease {
    /// Waits for the lease of a conversation. None if no other process shares the store.
    pub(super) async fn taken(
        executor: &Executor,
        leases: &Arc<dyn Leases>,
        key: &ConversationKey,
        running: &RunningTurn,
    ) -> Result<Option<Self>, NoLease> {
        if !executor.ledger.is_shared() {
            return Ok(None);
        }
        let (name, began) = (turn_lease(key), Instant::now());
        while !leases.take_lease(&name, LASTS, executor.clock.now()).await.map_err(NoLease::Store)? {
            if WAITS_MAX <= began.elapsed() {
                return Err(NoLease::Elsewhere);
            }
            tokio::select! {
                () = running.stopped() => return Err(NoLease::Stopped),
                () = sleep(ASKS_EVERY) => {}
            }
        }
        let renewing = tokio::spawn(renew(leases.clone(), executor.clock.clone(), name.clone()));
        let renewing = AbortOnDropHandle::new(renewing);
        Ok(Some(Self { leases: leases.clone(), name, renewing }))
    }

    /// Gives the lease back, and then lets the next turn of this process begin: it takes the same lease.
    pub(super) fn give_back(self, admitted: Option<Admitted>) {
        // Without a runtime nothing more begins, and the lease ends by itself.
        let Ok(runtime) = Handle::try_current() else { return };
        let Self { leases, name, renewing } = self;
        runtime.spawn(async move {
            drop(renewing);
            if let Err(problem) = leases.give_back_lease(&name).await {
                warn!(error = %problem, "a conversation is free for other processes only after a while");
            }
            drop(admitted);
        });
    }
}

async fn renew(leases: Arc<dyn Leases>, clock: Arc<dyn Clock>, name: String) {
    loop {
        sleep(RENEWED_EVERY).await;
        match leases.take_lease(&name, LASTS, clock.now()).await {
            Ok(true) => {}
            // This process, or its store, stood still for so long.
            Ok(false) => warn!("another process answers the same person as well"),
            Err(problem) => warn!(error = %problem, "the lease of a conversation could not be renewed"),
        }
    }
}
