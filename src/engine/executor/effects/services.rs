//! The services of one run. Its changes of records, its later calls and its messages are staged. Changes that no commit
//! can undo are announced.

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use async_trait::async_trait;

use crate::executor::effects::stage::StagedChanges;
use crate::executor::effects::staged_calls::StagedCalls;
use crate::executor::effects::staged_messages::StagedMessages;
use crate::executor::effects::staged_records::StagedRecords;
use crate::executor::flights::{Flight, Flights};
use crate::executor::ledger::StagedChange;
use candor_core::contract::{
    CallChange, ClearedConversation, ConversationContext, DueCalls, Effects, Erased, InRun, KeptOfPerson, Listing,
    MessageOfReceipt, ModelChoice, NoThread, Outbox, Privacy, ReceiptBook, ReceiptList, Records, ServiceError, Talk,
    WorkspaceError, WorkspacePath, Workspaces, Written,
};
use candor_core::guild::Rules;
use candor_core::inbound::{Caller, ChannelId, Place, UserId};
use candor_core::record::{KeptTurn, LedgerEntry, ReceiptId};

/// The services of one run. Changes of records, later calls and messages are staged. The first change of anything else
/// is stored as an intent before it happens.
pub(in crate::executor) struct RunServices {
    flights: Flights,
    outside: Outside,
    may_change: bool,
    /// Created by the first service that may change something.
    staged: OnceLock<Arc<StagedChanges>>,
    /// The waiting calls, if the run may change them.
    calls: OnceLock<Arc<dyn DueCalls>>,
    /// The waiting messages, if the run may send some.
    outbox: OnceLock<Arc<dyn Outbox>>,
}

impl RunServices {
    pub(in crate::executor) fn new(flights: Flights, flight: Arc<Flight>, may_change: bool) -> Self {
        let outside = Outside { flight, may_change };
        let calls = OnceLock::new();
        let outbox = OnceLock::new();
        Self { flights, outside, may_change, staged: OnceLock::new(), calls, outbox }
    }

    /// Ends the run and returns its changes in order.
    pub(in crate::executor) async fn end(&self) -> Vec<StagedChange> {
        match self.staged.get() {
            Some(staged) => staged.end().await,
            None => Vec::new(),
        }
    }

    /// Wakes the tasks that make waiting calls or send messages: the run has added some that are, or may be, stored.
    pub(in crate::executor) fn added(&self, Added { calls, messages }: Added) {
        if let Some(stored) = self.calls.get().filter(|_| calls) {
            stored.added();
        }
        if let Some(stored) = self.outbox.get().filter(|_| messages) {
            stored.added();
        }
    }

    fn staged(&self) -> Arc<StagedChanges> {
        self.staged.get_or_init(|| Arc::new(StagedChanges::none(self.may_change))).clone()
    }
}

#[derive(Clone, Copy)]
pub(in crate::executor) struct Added {
    calls: bool,
    messages: bool,
}

impl Added {
    pub(in crate::executor) fn by(changes: &[StagedChange]) -> Self {
        let adds = |change: &StagedChange| matches!(change.call(), Some(CallChange::Add { .. }));
        Self { calls: changes.iter().any(adds), messages: changes.iter().any(|change| change.message().is_some()) }
    }
}

impl InRun for RunServices {
    fn records(&self, stored: Arc<dyn Records>) -> Arc<dyn Records> {
        Arc::new(StagedRecords { stored, staged: self.staged() })
    }

    fn workspaces(&self, inner: Arc<dyn Workspaces>) -> Arc<dyn Workspaces> {
        Arc::new(Announced { inner, outside: self.outside.clone() })
    }

    fn time(&self, stored: Arc<dyn DueCalls>) -> Arc<dyn DueCalls> {
        let stored = self.calls.get_or_init(|| stored).clone();
        Arc::new(StagedCalls { stored, staged: self.staged() })
    }

    fn outbox(&self, stored: Arc<dyn Outbox>) -> Arc<dyn Outbox> {
        let stored = self.outbox.get_or_init(|| stored).clone();
        Arc::new(StagedMessages { stored, staged: self.staged() })
    }

    fn talk(&self, inner: Arc<dyn Talk>) -> Arc<dyn Talk> {
        Arc::new(Announced { inner, outside: self.outside.clone() })
    }

    fn privacy(&self, inner: Arc<dyn Privacy>) -> Arc<dyn Privacy> {
        let announced = Announced { inner, outside: self.outside.clone() };
        Arc::new(Settled { inner: Arc::new(announced), flights: self.flights.clone() })
    }

    fn receipts(&self, inner: Arc<dyn ReceiptBook>) -> Arc<dyn ReceiptBook> {
        Arc::new(Settled { inner, flights: self.flights.clone() })
    }

    fn effects(&self) -> Arc<dyn Effects> {
        Arc::new(self.outside.clone())
    }
}

/// Announces changes that no commit can undo, such as those of a program or a server.
#[derive(Clone)]
struct Outside {
    flight: Arc<Flight>,
    may_change: bool,
}

#[async_trait]
impl Effects for Outside {
    async fn announce(&self) -> Result<(), ServiceError> {
        match self.may_change {
            true => self.flight.begin_outside().await,
            false => Err(ServiceError::ReadsOnly),
        }
    }
}

/// A service that reads the ledger. It waits until the receipts of all given answers are stored.
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

    async fn messages(&self, id: ReceiptId) -> Result<Vec<MessageOfReceipt>, ServiceError> {
        self.inner.messages(id).await
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

/// A service whose changes no commit can undo.
struct Announced<T: ?Sized> {
    inner: Arc<T>,
    outside: Outside,
}

#[async_trait]
impl Workspaces for Announced<dyn Workspaces> {
    async fn list(&self, place: Place, folder: Option<&WorkspacePath>) -> Result<Listing, WorkspaceError> {
        self.inner.list(place, folder).await
    }

    async fn read(&self, place: Place, file: &WorkspacePath) -> Result<Vec<u8>, WorkspaceError> {
        self.inner.read(place, file).await
    }

    async fn write(
        &self,
        place: Place,
        file: &WorkspacePath,
        content: &[u8],
        over: Option<&[u8]>,
    ) -> Result<Written, WorkspaceError> {
        let begun = self.outside.announce().await;
        begun.map_err(|problem| WorkspaceError::Internal(Box::new(problem)))?;
        self.inner.write(place, file, content, over).await
    }

    async fn remove(&self, place: Place, file: &WorkspacePath) -> Result<u64, WorkspaceError> {
        let begun = self.outside.announce().await;
        begun.map_err(|problem| WorkspaceError::Internal(Box::new(problem)))?;
        self.inner.remove(place, file).await
    }
}

#[async_trait]
impl Talk for Announced<dyn Talk> {
    fn models(&self) -> Vec<ModelChoice> {
        self.inner.models()
    }

    async fn model_of(&self, place: Place, user: UserId, rules: &Rules) -> Result<Option<String>, ServiceError> {
        self.inner.model_of(place, user, rules).await
    }

    async fn set_model(&self, caller: &Caller, place: Place, model: &str) -> Result<bool, ServiceError> {
        self.outside.announce().await?;
        self.inner.set_model(caller, place, model).await
    }

    async fn clear(&self, caller: &Caller, place: Place) -> Result<ClearedConversation, ServiceError> {
        self.outside.announce().await?;
        self.inner.clear(caller, place).await
    }

    async fn context(
        &self,
        caller: &Caller,
        place: Place,
        rules: &Rules,
    ) -> Result<Option<ConversationContext>, ServiceError> {
        self.inner.context(caller, place, rules).await
    }

    async fn open_thread(
        &self,
        caller: &Caller,
        place: Place,
        rules: &Rules,
        title: &str,
    ) -> Result<ChannelId, NoThread> {
        self.outside.announce().await.map_err(|_| NoThread::Failed)?;
        self.inner.open_thread(caller, place, rules, title).await
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
        self.outside.announce().await?;
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
