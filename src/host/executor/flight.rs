//! The runs that are under way, by their events, and the intents that were stored for them.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::sync::{Mutex, OwnedRwLockReadGuard, RwLock, SetOnce};
use tokio::time::{Instant, sleep_until};
use tracing::warn;

use crate::host::crash_point::CrashPoint;
use crate::host::executor::ledger::{Beginning, Intended, Intent, Ledger, Wait};
use crate::host::executor::staged::Staged;
use candor_core::contract::{
    ClearedConversation, Erased, InRun, KeptOfPerson, Listing, Privacy, ReceiptBook, ReceiptList, Records,
    ServiceError, Talk, WorkspaceError, WorkspacePath, Workspaces, Written,
};
use candor_core::inbound::{Caller, EventId, Place, UserId};
use candor_core::record::{KeptTurn, LedgerEntry, ReceiptId};

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
    events: Arc<StdMutex<Events>>,
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
struct Events {
    under_way: HashMap<EventId, Arc<Flight>>,
    recent: HashSet<EventId>,
    /// The same in the order of their ends.
    by_end: VecDeque<EventId>,
}

impl Flights {
    /// Enters the run of this event, until what is returned is dropped. `None` if one is under way, or was a moment
    /// ago: it answers.
    pub(super) fn enter(&self, event: EventId, ledger: &Arc<dyn Ledger>) -> Option<RunGuard> {
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
    pub(super) fn store_later(&self) -> Option<OwnedRwLockReadGuard<()>> {
        let has_room = self.events().under_way.len() < LATE_MAX;
        has_room.then(|| self.storing.clone().try_read_owned().ok()).flatten()
    }

    /// Waits for the next time at which receipts are stored.
    pub(super) async fn together(&self) {
        let passed = self.began.elapsed().as_nanos() / TOGETHER.as_nanos();
        let next = TOGETHER.saturating_mul(u32::try_from(passed).unwrap_or(u32::MAX).saturating_add(1));
        sleep_until(self.began + next).await;
    }

    /// Waits until the receipts of all answers that were given are stored: whoever reads receipts finds them.
    pub(super) async fn stored(&self) {
        drop(self.storing.write().await);
    }

    /// The run of this event, if it is under way.
    pub(super) fn get(&self, event: EventId) -> Option<Arc<Flight>> {
        self.events().under_way.get(&event).cloned()
    }

    fn events(&self) -> MutexGuard<'_, Events> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run that is under way until this is dropped.
pub(super) struct RunGuard {
    flights: Flights,
    event: EventId,
    pub(super) flight: Arc<Flight>,
}

impl RunGuard {
    /// Remembers the event: it is answered before its claim is stored.
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
        // Whoever waits to write something down of a run that never began goes on.
        let _first = self.flight.intent.set(None);
        self.flights.events().under_way.remove(&self.event);
    }
}

/// One run that is under way.
pub(super) struct Flight {
    ledger: Arc<dyn Ledger>,
    /// None if the run ended before it began.
    intent: SetOnce<Option<Intent>>,
    /// Its commit has begun: nothing more is written down before it has ended.
    is_ending: AtomicBool,
    /// By which the person can be told how the run ended, if that was to be written down while it was committed.
    late: StdMutex<Option<Vec<u8>>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The intent as it is in the store.
    written: Option<Intent>,
    refused: Option<NotBegun>,
}

/// Why the run of an event may not begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotBegun {
    /// Another process answers it.
    ClaimedBefore,
    /// A cooldown is not free.
    Wait(Wait),
}

impl Flight {
    fn new(ledger: Arc<dyn Ledger>) -> Self {
        Self {
            ledger,
            intent: SetOnce::new(),
            is_ending: AtomicBool::new(false),
            late: StdMutex::default(),
            state: Mutex::default(),
        }
    }

    /// What is written down of the run when that is needed.
    pub(super) fn intends(&self, intent: Intent) {
        let _first = self.intent.set(Some(intent));
    }

    /// Writes down that the run begins.
    pub(super) async fn begin(self: &Arc<Self>) -> Result<(), ServiceError> {
        self.write(|_| {}).await
    }

    /// Writes down that the run may change something outside of the store. It does not if this fails.
    async fn begin_outside(self: &Arc<Self>) -> Result<(), ServiceError> {
        self.write(|intent| intent.is_outside = true).await?;
        CrashPoint::Announced.reached();
        Ok(())
    }

    /// Writes down by which the person can be told how the run ended. While the run is being committed it does not
    /// return, and it is written down after the commit, by [`Flight::late`] or [`Flight::begins_again`].
    pub(super) async fn defer(self: &Arc<Self>, reply_to: Vec<u8>) -> Result<(), ServiceError> {
        *self.late.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply_to.clone());
        let written = self.write(move |intent| intent.reply_to = Some(reply_to)).await;
        if self.is_ending.load(Ordering::Acquire) && written.is_err() {
            std::future::pending::<()>().await;
        }
        drop(self.late());
        written
    }

    /// What was to be written down while the run was committed. It is asked for once.
    fn late(&self) -> Option<Vec<u8>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Writes down the answer of a run that is committed, if it was deferred meanwhile: until it is shown.
    pub(super) async fn leave_open(&self, answer: impl FnOnce() -> String) {
        let (Some(intent), Some(reply_to)) = (self.intent.get().and_then(Option::as_ref), self.late()) else { return };
        let intent = Intent { reply_to: Some(reply_to), ..intent.clone() };
        let event = intent.begun.event;
        if let Err(problem) = self.ledger.leave_open(intent, answer()).await {
            warn!(event.id = event.0, error = %problem, "a deferred answer could not be written down");
        }
    }

    /// Writes down what is known now. It goes on if nobody waits for it any longer: otherwise the store might have what
    /// this does not know of.
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

    /// The run begins once more: nothing of it is stored. What was to be written down meanwhile is.
    pub(super) async fn begins_again(self: &Arc<Self>) {
        self.is_ending.store(false, Ordering::Release);
        let Some(reply_to) = self.late() else { return };
        if let Err(problem) = self.write(move |intent| intent.reply_to = Some(reply_to)).await {
            warn!(error = %problem, "a deferred answer could not be written down");
        }
    }

    /// Ends the run: nothing more is written down of it. What was, or why it may not run.
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

/// What was written down of a run when it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ended {
    /// Its intent.
    pub(super) is_begun: bool,
    /// That it may have changed something outside of the store.
    pub(super) is_outside: bool,
    /// That its answer is deferred.
    pub(super) is_deferred: bool,
}

impl Ended {
    /// What becomes of the intent when the run is committed with this answer.
    pub(super) fn intended(self, answer: impl FnOnce() -> String) -> Intended {
        match self {
            Self { is_deferred: true, .. } => Intended::Deferred(answer()),
            Self { is_begun: true, .. } => Intended::Yes,
            Self { is_begun: false, .. } => Intended::No,
        }
    }
}

/// The services of one run: its changes of records are staged, and its first change of anything else is written down
/// before it happens.
pub(super) struct RunServices {
    pub(super) flights: Flights,
    pub(super) flight: Arc<Flight>,
    pub(super) staged: OnceLock<Arc<Staged>>,
}

impl InRun for RunServices {
    fn records(&self, stored: Arc<dyn Records>) -> Arc<dyn Records> {
        self.staged.get_or_init(|| Arc::new(Staged::over(stored))).clone()
    }

    fn workspaces(&self, inner: Arc<dyn Workspaces>) -> Arc<dyn Workspaces> {
        Arc::new(Announced { inner, flight: self.flight.clone() })
    }

    fn talk(&self, inner: Arc<dyn Talk>) -> Arc<dyn Talk> {
        Arc::new(Announced { inner, flight: self.flight.clone() })
    }

    fn privacy(&self, inner: Arc<dyn Privacy>) -> Arc<dyn Privacy> {
        let announced = Announced { inner, flight: self.flight.clone() };
        Arc::new(Settled { inner: Arc::new(announced), flights: self.flights.clone() })
    }

    fn receipts(&self, inner: Arc<dyn ReceiptBook>) -> Arc<dyn ReceiptBook> {
        Arc::new(Settled { inner, flights: self.flights.clone() })
    }
}

/// A service that looks into the ledger, once the receipts of all answers that were given are in it.
struct Settled<T: ?Sized> {
    inner: Arc<T>,
    flights: Flights,
}

#[async_trait]
impl ReceiptBook for Settled<dyn ReceiptBook> {
    async fn find(&self, id: ReceiptId) -> Result<Option<LedgerEntry>, ServiceError> {
        self.flights.stored().await;
        self.inner.find(id).await
    }

    async fn last(&self, caller: &Caller, place: Place, except: &str) -> Result<Option<LedgerEntry>, ServiceError> {
        self.flights.stored().await;
        self.inner.last(caller, place, except).await
    }

    async fn kept_answer(&self, id: ReceiptId, now: SystemTime) -> Result<Option<String>, ServiceError> {
        self.inner.kept_answer(id, now).await
    }

    async fn list(
        &self,
        caller: &Caller,
        place: Place,
        except: &str,
        range: Range<u64>,
    ) -> Result<ReceiptList, ServiceError> {
        self.flights.stored().await;
        self.inner.list(caller, place, except, range).await
    }

    async fn turn_of_message(&self, message: u64) -> Result<Option<KeptTurn>, ServiceError> {
        self.inner.turn_of_message(message).await
    }

    async fn last_turn(&self, caller: &Caller, place: Place) -> Result<Option<KeptTurn>, ServiceError> {
        self.inner.last_turn(caller, place).await
    }
}

/// A service whose changes no commit can take back.
struct Announced<T: ?Sized> {
    inner: Arc<T>,
    flight: Arc<Flight>,
}

#[async_trait]
impl Workspaces for Announced<dyn Workspaces> {
    async fn list(&self, place: Place, folder: Option<&WorkspacePath>) -> Result<Listing, WorkspaceError> {
        self.inner.list(place, folder).await
    }

    async fn read(&self, place: Place, file: &WorkspacePath) -> Result<String, WorkspaceError> {
        self.inner.read(place, file).await
    }

    async fn write(&self, place: Place, file: &WorkspacePath, content: &str) -> Result<Written, WorkspaceError> {
        let begun = self.flight.begin_outside().await;
        begun.map_err(|problem| WorkspaceError::Internal(Box::new(problem)))?;
        self.inner.write(place, file, content).await
    }

    async fn remove(&self, place: Place, file: &WorkspacePath) -> Result<u64, WorkspaceError> {
        let begun = self.flight.begin_outside().await;
        begun.map_err(|problem| WorkspaceError::Internal(Box::new(problem)))?;
        self.inner.remove(place, file).await
    }
}

#[async_trait]
impl Talk for Announced<dyn Talk> {
    fn models(&self) -> &[String] {
        self.inner.models()
    }

    async fn model_of(&self, place: Place, user: UserId) -> Result<Option<String>, ServiceError> {
        self.inner.model_of(place, user).await
    }

    async fn set_model(&self, place: Place, user: UserId, model: &str) -> Result<(), ServiceError> {
        self.flight.begin_outside().await?;
        self.inner.set_model(place, user, model).await
    }

    async fn clear(&self, place: Place, user: UserId) -> Result<ClearedConversation, ServiceError> {
        self.flight.begin_outside().await?;
        self.inner.clear(place, user).await
    }

    async fn end_turns(&self, user: UserId) {
        self.inner.end_turns(user).await;
    }
}

#[async_trait]
impl Privacy for Announced<dyn Privacy> {
    async fn kept(&self, user: UserId, json_max: usize, now: SystemTime) -> Result<KeptOfPerson, ServiceError> {
        self.inner.kept(user, json_max, now).await
    }

    async fn erase(&self, user: UserId) -> Result<Erased, ServiceError> {
        self.flight.begin_outside().await?;
        self.inner.erase(user).await
    }
}

#[async_trait]
impl<T: Privacy> Privacy for Settled<T> {
    async fn kept(&self, user: UserId, json_max: usize, now: SystemTime) -> Result<KeptOfPerson, ServiceError> {
        self.flights.stored().await;
        self.inner.kept(user, json_max, now).await
    }

    async fn erase(&self, user: UserId) -> Result<Erased, ServiceError> {
        self.flights.stored().await;
        self.inner.erase(user).await
    }
}
