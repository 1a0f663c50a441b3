//! A run's view of later calls: the waiting ones, with its own uncommitted changes. They are stored with its receipt,
//! or not at all.

use std::sync::Arc;

use async_trait::async_trait;

use crate::executor::effects::stage::StagedChanges;
use crate::executor::ledger::StagedChange;
use candor_core::contract::{CallChange, DUE_CALLS_MAX, DueCall, DueCallId, DueCalls, LaterCall, ServiceError};
use candor_core::inbound::UserId;

pub(super) struct StagedCalls {
    pub(super) stored: Arc<dyn DueCalls>,
    pub(super) staged: Arc<StagedChanges>,
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

#[cfg(test)]
mod tests {
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
