//! The summary of the exchanges that a model is no longer shown: `[chat] summaries`.
//!
//! A model writes it from these exchanges and the previous summary. A summary is deleted together with its sources:
//! when the conversation is cleared, when a speaker's words are erased, when a source message is deleted, or when its
//! oldest exchange reaches the retention limit. The next summary is then written from the remaining exchanges.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::agent::conversation::{ConversationKey, Exchange};
use crate::contract::ServiceError;

/// A model's text about the oldest exchanges of a conversation. Untrusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub text: String,
    /// The number of exchanges it covers.
    pub n_exchanges: u64,
    /// The position of the last exchange it covers, in the order of the store.
    pub through: u64,
}

/// An exchange that a model is no longer shown, with its position in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnshownExchange {
    pub position: u64,
    /// When it was stored.
    pub at: SystemTime,
    pub exchange: Exchange,
}

/// The input for the next summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToSummarise {
    pub before: Option<Summary>,
    /// The exchanges that it does not cover yet, oldest first.
    pub exchanges: Vec<UnshownExchange>,
}

#[async_trait]
pub trait Summaries: Send + Sync {
    async fn summary(&self, key: &ConversationKey) -> Result<Option<Summary>, ServiceError>;
    /// Returns the input for the next summary: all but the newest `n_shown` exchanges, at most `limit`, oldest first.
    /// Exchanges with a deleted message are left out.
    async fn to_summarise(
        &self,
        key: &ConversationKey,
        n_shown: usize,
        limit: usize,
    ) -> Result<ToSummarise, ServiceError>;
    /// Replaces the previous summary by one that was written from `of`. Stores nothing and returns false if some of
    /// `of` was erased or summarised in the meantime.
    async fn keep_summary(&self, key: &ConversationKey, of: &ToSummarise, text: &str) -> Result<bool, ServiceError>;
    /// Stores the ids of the Discord messages that asked the newest exchange of a conversation.
    async fn keep_messages(&self, key: &ConversationKey, messages: &[u64]) -> Result<(), ServiceError>;
    /// Handles the deletion of messages at Discord: removes the summaries that cover them, and keeps them out of later
    /// ones. Returns the number of removed summaries.
    async fn messages_are_gone(&self, messages: &[u64]) -> Result<u64, ServiceError>;
}
