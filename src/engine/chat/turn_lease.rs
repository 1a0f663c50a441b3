//! One turn at a time in each conversation, across the processes that share a store: a turn needs its lease.
//!
//! Within one process, the `queue` ensures that. Messages that another process received wait here, for a while, until
//! the turn is over. A running turn ends if another process clears the conversation, or takes the lease over because
//! this process was stalled.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};
use tokio_util::task::AbortOnDropHandle;
use tracing::warn;

use crate::chat::queue::{Admitted, RunningTurn, Stop};
use crate::executor::Executor;
use crate::{Clock, Leases, turn_lease};
use candor_core::agent::{ConversationKey, Conversations, Generation};
use candor_core::contract::ServiceError;

/// Another process takes over if the lease is not renewed for this time.
const LASTS: Duration = Duration::from_mins(1);

const RENEWED_EVERY: Duration = Duration::from_secs(10);

/// How often a turn checks whether another process cleared its conversation. A check reads one row.
const LOOKS_EVERY: Duration = Duration::from_secs(2);

/// How often a waiting turn tries to take the lease.
const ASKS_EVERY: Duration = Duration::from_millis(500);

/// The longest wait: longer than the lease of an ended process, and than most turns.
const WAITS_MAX: Duration = Duration::from_mins(3);

pub(super) enum NoLease {
    /// A turn of another process did not end in time.
    Elsewhere,
    Stopped,
    Store(ServiceError),
}

/// The right to run the turn of a conversation, which is renewed until it is given back.
pub(super) struct TurnLease {
    leases: Arc<dyn Leases>,
    name: String,
    /// Whether it waited for a turn of another process.
    pub(super) has_waited: bool,
    /// One ends the turn if its conversation is cleared elsewhere; the other renews the lease.
    tasks: [AbortOnDropHandle<()>; 2],
}

impl TurnLease {
    /// Waits for the lease of a conversation. `None` if no other process shares the store.
    pub(super) async fn taken(
        executor: &Executor,
        leases: &Arc<dyn Leases>,
        conversations: &Arc<dyn Conversations>,
        Admitted { key, running, .. }: &Admitted,
    ) -> Result<Option<Self>, NoLease> {
        if !executor.ledger.is_shared() {
            return Ok(None);
        }
        // Read before the wait, so that messages from before a clearing by another process are not answered.
        let generation = conversations.generation(key).await.map_err(NoLease::Store)?;
        let watching = end_when_cleared(conversations.clone(), key.clone(), generation, running.clone());
        let watching = AbortOnDropHandle::new(tokio::spawn(watching));
        let name = turn_lease(key);
        let began = Instant::now();
        let mut has_waited = false;
        while !leases.take_lease(&name, LASTS, executor.clock.now()).await.map_err(NoLease::Store)? {
            if WAITS_MAX <= began.elapsed() {
                return Err(NoLease::Elsewhere);
            }
            has_waited = true;
            tokio::select! {
                () = running.stopped() => return Err(NoLease::Stopped),
                () = sleep(ASKS_EVERY) => {}
            }
        }
        let renewing = renew(leases.clone(), executor.clock.clone(), name.clone(), running.clone());
        let renewing = AbortOnDropHandle::new(tokio::spawn(renewing));
        Ok(Some(Self { leases: leases.clone(), name, has_waited, tasks: [watching, renewing] }))
    }

    /// Gives the lease back, and then lets the next turn of this process begin, which takes the same lease.
    pub(super) fn give_back(self, admitted: Option<Admitted>) {
        // Without a runtime no further turn begins, and the lease expires.
        let Ok(runtime) = Handle::try_current() else { return };
        let Self { leases, name, tasks, .. } = self;
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
            // This process, or its store, was stalled for longer than the lease.
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
            // The end of the turn checks again.
            Err(problem) => warn!(error = %problem, "it is not known whether a conversation was cleared"),
        }
    }
}

/// A guard that keeps the next turn of a conversation from beginning until it is dropped, because the last answer is
/// not shown yet.
#[derive(Default)]
pub struct Held {
    admitted: Option<Admitted>,
    /// Keeps the next turn from beginning in other processes.
    lease: Option<TurnLease>,
}

impl Held {
    /// Marks the turn as over: only its answer remains to be shown.
    pub(super) fn over(admitted: Admitted, lease: Option<TurnLease>) -> Self {
        admitted.running.over();
        Self { admitted: Some(admitted), lease }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.take() {
            lease.give_back(self.admitted.take());
        }
    }
}
