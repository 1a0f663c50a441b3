//! In-memory messages to channels, for module tests.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use crate::contract::{Outbox, Outgoing, ServiceError};

/// In-memory messages, which are never sent.
#[derive(Default)]
pub struct InMemoryOutbox(Mutex<Vec<Outgoing>>);

impl InMemoryOutbox {
    /// Everything that was sent, in order.
    pub fn all(&self) -> Vec<Outgoing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Outbox for InMemoryOutbox {
    async fn n_waiting(&self, module: &str) -> Result<usize, ServiceError> {
        Ok(self.all().iter().filter(|message| message.module == module).count())
    }

    async fn put(&self, message: Outgoing) -> Result<(), ServiceError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        Ok(())
    }
}
