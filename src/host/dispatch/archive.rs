//! Answers that could not be shown in time, stored for `/receipt`.

use async_trait::async_trait;

use crate::host::dispatch::dispatcher::Dispatcher;
use candor_core::reply::Answer;

/// Stores answers that could not be shown.
#[async_trait]
pub trait AnswerArchive: Send + Sync {
    /// Stores the answer for `/receipt`. Returns whether it is stored.
    async fn keep(&self, answer: &Answer) -> bool;
}

#[async_trait]
impl AnswerArchive for Dispatcher {
    async fn keep(&self, answer: &Answer) -> bool {
        self.0.executor.keep(answer).await
    }
}
