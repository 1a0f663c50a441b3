//! The services of one run: its changes of records are staged, and whatever no commit can take back is announced.

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use async_trait::async_trait;

use crate::host::executor::effects::staged::Staged;
use crate::host::executor::under_way::{Flight, Flights};
use candor_core::contract::{
    ClearedConversation, ConversationContext, DueCall, DueCallId, DueCalls, Effects, Erased, InRun, KeptOfPerson,
    LaterCall, Listing, ModelChoice, NoThread, Privacy, ReceiptBook, ReceiptList, RecordChange, Records, ServiceError,
    Talk, WorkspaceError, WorkspacePath, Workspaces, Written,
};
use candor_core::inbound::{Caller, ChannelId, Place, UserId};
use candor_core::record::{KeptTurn, LedgerEntry, ReceiptId};

/// The services of one run: its changes of records are staged, and its first change of anything else is written down
/// before it happens.
pub(in crate::host::executor) struct RunServices {
    pub(in crate::host::executor) flights: Flights,
    pub(in crate::host::executor) flight: Arc<Flight>,
    pub(in crate::host::executor) staged: OnceLock<Arc<Staged>>,
}

impl RunServices {
    /// What the run changes in the store, if it is to be stored. The run has ended.
    pub(in crate::host::executor) async fn changes(&self, is_done: bool) -> Vec<RecordChange> {
        let Some(staged) = self.staged.get() else { return Vec::new() };
        let changes = staged.end().await;
        if is_done { changes } else { Vec::new() }
    }
}

impl InRun for RunServices {
    fn records(&self, stored: Arc<dyn Records>) -> Arc<dyn Records> {
        self.staged.get_or_init(|| Arc::new(Staged::over(stored))).clone()
    }

    fn workspaces(&self, inner: Arc<dyn Workspaces>) -> Arc<dyn Workspaces> {
        Arc::new(Announced { inner, flight: self.flight.clone() })
    }

    fn time(&self, inner: Arc<dyn DueCalls>) -> Arc<dyn DueCalls> {
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

    fn effects(&self) -> Arc<dyn Effects> {
        Arc::new(EffectsOfRun(self.flight.clone()))
    }
}

/// Announces what a program or a server may change.
struct EffectsOfRun(Arc<Flight>);

#[async_trait]
impl Effects for EffectsOfRun {
    async fn announce(&self) -> Result<(), ServiceError> {
        self.0.begin_outside().await
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

    async fn kept_answer(&self, id: ReceiptId) -> Result<Option<String>, ServiceError> {
        self.inner.kept_answer(id).await
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
impl DueCalls for Announced<dyn DueCalls> {
    async fn call_later(&self, call: &LaterCall) -> Result<DueCallId, ServiceError> {
        self.flight.begin_outside().await?;
        self.inner.call_later(call).await
    }

    async fn waiting(&self, module: &str, scope: &str, user: UserId) -> Result<Vec<DueCall>, ServiceError> {
        self.inner.waiting(module, scope, user).await
    }

    async fn cancel(&self, module: &str, scope: &str, user: UserId, id: DueCallId) -> Result<bool, ServiceError> {
        self.flight.begin_outside().await?;
        self.inner.cancel(module, scope, user, id).await
    }
}

#[async_trait]
impl Talk for Announced<dyn Talk> {
    fn models(&self) -> Vec<ModelChoice> {
        self.inner.models()
    }

    async fn model_of(&self, place: Place, user: UserId) -> Result<Option<String>, ServiceError> {
        self.inner.model_of(place, user).await
    }

    async fn set_model(&self, caller: &Caller, place: Place, model: &str) -> Result<bool, ServiceError> {
        self.flight.begin_outside().await?;
        self.inner.set_model(caller, place, model).await
    }

    async fn clear(&self, caller: &Caller, place: Place) -> Result<ClearedConversation, ServiceError> {
        self.flight.begin_outside().await?;
        self.inner.clear(caller, place).await
    }

    async fn context(&self, caller: &Caller, place: Place) -> Result<Option<ConversationContext>, ServiceError> {
        self.inner.context(caller, place).await
    }

    async fn open_thread(&self, place: Place, title: &str) -> Result<ChannelId, NoThread> {
        self.flight.begin_outside().await.map_err(|_| NoThread::Failed)?;
        self.inner.open_thread(place, title).await
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
