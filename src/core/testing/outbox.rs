//! In-memory messages to channels, for module tests.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::contract::{Outbox, Outgoing, ServiceError, Waiting};
use crate::inbound::{ChannelId, UserId};

/// Messages in memory, which are never sent.
#[derive(Default)]
pub struct InMemoryOutbox(Mutex<Vec<(Outgoing, UserId)>>);

impl InMemoryOutbox {
    pub fn all(&self) -> Vec<Outgoing> {
        self.kept().iter().map(|(message, _)| message.clone()).collect()
    }

    fn kept(&self) -> MutexGuard<'_, Vec<(Outgoing, UserId)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Outbox for InMemoryOutbox {
    async fn count_waiting(&self, module: &str, channel: ChannelId, person: UserId) -> Result<Waiting, ServiceError> {
        let kept = self.kept();
        let count = |counts: &dyn Fn(&Outgoing, UserId) -> bool| {
            kept.iter().filter(|(message, of)| message.module == module && counts(message, *of)).count()
        };
        Ok(Waiting {
            of_module: count(&|_, _| true),
            in_channel: count(&|message, _| message.channel == channel),
            of_person: count(&|_, of| of == person && of != UserId::NOBODY),
        })
    }

    async fn put(&self, message: Outgoing, person: UserId) -> Result<(), ServiceError> {
        self.kept().push((message, person));
        Ok(())
    }
}
