//! The runs under way, and the intent that is stored for each before a change that no commit can undo.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex, OwnedRwLockReadGuard, RwLock, SetOnce};
use tokio::time::{Instant, sleep_until};
use tracing::warn;

use crate::crash_point::CrashPoint;
use crate::executor::ledger::{Beginning, Intended, Intent, Ledger, Wait};
use candor_core::contract::ServiceError;
use candor_core::inbound::EventId;

pub(super) struct Flight {
    ledger: Arc<dyn Ledger>,
    /// `None` if the run ended before it began.
    intent: SetOnce<Option<Intent>>,
    /// The commit has begun: nothing more is stored before it has ended.
    is_ending: AtomicBool,
    /// The sealed token of an answer that is being deferred, until it is stored.
    late: StdMutex<Option<Vec<u8>>>,
    state: Mutex<FlightState>,
}

#[derive(Default)]
struct FlightState {
    written: Option<Intent>,
    refused: Option<NotBegun>,
}

/// Reasons why the run of an event may not begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotBegun {
    ClaimedBefore,
    Wait(Wait),
}

impl Flight {
    /// `late` is the sealed token of an answer that was deferred before the run began.
    fn new(ledger: Arc<dyn Ledger>, late: Option<Vec<u8>>) -> Self {
        Self {
            ledger,
            intent: SetOnce::new(),
            is_ending: AtomicBool::new(false),
            late: StdMutex::new(late),
            state: Mutex::default(),
        }
    }

    /// Marks the run as ended before it began, if it has not begun. Releases tasks that wait to store something for it.
    pub(super) fn never_begins(&self) {
        let _first = self.intent.set(None);
    }

    /// Sets the intent to store when it is needed.
    pub(super) fn intends(&self, intent: Intent) {
        let _first = self.intent.set(Some(intent));
    }

    /// Stores that the run began, with the token of an answer that was deferred before.
    pub(super) async fn begin(self: &Arc<Self>) -> Result<(), ServiceError> {
        match self.late() {
            Some(reply_to) => self.write(move |intent| intent.reply_to = Some(reply_to)).await,
            None => self.write(|_| {}).await,
        }
    }

    /// Stores that the run may change something outside of the store. If this fails, the run must not change anything
    /// there.
    pub(super) async fn begin_outside(self: &Arc<Self>) -> Result<(), ServiceError> {
        self.write(|intent| intent.is_outside = true).await?;
        CrashPoint::Announced.reached();
        Ok(())
    }

    /// Stores the sealed token for a deferred answer. While the run is being committed, this does not return. The token
    /// is then stored after the commit, by [`Flight::late`] or [`Flight::begins_again`].
    pub(super) async fn defer(self: &Arc<Self>, reply_to: Vec<u8>) -> Result<(), ServiceError> {
        *self.late.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply_to.clone());
        let written = self.write(move |intent| intent.reply_to = Some(reply_to)).await;
        if self.is_ending.load(Ordering::Acquire) && written.is_err() {
            std::future::pending::<()>().await;
        }
        drop(self.late());
        written
    }

    /// Whether a token for a deferred answer is about to be stored.
    pub(super) fn is_deferring(&self) -> bool {
        self.late.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Whether the run may not begin: the one that claimed its event answers, or the reason is the answer.
    pub(super) async fn is_refused(&self) -> bool {
        self.state.lock().await.refused.is_some()
    }

    /// Takes the token that could not be stored during the commit.
    fn late(&self) -> Option<Vec<u8>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Stores the answer of a committed run that was deferred meanwhile, until it is shown.
    pub(super) async fn leave_open(&self, answer: impl FnOnce() -> String) {
        let (Some(intent), Some(reply_to)) = (self.intent.get().and_then(Option::as_ref), self.late()) else { return };
        let intent = Intent { reply_to: Some(reply_to), ..intent.clone() };
        let event = intent.begun.event;
        if let Err(problem) = self.ledger.leave_open(intent, answer()).await {
            warn!(event.id = %event.0, error = %problem, "a deferred answer could not be recorded");
        }
    }

    /// Stores the changed intent. The task continues even if its caller is dropped: otherwise the store could hold an
    /// intent that `written` does not show.
    async fn write(self: &Arc<Self>, change: impl FnOnce(&mut Intent) + Send + 'static) -> Result<(), ServiceError> {
        let flight = self.clone();
        let written = tokio::spawn(async move { flight.write_to_end(change).await }).await;
        written.unwrap_or_else(|broken| Err(ServiceError::Store(broken.to_string())))
    }

    async fn write_to_end(&self, change: impl FnOnce(&mut Intent)) -> Result<(), ServiceError> {
        let not_begun = || ServiceError::Store("the run did not begin".to_owned());
        let intent = self.intent.wait().await.as_ref().ok_or_else(not_begun)?;
        let mut state = self.state.lock().await;
        if self.is_ending.load(Ordering::Acquire) {
            return Err(ServiceError::Store("the run has ended".to_owned()));
        }
        let mut intent = state.written.as_ref().unwrap_or(intent).clone();
        change(&mut intent);
        if state.written.as_ref() == Some(&intent) {
            return Ok(());
        }
        let refused = match self.ledger.begin(intent.clone()).await? {
            Beginning::Begun => {
                state.written = Some(intent);
                return Ok(());
            }
            Beginning::ClaimedBefore => NotBegun::ClaimedBefore,
            Beginning::Wait(wait) => NotBegun::Wait(wait),
        };
        state.refused = Some(refused);
        Err(ServiceError::Store("the run may not begin".to_owned()))
    }

    /// Begins the run again: nothing of it is stored. Stores a token that was held back meanwhile.
    pub(super) async fn begins_again(self: &Arc<Self>) {
        self.is_ending.store(false, Ordering::Release);
        let Some(reply_to) = self.late() else { return };
        if let Err(problem) = self.write(move |intent| intent.reply_to = Some(reply_to)).await {
            warn!(error = %problem, "a deferred answer could not be recorded");
        }
    }

    /// Ends the run, so that nothing more is stored for it. Returns the stored state, or the reason why it may not run.
    pub(super) async fn end(&self) -> Result<Ended, NotBegun> {
        self.is_ending.store(true, Ordering::Release);
        let state = self.state.lock().await;
        match (&state.refused, &state.written) {
            (Some(refused), _) => Err(refused.clone()),
            (None, Some(written)) => {
                Ok(Ended { is_begun: true, is_outside: written.is_outside, is_deferred: written.reply_to.is_some() })
            }
            (None, None) => Ok(Ended::default()),
        }
    }
}

/// The stored state of a run when it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) is_begun: bool,
    /// Whether it may have changed something outside of the store.
    pub(super) is_outside: bool,
    pub(super) is_deferred: bool,
}

impl Ended {
    /// Returns the state of the intent for a commit with this answer.
    pub(super) fn intended(self, answer: impl FnOnce() -> String) -> Intended {
        match self {
            Self { is_deferred: true, .. } => Intended::Deferred(answer()),
            Self { is_begun: true, .. } => Intended::Yes,
            Self { is_begun: false, .. } => Intended::No,
        }
    }
}

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
    events: Arc<StdMutex<EventTable>>,
    /// Read-locked by each receipt that is stored after its answer, until it is stored.
    storing: Arc<RwLock<()>>,
    /// The start of the first interval; each is `TOGETHER` long.
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
    /// The sealed tokens of answers that were deferred before their runs began.
    deferred: HashMap<EventId, Vec<u8>>,
    recent: HashSet<EventId>,
    /// The events of `recent`, oldest first.
    by_end: VecDeque<EventId>,
}

impl Flights {
    /// Registers the run of this event until the guard is dropped. `None` if a run of it is under way or ended
    /// recently: that run answers.
    pub(super) fn enter(&self, event: EventId, ledger: &Arc<dyn Ledger>) -> Option<RunGuard> {
        let mut events = self.events();
        if events.recent.contains(&event) {
            return None;
        }
        let EventTable { under_way, deferred, .. } = &mut *events;
        match under_way.entry(event) {
            Entry::Occupied(_) => None,
            Entry::Vacant(free) => {
                let flight = Arc::new(Flight::new(ledger.clone(), deferred.remove(&event)));
                free.insert(flight.clone());
                Some(RunGuard { flights: self.clone(), event, flight })
            }
        }
    }

    /// Returns the run of this event. If it has not begun, it stores this token when it begins.
    pub(super) fn get_or_defer(&self, event: EventId, reply_to: &[u8]) -> Option<Arc<Flight>> {
        let mut events = self.events();
        let flight = events.under_way.get(&event).cloned();
        if flight.is_none() {
            events.deferred.insert(event, reply_to.to_owned());
        }
        flight
    }

    /// Forgets the token for a run that never began.
    pub(super) fn forget_deferred(&self, event: EventId) {
        self.events().deferred.remove(&event);
    }

    /// Lets one more run store its receipt after its answer. `None` if too many runs are under way or a reader waits
    /// for receipts.
    pub(super) fn store_later(&self) -> Option<OwnedRwLockReadGuard<()>> {
        let has_room = self.events().under_way.len() < LATE_MAX;
        has_room.then(|| self.storing.clone().try_read_owned().ok()).flatten()
    }

    /// Waits for the end of this interval.
    pub(super) async fn interval_ends(&self) {
        let passed = self.began.elapsed().as_nanos() / TOGETHER.as_nanos();
        let next = TOGETHER.saturating_mul(u32::try_from(passed).unwrap_or(u32::MAX).saturating_add(1));
        sleep_until(self.began + next).await;
    }

    /// Waits until the receipts of all given answers are stored, so that readers find them.
    pub(crate) async fn stored(&self) {
        drop(self.storing.write().await);
    }

    fn events(&self) -> MutexGuard<'_, EventTable> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Registers a run as under way until it is dropped.
pub(super) struct RunGuard {
    flights: Flights,
    event: EventId,
    pub(super) flight: Arc<Flight>,
}

impl RunGuard {
    /// Remembers the event, which is answered before its claim is stored.
    pub(super) fn remember(&self) {
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
