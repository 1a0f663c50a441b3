//! The services of one run. Its changes of records, its later calls and its messages are staged. Changes that no commit
//! can undo are announced.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

use crate::executor::effects::stage::StagedChanges;
use crate::executor::effects::staged_calls::StagedCalls;
use crate::executor::effects::staged_messages::StagedMessages;
use crate::executor::effects::staged_records::StagedRecords;
use crate::executor::flights::Flight;
use crate::executor::ledger::StagedChange;
use candor_core::contract::{
    CallChange, DueCalls, Effects, HostServices, InRun, Listing, Outbox, Records, ServiceError, WorkspaceError,
    WorkspacePath, Workspaces, Written,
};
use candor_core::inbound::Place;

/// The services of one run. Changes of records, later calls and messages are staged. The first change of anything else
/// is stored as an intent before it happens.
pub(in crate::executor) struct RunServices {
    outside: Outside,
    /// Created by the first service that may change something.
    staged: OnceLock<Arc<StagedChanges>>,
}

impl RunServices {
    pub(in crate::executor) fn new(flight: Arc<Flight>, may_change: bool) -> Self {
        Self { outside: Outside { flight, may_change }, staged: OnceLock::new() }
    }

    /// Ends the run and returns its changes in order.
    pub(in crate::executor) async fn end(&self) -> Vec<StagedChange> {
        match self.staged.get() {
            Some(staged) => staged.end().await,
            None => Vec::new(),
        }
    }

    fn staged(&self) -> Arc<StagedChanges> {
        self.staged.get_or_init(|| Arc::new(StagedChanges::none(self.outside.may_change))).clone()
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

    /// Wakes the tasks that make waiting calls or send messages: the run has added some that are, or may be, stored.
    pub(in crate::executor) fn wake(self, host: &HostServices) {
        if let Some(stored) = host.time.as_ref().filter(|_| self.calls) {
            stored.added();
        }
        if let Some(stored) = host.outbox.as_ref().filter(|_| self.messages) {
            stored.added();
        }
    }
}

impl InRun for RunServices {
    fn services(&self, granted: HostServices) -> HostServices {
        let records = |stored| -> Arc<dyn Records> { Arc::new(StagedRecords { stored, staged: self.staged() }) };
        let workspaces =
            |inner| -> Arc<dyn Workspaces> { Arc::new(Announced { inner, outside: self.outside.clone() }) };
        let time = |stored| -> Arc<dyn DueCalls> { Arc::new(StagedCalls { stored, staged: self.staged() }) };
        let outbox = |stored| -> Arc<dyn Outbox> { Arc::new(StagedMessages { stored, staged: self.staged() }) };
        HostServices {
            records: granted.records.map(records),
            workspaces: granted.workspaces.map(workspaces),
            time: granted.time.map(time),
            outbox: granted.outbox.map(outbox),
            ..granted
        }
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

/// Workspaces, whose changes no commit can undo.
struct Announced {
    inner: Arc<dyn Workspaces>,
    outside: Outside,
}

#[async_trait]
impl Workspaces for Announced {
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
