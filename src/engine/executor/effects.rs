//! The effects of a run. Records, later calls and messages are staged; changes that no commit can undo are announced.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard};

use crate::executor::flights::Flight;
use crate::executor::ledger::StagedChange;
use candor_core::contract::{
    CallChange, Change, DUE_CALLS_MAX, DueCall, DueCallId, DueCalls, Effects, HostServices, InRun, LaterCall, Listing,
    Outbox, Outgoing, PersonsRecord, RecordChange, RecordId, Records, SENT_BY_RUN_MAX, ServiceError, Waiting,
    WorkspaceError, WorkspacePath, Workspaces, Written, scopes_of_people,
};
use candor_core::inbound::{ChannelId, Place, UserId};

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

/// The most changes of one run: more than any module makes, and few enough for one transaction.
const CHANGES_MAX: usize = 1_000;

/// The changes of one run. `None` once it has ended.
pub(in crate::executor) struct StagedChanges(Mutex<Option<Changes>>);

/// The changes of a run that has not ended.
struct Changes {
    may_change: bool,
    made: Vec<StagedChange>,
}

impl Changes {
    fn made(&self) -> &[StagedChange] {
        &self.made
    }

    fn take_back(&mut self, at: usize) {
        self.made.remove(at);
    }

    /// Adds a change. Fails if the run may not change anything or has made too many changes.
    fn stage(&mut self, change: StagedChange) -> Result<(), ServiceError> {
        if !self.may_change {
            return Err(ServiceError::ReadsOnly);
        }
        if CHANGES_MAX <= self.made.len() {
            return Err(ServiceError::Full(format!("one run makes at most {CHANGES_MAX} changes")));
        }
        self.made.push(change);
        Ok(())
    }
}

impl StagedChanges {
    /// Starts without changes. If the run may not change anything, adding one fails.
    fn none(may_change: bool) -> Self {
        Self(Mutex::new(Some(Changes { may_change, made: Vec::new() })))
    }

    /// Ends the run and returns its changes. A task that the handler left behind can change nothing more.
    pub(in crate::executor) async fn end(&self) -> Vec<StagedChange> {
        self.0.lock().await.take().map(|changes| changes.made).unwrap_or_default()
    }

    /// Locks the changes of a run that has not ended. Until the lock is dropped, no other task can read or add changes.
    async fn open(&self) -> Result<MappedMutexGuard<'_, Changes>, ServiceError> {
        MutexGuard::try_map(self.0.lock().await, Option::as_mut)
            .map_err(|_| ServiceError::Store("the run that asked for this has ended".to_owned()))
    }
}

struct StagedCalls {
    stored: Arc<dyn DueCalls>,
    staged: Arc<StagedChanges>,
}

impl StagedCalls {
    /// Returns the calls of this module, community and person that wait after these changes, soonest first.
    async fn waiting_after(
        &self,
        changes: &[StagedChange],
        module: &str,
        scope: &str,
        user: UserId,
    ) -> Result<Vec<DueCall>, ServiceError> {
        let mut waiting = self.stored.waiting(module, scope, user).await?;
        for change in changes.iter().filter_map(StagedChange::call) {
            match change {
                CallChange::Add { id, call } => {
                    if call.module == module && call.place.scope() == scope && call.caller.id == user {
                        waiting.push(DueCall { id: *id, tries: 0, is_made: false, call: call.clone() });
                    }
                }
                CallChange::Cancel { id, .. } => waiting.retain(|due| due.id != *id),
            }
        }
        waiting.sort_by_key(|due| (due.call.due, due.id));
        Ok(waiting)
    }
}

#[async_trait]
impl DueCalls for StagedCalls {
    async fn reserve_call(&self, call: &LaterCall, limit: usize) -> Result<DueCallId, ServiceError> {
        self.stored.reserve_call(call, limit).await
    }

    async fn call_later(&self, call: &LaterCall) -> Result<DueCallId, ServiceError> {
        let mut changes = self.staged.open().await?;
        let mut added = 0_usize;
        let mut removed = 0_usize;
        for change in changes.made().iter().filter_map(StagedChange::call) {
            match change {
                CallChange::Add { call: other, .. } if call.counts_with(other) => added += 1,
                // A run belongs to one community, so that the calls it removes belong to this one.
                CallChange::Cancel { module, user, .. } if *module == call.module && *user == call.caller.id => {
                    removed += 1;
                }
                CallChange::Add { .. } | CallChange::Cancel { .. } => {}
            }
        }
        let room = (DUE_CALLS_MAX + removed).saturating_sub(added);
        let id = self.stored.reserve_call(call, room).await?;
        changes.stage(StagedChange::Call(Box::new(CallChange::Add { id, call: call.clone() })))?;
        Ok(id)
    }

    async fn waiting(&self, module: &str, scope: &str, user: UserId) -> Result<Vec<DueCall>, ServiceError> {
        let changes = self.staged.open().await?;
        self.waiting_after(changes.made(), module, scope, user).await
    }

    async fn cancel(&self, module: &str, scope: &str, user: UserId, id: DueCallId) -> Result<bool, ServiceError> {
        let mut changes = self.staged.open().await?;
        let waiting = self.waiting_after(changes.made(), module, scope, user).await?;
        if waiting.iter().all(|due| due.id != id) {
            return Ok(false);
        }
        let adds =
            |change: &StagedChange| matches!(change.call(), Some(CallChange::Add { id: added, .. }) if *added == id);
        match changes.made().iter().position(adds) {
            Some(added) => changes.take_back(added),
            None => {
                let module = module.to_owned();
                let scope = scope.to_owned();
                let cancelled = CallChange::Cancel { module, scope, user, id };
                changes.stage(StagedChange::Call(Box::new(cancelled)))?;
            }
        }
        Ok(true)
    }
}

struct StagedMessages {
    stored: Arc<dyn Outbox>,
    staged: Arc<StagedChanges>,
}

#[async_trait]
impl Outbox for StagedMessages {
    async fn count_waiting(&self, module: &str, channel: ChannelId, person: UserId) -> Result<Waiting, ServiceError> {
        let changes = self.staged.open().await?;
        let stored = self.stored.count_waiting(module, channel, person).await?;
        Ok(with_staged(stored, changes.made(), channel, person))
    }

    async fn put(&self, message: Outgoing, person: UserId) -> Result<(), ServiceError> {
        let mut changes = self.staged.open().await?;
        let n_sent = changes.made().iter().filter_map(StagedChange::message).count();
        if SENT_BY_RUN_MAX <= n_sent {
            return Err(ServiceError::Full(format!("one run sends at most {SENT_BY_RUN_MAX} messages")));
        }
        // Counted again when they are stored.
        let stored = self.stored.count_waiting(&message.module, message.channel, person).await?;
        with_staged(stored, changes.made(), message.channel, person).check()?;
        changes.stage(StagedChange::Message(Box::new(message)))
    }
}

/// Adds the messages that a run has staged so far. All are from one person and module.
fn with_staged(stored: Waiting, made: &[StagedChange], channel: ChannelId, person: UserId) -> Waiting {
    let staged = || made.iter().filter_map(StagedChange::message);
    Waiting {
        of_module: stored.of_module + staged().count(),
        in_channel: stored.in_channel + staged().filter(|message| message.channel == channel).count(),
        of_person: if person == UserId::NOBODY { 0 } else { stored.of_person + staged().count() },
    }
}

struct StagedRecords {
    stored: Arc<dyn Records>,
    staged: Arc<StagedChanges>,
}

impl StagedRecords {
    async fn open(&self) -> Result<OpenChanges<'_>, ServiceError> {
        Ok(OpenChanges { stored: &*self.stored, changes: self.staged.open().await? })
    }
}

/// The records as the run sees them. Meanwhile no other task of the run can read or change any.
struct OpenChanges<'a> {
    stored: &'a dyn Records,
    changes: MappedMutexGuard<'a, Changes>,
}

impl OpenChanges<'_> {
    fn of_scope<'s>(&'s self, module: &'s str, scope: &'s str) -> impl DoubleEndedIterator<Item = &'s RecordChange> {
        let all = self.changes.made().iter().filter_map(StagedChange::record);
        all.filter(move |change| change.module == module && change.scope == scope)
    }

    async fn get(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError> {
        let last = self.of_scope(module, scope).rfind(|change| change.id == id);
        match last.map(|change| &change.change) {
            Some(Change::Add { body, .. } | Change::Replace { body, .. }) => Ok(Some(body.clone())),
            Some(Change::Remove { .. } | Change::Forget { .. }) => Ok(None),
            None => self.stored.get(module, scope, id).await,
        }
    }

    fn stage(&mut self, module: &str, scope: &str, id: RecordId, change: Change) -> Result<(), ServiceError> {
        let module = module.to_owned();
        let scope = scope.to_owned();
        self.changes.stage(StagedChange::Record(RecordChange { module, scope, id, change }))
    }
}

#[async_trait]
impl Records for StagedRecords {
    async fn reserve(&self, module: &str, scope: &str, limit: usize) -> Result<RecordId, ServiceError> {
        self.stored.reserve(module, scope, limit).await
    }

    async fn add(&self, module: &str, scope: &str, body: &Value, limit: usize) -> Result<RecordId, ServiceError> {
        let mut open = self.open().await?;
        let mut added = 0_usize;
        let mut removed = 0_usize;
        for change in open.of_scope(module, scope) {
            match change.change {
                Change::Add { .. } => added += 1,
                Change::Remove { .. } | Change::Forget { .. } => removed += 1,
                Change::Replace { .. } => {}
            }
        }
        let room = limit.saturating_add(removed).saturating_sub(added);
        let id = open.stored.reserve(module, scope, room).await?;
        open.stage(module, scope, id, Change::Add { body: body.clone(), limit })?;
        Ok(id)
    }

    async fn list(&self, module: &str, scope: &str) -> Result<Vec<(RecordId, Value)>, ServiceError> {
        let open = self.open().await?;
        let mut records = open.stored.list(module, scope).await?;
        for RecordChange { id, change, .. } in open.of_scope(module, scope) {
            match change {
                Change::Add { body, .. } => records.push((*id, body.clone())),
                Change::Replace { body, .. } => {
                    let found = records.iter_mut().find(|(found, _)| found == id);
                    if let Some((_, kept)) = found {
                        *kept = body.clone();
                    }
                }
                Change::Remove { .. } | Change::Forget { .. } => records.retain(|(found, _)| found != id),
            }
        }
        records.sort_by_key(|(id, _)| *id);
        Ok(records)
    }

    async fn list_of_people(
        &self,
        module: &str,
        scope: &str,
        limit: usize,
    ) -> Result<Vec<PersonsRecord>, ServiceError> {
        let open = self.open().await?;
        let mut records = open.stored.list_of_people(module, scope, limit).await?;
        let begin = scopes_of_people(scope);
        let changes = open.changes.made().iter().filter_map(StagedChange::record);
        for RecordChange { scope, id, change, .. } in
            changes.filter(|change| change.module == module && change.scope.starts_with(&begin))
        {
            let is_it = |record: &PersonsRecord| record.scope == *scope && record.id == *id;
            match change {
                Change::Add { body, .. } => {
                    records.push(PersonsRecord { scope: scope.clone(), id: *id, body: body.clone() });
                }
                Change::Replace { body, .. } => {
                    if let Some(kept) = records.iter_mut().find(|record| is_it(record)) {
                        kept.body = body.clone();
                    }
                }
                Change::Remove { .. } | Change::Forget { .. } => records.retain(|record| !is_it(record)),
            }
        }
        records.truncate(limit);
        Ok(records)
    }

    async fn get(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError> {
        self.open().await?.get(module, scope, id).await
    }

    async fn replace(
        &self,
        module: &str,
        scope: &str,
        id: RecordId,
        expected: &Value,
        body: &Value,
    ) -> Result<bool, ServiceError> {
        let mut open = self.open().await?;
        let fits = open.get(module, scope, id).await?.as_ref() == Some(expected);
        if fits {
            open.stage(module, scope, id, Change::Replace { expected: expected.clone(), body: body.clone() })?;
        }
        Ok(fits)
    }

    async fn remove(&self, module: &str, scope: &str, id: RecordId) -> Result<Option<Value>, ServiceError> {
        let mut open = self.open().await?;
        let removed = open.get(module, scope, id).await?;
        if let Some(expected) = removed.clone() {
            open.stage(module, scope, id, Change::Remove { expected })?;
        }
        Ok(removed)
    }

    async fn forget(
        &self,
        module: &str,
        scope: &str,
        id: RecordId,
        words: &str,
    ) -> Result<Option<Value>, ServiceError> {
        let mut open = self.open().await?;
        let removed = open.get(module, scope, id).await?;
        if let Some(expected) = removed.clone() {
            open.stage(module, scope, id, Change::Forget { expected, words: words.to_owned() })?;
        }
        Ok(removed)
    }
}

#[cfg(test)]
mod staged_calls_tests {
    use std::time::{Duration, UNIX_EPOCH};

    use serde_json::Map;

    use super::*;
    use candor_core::inbound::{Caller, ChannelId, CommandPath, GuildId, Place};
    use candor_core::testing::InMemoryCalls;

    const ANN: UserId = UserId(7);

    fn due_in(hours: u64) -> LaterCall {
        LaterCall {
            module: "remind".to_owned(),
            caller: Caller::new(ANN, "ann"),
            place: Place::Guild { guild: GuildId(1), channel: ChannelId(2) },
            path: CommandPath::new("remind", Some("add")),
            arguments: Map::new(),
            due: UNIX_EPOCH + Duration::from_hours(hours),
        }
    }

    async fn waiting(calls: &dyn DueCalls) -> Vec<DueCallId> {
        let scope = due_in(0).place.scope();
        calls.waiting("remind", &scope, ANN).await.unwrap().into_iter().map(|due| due.id).collect()
    }

    async fn cancel(calls: &dyn DueCalls, id: DueCallId) -> bool {
        calls.cancel("remind", &due_in(0).place.scope(), ANN, id).await.unwrap()
    }

    #[tokio::test]
    async fn a_run_sees_its_changes_and_nobody_else_does_until_they_are_stored() {
        let stored = Arc::new(InMemoryCalls::default());
        stored.call_later(&due_in(1)).await.unwrap();
        stored.call_later(&due_in(3)).await.unwrap();
        let changes = Arc::new(StagedChanges::none(true));
        let staged = StagedCalls { stored: stored.clone(), staged: changes.clone() };
        assert_eq!(staged.call_later(&due_in(2)).await.unwrap(), 3);
        assert_eq!(staged.call_later(&due_in(4)).await.unwrap(), 4);
        assert!(cancel(&staged, 1).await);
        assert!(!cancel(&staged, 1).await, "it is gone already");
        assert!(cancel(&staged, 4).await, "one of its own");
        assert!(!cancel(&staged, 9).await, "it was never there");
        assert_eq!(waiting(&staged).await, [3, 2], "soonest first");
        assert_eq!(waiting(&*stored).await, [1, 2]);

        let add = CallChange::Add { id: 3, call: due_in(2) };
        let module = "remind".to_owned();
        let scope = due_in(0).place.scope();
        let cancel = CallChange::Cancel { module, scope, user: ANN, id: 1 };
        assert_eq!(changes.end().await, [add, cancel].map(|change| StagedChange::Call(Box::new(change))));
        assert!(staged.call_later(&due_in(5)).await.is_err(), "after its end a run changes nothing");
    }

    #[tokio::test]
    async fn what_a_run_removed_makes_room_for_what_it_adds() {
        let stored = Arc::new(InMemoryCalls::default());
        for hours in 1..=DUE_CALLS_MAX {
            stored.call_later(&due_in(hours as u64)).await.unwrap();
        }
        let staged = StagedCalls { stored, staged: Arc::new(StagedChanges::none(true)) };
        assert!(staged.call_later(&due_in(1)).await.is_err());
        assert!(cancel(&staged, 1).await);
        staged.call_later(&due_in(1)).await.unwrap();
        assert!(staged.call_later(&due_in(1)).await.is_err());
    }
}

#[cfg(test)]
mod staged_messages_tests {
    use super::*;
    use candor_core::contract::{AllowedBy, ChannelMessage, OUTBOX_MAX, OUTBOX_OF_PERSON_MAX};
    use candor_core::reply::Reply;
    use candor_core::testing::InMemoryOutbox;

    const ANN: UserId = UserId(7);

    fn message(text: &str) -> Outgoing {
        let message = ChannelMessage::of(Reply::text(text)).unwrap();
        Outgoing { module: "news".to_owned(), channel: ChannelId(5), allowed_by: AllowedBy::Operator, message }
    }

    fn of_a_run(stored: &Arc<InMemoryOutbox>, may_change: bool) -> StagedMessages {
        StagedMessages { stored: stored.clone(), staged: Arc::new(StagedChanges::none(may_change)) }
    }

    #[tokio::test]
    async fn a_run_sends_so_many_in_their_order_and_none_before_its_end() {
        let stored = Arc::new(InMemoryOutbox::default());
        let run = of_a_run(&stored, true);
        for n in 0..SENT_BY_RUN_MAX {
            run.put(message(&n.to_string()), ANN).await.unwrap();
        }
        assert!(matches!(run.put(message("one more"), ANN).await, Err(ServiceError::Full(_))));
        assert_eq!(stored.all(), []);
        let staged: Vec<_> = run.staged.end().await.iter().filter_map(StagedChange::message).cloned().collect();
        assert_eq!(staged, (0..SENT_BY_RUN_MAX).map(|n| message(&n.to_string())).collect::<Vec<_>>());
        assert!(run.put(message("late"), ANN).await.is_err());
    }

    #[tokio::test]
    async fn what_waits_already_counts_and_a_run_that_may_change_nothing_sends_nothing() {
        let stored = Arc::new(InMemoryOutbox::default());
        assert!(matches!(of_a_run(&stored, false).put(message("a"), ANN).await, Err(ServiceError::ReadsOnly)));
        for n in 1..OUTBOX_MAX as u64 {
            let waits = Outgoing { channel: ChannelId(1_000 + n), ..message("waits") };
            stored.put(waits, UserId(1_000 + n)).await.unwrap();
        }
        let run = of_a_run(&stored, true);
        run.put(message("the last"), ANN).await.unwrap();
        assert!(matches!(run.put(message("one more"), ANN).await, Err(ServiceError::Full(_))));
    }

    #[tokio::test]
    async fn one_person_leaves_room_for_others() {
        let stored = Arc::new(InMemoryOutbox::default());
        for _ in 1..OUTBOX_OF_PERSON_MAX {
            stored.put(message("waits"), ANN).await.unwrap();
        }
        let run = of_a_run(&stored, true);
        run.put(message("the last"), ANN).await.unwrap();
        let refused = run.put(message("one more"), ANN).await.unwrap_err().to_string();
        assert!(refused.contains("20 messages of one person and module wait"), "{refused}");
        of_a_run(&stored, true).put(message("of somebody else"), UserId(8)).await.unwrap();
        // What servers have run has nobody's name: it is not one person's.
        for _ in 0..2 * OUTBOX_OF_PERSON_MAX as u64 {
            stored.put(Outgoing { channel: ChannelId(6), ..message("waits") }, UserId::NOBODY).await.unwrap();
        }
        of_a_run(&stored, true).put(message("of another server"), UserId::NOBODY).await.unwrap();
    }
}

#[cfg(test)]
mod staged_records_tests {
    use serde_json::json;

    use super::*;
    use candor_core::testing::InMemory;

    async fn stored() -> Arc<InMemory> {
        let stored = Arc::new(InMemory::default());
        for body in ["milk", "bread"] {
            stored.add("tasks", "here", &json!(body), 9).await.unwrap();
        }
        stored
    }

    fn over(stored: Arc<InMemory>) -> StagedRecords {
        StagedRecords { stored, staged: Arc::new(StagedChanges::none(true)) }
    }

    /// The changes of a run that ends now.
    async fn end(staged: &StagedRecords) -> Vec<(RecordId, Change)> {
        let changes = staged.staged.end().await;
        changes.iter().filter_map(StagedChange::record).map(|change| (change.id, change.change.clone())).collect()
    }

    #[tokio::test]
    async fn a_run_sees_its_changes_and_nobody_else_does_until_they_are_stored() {
        let stored = stored().await;
        let staged = over(stored.clone());
        assert_eq!(staged.add("tasks", "here", &json!("tea"), 9).await.unwrap(), 3);
        assert!(staged.replace("tasks", "here", 1, &json!("milk"), &json!("oat milk")).await.unwrap());
        assert!(!staged.replace("tasks", "here", 1, &json!("milk"), &json!("soy milk")).await.unwrap());
        assert_eq!(staged.remove("tasks", "here", 2).await.unwrap(), Some(json!("bread")));
        assert_eq!(staged.remove("tasks", "here", 2).await.unwrap(), None);
        assert_eq!(staged.list("tasks", "here").await.unwrap(), [(1, json!("oat milk")), (3, json!("tea"))]);
        assert_eq!(staged.get("tasks", "here", 3).await.unwrap(), Some(json!("tea")));
        assert_eq!(staged.get("tasks", "elsewhere", 3).await.unwrap(), None);
        assert_eq!(stored.list("tasks", "here").await.unwrap(), [(1, json!("milk")), (2, json!("bread"))]);

        let replace = Change::Replace { expected: json!("milk"), body: json!("oat milk") };
        let added = Change::Add { body: json!("tea"), limit: 9 };
        assert_eq!(end(&staged).await, [(3, added), (1, replace), (2, Change::Remove { expected: json!("bread") })]);
    }

    #[tokio::test]
    async fn a_run_sees_what_it_changed_of_one_person_among_those_of_all() {
        let stored = Arc::new(InMemory::default());
        for scope in ["here/user:1", "here/user:2", "here/user:3", "here", "here2/user:1"] {
            stored.add("poll", scope, &json!("tea"), 9).await.unwrap();
        }
        let staged = over(stored);
        assert!(staged.replace("poll", "here/user:1", 1, &json!("tea"), &json!("milk")).await.unwrap());
        staged.remove("poll", "here/user:2", 1).await.unwrap();
        staged.add("poll", "here/user:4", &json!("bread"), 9).await.unwrap();
        staged.add("poll", "here2/user:4", &json!("bread"), 9).await.unwrap();
        let seen = staged.list_of_people("poll", "here", 9).await.unwrap();
        let seen: Vec<_> = seen.into_iter().map(|record| (record.scope, record.body)).collect();
        let expected = [("1", "milk"), ("3", "tea"), ("4", "bread")];
        assert_eq!(seen, expected.map(|(user, body)| (format!("here/user:{user}"), json!(body))));
        assert_eq!(staged.list_of_people("poll", "here", 2).await.unwrap().len(), 2);
    }

    #[tokio::test]
    async fn what_a_run_removed_makes_room_for_what_it_adds() {
        let staged = over(stored().await);
        assert!(staged.add("tasks", "here", &json!("tea"), 2).await.is_err());
        staged.remove("tasks", "here", 1).await.unwrap();
        staged.add("tasks", "here", &json!("tea"), 2).await.unwrap();
        assert!(staged.add("tasks", "here", &json!("cake"), 2).await.is_err());
    }

    #[tokio::test]
    async fn what_a_run_forgets_is_gone_for_it_and_its_words_are_staged() {
        let staged = over(stored().await);
        assert_eq!(staged.forget("tasks", "here", 1, "milk").await.unwrap(), Some(json!("milk")));
        assert_eq!(staged.forget("tasks", "here", 1, "milk").await.unwrap(), None);
        assert_eq!(staged.list("tasks", "here").await.unwrap(), [(2, json!("bread"))]);
        let forgotten = Change::Forget { expected: json!("milk"), words: "milk".to_owned() };
        assert_eq!(end(&staged).await, [(1, forgotten)]);
    }

    #[tokio::test]
    async fn after_its_end_a_run_changes_nothing_and_sees_nothing() {
        let staged = over(stored().await);
        assert_eq!(end(&staged).await, []);
        assert!(staged.add("tasks", "here", &json!("late"), 9).await.is_err());
        assert!(staged.get("tasks", "here", 1).await.is_err());
        assert_eq!(end(&staged).await, []);
    }
}
