//! The summary of those exchanges of a conversation that a model is not shown any more: `[chat] summaries`.
//!
//! A model writes it from the exchanges themselves and the summary before. It goes with what it was written from: when
//! the conversation is cleared, when one who spoke in it is forgotten, when a message that went into it is deleted, and
//! when the oldest exchange in it is as old as exchanges are kept. Then the next one is written from what is left.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::agent::conversation::stored::{ConversationKey, Exchange};
use crate::contract::ServiceError;

/// What a model wrote of the oldest exchanges of a conversation. Untrusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The text.
    pub text: String,
    /// How many exchanges went into it.
    pub n_exchanges: u64,
    /// The position of the last of them, in the order of the store.
    pub through: u64,
}

/// An exchange that a model is not shown any more, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnshownExchange {
    /// Its position in the order of the store.
    pub position: u64,
    /// When it was kept.
    pub at: SystemTime,
    /// The exchange.
    pub exchange: Exchange,
}

/// What the next summary is written from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToSummarise {
    /// The summary so far.
    pub before: Option<Summary>,
    /// The exchanges that are not in it yet, oldest first.
    pub exchanges: Vec<UnshownExchange>,
}

/// Stores summaries.
#[async_trait]
pub trait Summaries: Send + Sync {
    /// The summary of a conversation.
    async fn summary(&self, key: &ConversationKey) -> Result<Option<Summary>, ServiceError>;
    /// What the next one is written from: all but the newest `n_shown` exchanges, at most `limit`, oldest first. An
    /// exchange of which a message was deleted is left out.
    async fn to_summarise(
        &self,
        key: &ConversationKey,
        n_shown: usize,
        limit: usize,
    ) -> Result<ToSummarise, ServiceError>;
    /// Keeps a summary that was written from this, in the place of the one before. False if any of that was forgotten
    /// or summarised meanwhile: then nothing is kept.
    async fn keep_summary(&self, key: &ConversationKey, of: &ToSummarise, text: &str) -> Result<bool, ServiceError>;
    /// Keeps which Discord messages asked the newest exchange of a conversation.
    async fn keep_messages(&self, key: &ConversationKey, messages: &[u64]) -> Result<(), ServiceError>;
    /// These messages were deleted at Discord: the summaries they went into go, and they go into no later one. Says how
    /// many summaries went.
    async fn messages_are_gone(&self, messages: &[u64]) -> Result<u64, ServiceError>;
}
