//! One turn at a time in each conversation, across the processes that share a store: a turn needs its lease.
//!
//! Within one process the `queue` sees to that. What another process got waits here until the turn is over, for a
//! while. While a turn runs, its end by another process is noticed here: the conversation is cleared there, or that
//! process took the lease over because this one stood still.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};
use tokio_util::task::AbortOnDropHandle;
use tracing::warn;

use crate::host::chat::queue::{Admitted, RunningTurn, Stop};
use crate::host::executor::Executor;
use crate::host::{Clock, Leases, turn_lease};
use candor_core::agent::{ConversationKey, Conversations, Generation};
use candor_core::contract::ServiceError;

/// After this time without a sign of the process that runs a turn another one takes over.
const LASTS: Duration = Duration::from_mins(1);

/// How often it gives one.
const RENEWED_EVERY: Duration = Duration::from_secs(10);

/// How often a turn looks whether another process cleared its conversation: one row is read.
const LOOKS_EVERY: Duration = Duration::from_secs(2);

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
    /// They end the turn, if another process has it end, and renew the lease.
    tasks: [AbortOnDropHandle<()>; 2],
}

impl TurnLease {
    /// Waits for the lease of a conversation. None if no other process shares the store.
    pub(super) async fn taken(
        executor: &Executor,
        leases: &Arc<dyn Leases>,
        conversations: &Arc<dyn Conversations>,
        Admitted { key, running, .. }: &Admitted,
    ) -> Result<Option<Self>, NoLease> {
        if !executor.ledger.is_shared() {
            return Ok(None);
        }
        // From before the wait on: what is said before another process clears the conversation is not answered there.
        let generation = conversations.generation(key).await.map_err(NoLease::Store)?;
        let watching = end_when_cleared(conversations.clone(), key.clone(), generation, running.clone());
        let watching = AbortOnDropHandle::new(tokio::spawn(watching));
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
        let renewing = renew(leases.clone(), executor.clock.clone(), name.clone(), running.clone());
        let renewing = AbortOnDropHandle::new(tokio::spawn(renewing));
        Ok(Some(Self { leases: leases.clone(), name, tasks: [watching, renewing] }))
    }

    /// Gives the lease back, and then lets the next turn of this process begin: it takes the same lease.
    pub(super) fn give_back(self, admitted: Option<Admitted>) {
        // Without a runtime nothing more begins, and the lease ends by itself.
        let Ok(runtime) = Handle::try_current() else { return };
        let Self { leases, name, tasks } = self;
        runtime.spawn(async move {
            drop(tasks);
            if let Err(problem) = leases.give_back_lease(&name).await {
                warn!(error = %problem, "a conversation is free for other processes only after a while");
            }
            drop(admitted);
        });
    }
}

async fn renew(leases: Arc<dyn Leases>, clock: Arc<dyn Clock>, name: String, running: Arc<RunningTurn>) {
    loop {
        sleep(RENEWED_EVERY).await;
        match leases.take_lease(&name, LASTS, clock.now()).await {
            Ok(true) => {}
            // This process, or its store, stood still for so long.
            Ok(false) => {
                warn!("another process took a conversation over; its turn here ends");
                return running.stop(Stop::Elsewhere);
            }
            Err(problem) => warn!(error = %problem, "the lease of a conversation could not be renewed"),
        }
    }
}

async fn end_when_cleared(
    conversations: Arc<dyn Conversations>,
    key: ConversationKey,
    since: Generation,
    running: Arc<RunningTurn>,
) {
    loop {
        sleep(LOOKS_EVERY).await;
        match conversations.generation(&key).await {
            Ok(now) if now == since => {}
            Ok(_) => return running.clear(),
            // The end of the turn looks once more.
            Err(problem) => warn!(error = %problem, "it is not known whether a conversation was cleared"),
        }
    }
}
