//! Answers that could not be shown when they came.

use async_trait::async_trait;

use crate::host::dispatch::dispatcher::Dispatcher;
use candor_core::reply::Answer;

/// Keeps answers that could not be shown.
#[async_trait]
pub trait AnswerArchive: Send + Sync {
    /// Keeps it for `/receipt`. Returns whether it is kept.
    async fn keep(&self, answer: &Answer) -> bool;
}

#[async_trait]
impl AnswerArchive for Dispatcher {
    async fn keep(&self, answer: &Answer) -> bool {
        self.0.executor.keep(answer).await
    }
}
