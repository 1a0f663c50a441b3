//! The runs under way, by their events, and the events that were answered recently.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedRwLockReadGuard, RwLock};
use tokio::time::{Instant, sleep_until};

use crate::host::executor::ledger::Ledger;
use crate::host::executor::under_way::flight::Flight;
use candor_core::inbound::EventId;

/// The most runs under way while receipts are stored after their answers. If the store falls behind, answers wait from
/// here on, instead of growing a queue.
const LATE_MAX: usize = 512;

/// Receipts that are stored after their answers are batched: those of runs that end within this time share one disk
/// write. A crash can lose at most this much.
const TOGETHER: Duration = Duration::from_millis(10);

/// How many events with receipts stored after their answers are remembered. Discord redelivers an event when it resumes
/// a session. The claims in the store would detect it only after it was answered a second time.
const RECENT_MAX: usize = 8_192;

/// The runs under way in this process, by their events.
#[derive(Clone)]
pub struct Flights {
    events: Arc<Mutex<EventTable>>,
    /// Read-locked by each receipt that is stored after its answer, until it is stored.
    storing: Arc<RwLock<()>>,
    /// The start of the batches, each `TOGETHER` long.
    began: Instant,
}

impl Default for Flights {
    fn default() -> Self {
        Self { events: Arc::default(), storing: Arc::default(), began: Instant::now() }
    }
}

#[derive(Default)]
struct EventTable {
    under_way: HashMap<EventId, Arc<Flight>>,
    recent: HashSet<EventId>,
    /// The events of `recent`, oldest first.
    by_end: VecDeque<EventId>,
}

impl Flights {
    /// Registers the run of this event until the guard is dropped. `None` if a run of it is under way or ended
    /// recently: that run answers.
    pub(in crate::host::executor) fn enter(&self, event: EventId, ledger: &Arc<dyn Ledger>) -> Option<RunGuard> {
        let mut events = self.events();
        if events.recent.contains(&event) {
            return None;
        }
        match events.under_way.entry(event) {
            Entry::Occupied(_) => None,
            Entry::Vacant(free) => {
                let flight = Arc::new(Flight::new(ledger.clone()));
                free.insert(flight.clone());
                Some(RunGuard { flights: self.clone(), event, flight })
            }
        }
    }

    /// Lets one more run store its receipt after its answer. `None` if too many runs are under way or a reader waits
    /// for receipts.
    pub(in crate::host::executor) fn store_later(&self) -> Option<OwnedRwLockReadGuard<()>> {
        let has_room = self.events().under_way.len() < LATE_MAX;
        has_room.then(|| self.storing.clone().try_read_owned().ok()).flatten()
    }

    /// Waits for the next batch.
    pub(in crate::host::executor) async fn together(&self) {
        let passed = self.began.elapsed().as_nanos() / TOGETHER.as_nanos();
        let next = TOGETHER.saturating_mul(u32::try_from(passed).unwrap_or(u32::MAX).saturating_add(1));
        sleep_until(self.began + next).await;
    }

    /// Waits until the receipts of all given answers are stored, so that readers find them.
    pub(in crate::host::executor) async fn stored(&self) {
        drop(self.storing.write().await);
    }

    pub(in crate::host::executor) fn get(&self, event: EventId) -> Option<Arc<Flight>> {
        self.events().under_way.get(&event).cloned()
    }

    fn events(&self) -> MutexGuard<'_, EventTable> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Registers a run as under way until it is dropped.
pub(in crate::host::executor) struct RunGuard {
    flights: Flights,
    event: EventId,
    pub(in crate::host::executor) flight: Arc<Flight>,
}

impl RunGuard {
    /// Remembers the event, which is answered before its claim is stored.
    pub(in crate::host::executor) fn remember(&self) {
        let mut events = self.flights.events();
        if RECENT_MAX <= events.by_end.len()
            && let Some(oldest) = events.by_end.pop_front()
        {
            events.recent.remove(&oldest);
        }
        if events.recent.insert(self.event) {
            events.by_end.push_back(self.event);
        }
    }
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        // Releases tasks that wait to store something for a run that never began.
        self.flight.never_begins();
        self.flights.events().under_way.remove(&self.event);
    }
}
