//! In-memory later calls, for module tests.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use crate::contract::{DUE_CALLS_MAX, DueCall, DueCallId, DueCalls, LaterCall, ServiceError};
use crate::inbound::UserId;

/// Later calls in memory, which are never made.
#[derive(Default)]
pub struct InMemoryCalls(Mutex<Calls>);

/// The last assigned number, and the calls.
type Calls = (DueCallId, Vec<DueCall>);

impl InMemoryCalls {
    /// Returns all waiting calls, in the order of their requests.
    pub fn all(&self) -> Vec<LaterCall> {
        self.with(|(_, calls)| calls.iter().map(|due| due.call.clone()).collect())
    }

    fn with<T>(&self, act: impl FnOnce(&mut Calls) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl DueCalls for InMemoryCalls {
    async fn reserve_call(&self, call: &LaterCall, limit: usize) -> Result<DueCallId, ServiceError> {
        self.with(|(last, calls)| {
            if limit <= calls.iter().filter(|due| call.counts_with(&due.call)).count() {
                return Err(ServiceError::Full("full".to_owned()));
            }
            *last += 1;
            Ok(*last)
        })
    }

    async fn call_later(&self, call: &LaterCall) -> Result<DueCallId, ServiceError> {
        let id = self.reserve_call(call, DUE_CALLS_MAX).await?;
        self.with(|(_, calls)| calls.push(DueCall { id, tries: 0, is_made: false, call: call.clone() }));
        Ok(id)
    }

    async fn waiting(&self, module: &str, scope: &str, user: UserId) -> Result<Vec<DueCall>, ServiceError> {
        let is_asked_for = |due: &&DueCall| {
            let call = &due.call;
            call.module == module && call.place.scope() == scope && call.caller.id == user
        };
        let mut waiting: Vec<_> = self.with(|(_, calls)| calls.iter().filter(is_asked_for).cloned().collect());
        waiting.sort_by_key(|due| (due.call.due, due.id));
        Ok(waiting)
    }

    async fn cancel(&self, module: &str, scope: &str, user: UserId, id: DueCallId) -> Result<bool, ServiceError> {
        let is_there = self.waiting(module, scope, user).await?.iter().any(|due| due.id == id);
        self.with(|(_, calls)| calls.retain(|due| !is_there || due.id != id));
        Ok(is_there)
    }
}
