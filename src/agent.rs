//! The chat turn: a person's words to a model, and the model's answer, honestly told.
//!
//! Pure: what a model may be given and what it may answer, and the words for each way it can fail. The
//! wire is in `model`, the conversation's keeping in the store.
#![deny(clippy::disallowed_methods)]

mod budget;
mod failure;
mod prompt;

use std::time::SystemTime;

use async_trait::async_trait;

pub use budget::{HISTORY_LENGTH_MAX, within_budget};
pub use failure::ModelFailure;
pub use prompt::system_prompt;

use crate::contract::ServiceError;
use crate::inbound::{Place, UserId};
use crate::router::ChatText;

/// A chat model. The user's words are a [`ChatText`], which only the router makes: slash text cannot get here.
///
/// ```compile_fail
/// async fn ask(model: &dyn candor::agent::Model) {
///     let _ = model.answer("llama", "", &[], "/status").await;
/// }
/// ```
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks the model of that name. `history` is oldest first and sent as it is: cut it with [`within_budget`].
    /// The words returned are never empty; they are untrusted and not yet sanitized.
    async fn answer(
        &self,
        model: &str,
        system: &str,
        history: &[Exchange],
        words: &ChatText,
    ) -> Result<String, ModelFailure>;
}

/// An earlier question and its answer. The question was a [`ChatText`] once: nothing else becomes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    said: String,
    answered: String,
}

impl Exchange {
    /// What was said just now, and the answer to it.
    pub fn new(said: &ChatText, answered: impl Into<String>) -> Self {
        Self { said: said.as_str().to_owned(), answered: answered.into() }
    }

    /// What the store kept of [`Conversations::append`]. Only the store reads back.
    pub(crate) fn read_back(said: String, answered: String) -> Self {
        Self { said, answered }
    }

    /// What the person said.
    pub fn said(&self) -> &str {
        &self.said
    }

    /// What the model answered.
    pub fn answered(&self) -> &str {
        &self.answered
    }
}

/// A conversation's key: nothing of one conversation is ever seen in another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConversationKey {
    /// The channel, with its server.
    pub place: String,
    /// The person.
    pub user: UserId,
}

impl ConversationKey {
    /// The conversation of this person in this place.
    pub fn new(place: Place, user: UserId) -> Self {
        Self { place: place.key(), user }
    }
}

/// Keeps conversations.
#[async_trait]
pub trait Conversations: Send + Sync {
    /// The last exchanges, at most `limit`, oldest first.
    async fn history(&self, key: &ConversationKey, limit: usize) -> Result<Vec<Exchange>, ServiceError>;
    /// Adds an exchange. Only words that were chat can be kept.
    async fn append(
        &self,
        key: &ConversationKey,
        words: &ChatText,
        answer: &str,
        at: SystemTime,
    ) -> Result<(), ServiceError>;
    /// Forgets every exchange and says how many messages that were.
    async fn clear(&self, key: &ConversationKey) -> Result<u64, ServiceError>;
    /// The model chosen for this conversation, if one was.
    async fn model(&self, key: &ConversationKey) -> Result<Option<String>, ServiceError>;
    /// Chooses one.
    async fn choose_model(&self, key: &ConversationKey, model: &str) -> Result<(), ServiceError>;
}
