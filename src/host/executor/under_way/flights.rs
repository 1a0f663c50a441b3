//! The runs that are under way, by their events, and the events that were answered a moment ago.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedRwLockReadGuard, RwLock};
use tokio::time::{Instant, sleep_until};

use crate::host::executor::ledger::Ledger;
use crate::host::executor::under_way::flight::Flight;
use candor_core::inbound::EventId;

/// The most runs under way while receipts are stored after their answers. A store that falls behind holds up answers
/// from here on, instead of growing a queue.
const LATE_MAX: usize = 512;

/// Receipts that are stored after their answers wait for each other: what ends within this time is stored with one
/// write to the disk. It is as much as a crash can take of them.
const TOGETHER: Duration = Duration::from_millis(10);

/// How many events are remembered whose receipts were stored after their answers. Discord delivers an event again when
/// it resumes a session; the claims in the store would find it only once it has been answered a second time.
const RECENT_MAX: usize = 8_192;

/// The runs that are under way in this process, by their events.
#[derive(Clone)]
pub struct Flights {
    events: Arc<Mutex<EventTable>>,
    /// Read by each receipt that is stored after its answer, until it is.
    storing: Arc<RwLock<()>>,
    /// From here on the times are counted at which such receipts are stored.
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
    /// The same in the order of their ends.
    by_end: VecDeque<EventId>,
}

impl Flights {
    /// Enters the run of this event, until what is returned is dropped. `None` if one is under way, or was a moment
    /// ago: it answers.
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

    /// Lets one more run stay until its receipt is stored, if there are few and nobody waits for those.
    pub(in crate::host::executor) fn store_later(&self) -> Option<OwnedRwLockReadGuard<()>> {
        let has_room = self.events().under_way.len() < LATE_MAX;
        has_room.then(|| self.storing.clone().try_read_owned().ok()).flatten()
    }

    /// Waits for the next time at which receipts are stored.
    pub(in crate::host::executor) async fn together(&self) {
        let passed = self.began.elapsed().as_nanos() / TOGETHER.as_nanos();
        let next = TOGETHER.saturating_mul(u32::try_from(passed).unwrap_or(u32::MAX).saturating_add(1));
        sleep_until(self.began + next).await;
    }

    /// Waits until the receipts of all answers that were given are stored: whoever reads receipts finds them.
    pub(in crate::host::executor) async fn stored(&self) {
        drop(self.storing.write().await);
    }

    /// The run of this event, if it is under way.
    pub(in crate::host::executor) fn get(&self, event: EventId) -> Option<Arc<Flight>> {
        self.events().under_way.get(&event).cloned()
    }

    fn events(&self) -> MutexGuard<'_, EventTable> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run that is under way until this is dropped.
pub(in crate::host::executor) struct RunGuard {
    flights: Flights,
    event: EventId,
    pub(in crate::host::executor) flight: Arc<Flight>,
}

impl RunGuard {
    /// Remembers the event: it is answered before its claim is stored.
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
        // Whoever waits to write something down of a run that never began goes on.
        self.flight.never_begins();
        self.flights.events().under_way.remove(&self.event);
    }
}
