//! In-memory messages to channels, for module tests.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::contract::{Outbox, Outgoing, ServiceError};
use crate::inbound::UserId;

/// In-memory messages, which are never sent.
#[derive(Default)]
pub struct InMemoryOutbox(Mutex<Vec<(Outgoing, UserId)>>);

impl InMemoryOutbox {
    /// Everything that was sent, in order.
    pub fn all(&self) -> Vec<Outgoing> {
        self.kept().iter().map(|(message, _)| message.clone()).collect()
    }

    fn kept(&self) -> MutexGuard<'_, Vec<(Outgoing, UserId)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Outbox for InMemoryOutbox {
    async fn n_waiting(&self, module: &str) -> Result<usize, ServiceError> {
        Ok(self.kept().iter().filter(|(message, _)| message.module == module).count())
    }

    async fn n_waiting_of(&self, module: &str, person: UserId) -> Result<usize, ServiceError> {
        Ok(self.kept().iter().filter(|(message, of)| message.module == module && *of == person).count())
    }

    async fn put(&self, message: Outgoing, person: UserId) -> Result<(), ServiceError> {
        self.kept().push((message, person));
        Ok(())
    }
}
