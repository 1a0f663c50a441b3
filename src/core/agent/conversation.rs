//! Conversations, and the records of their turns: what the store keeps.

use crate::contract::ServiceError;
use crate::inbound::{Place, UserId};
use crate::record::{KeptTurn, TurnId, TurnRecord};
use crate::router::ChatText;
use async_trait::async_trait;
use std::time::SystemTime;

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
    pub fn read_back(said: String, answered: String) -> Self {
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
    /// How many exchanges there are.
    async fn n_exchanges(&self, key: &ConversationKey) -> Result<u64, ServiceError>;
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

/// Keeps what happened in each turn.
#[async_trait]
pub trait Turns: Send + Sync {
    /// Keeps a turn and numbers it.
    async fn keep(
        &self,
        user: UserId,
        place: Place,
        at: SystemTime,
        record: &TurnRecord,
    ) -> Result<TurnId, ServiceError>;
    /// Takes this record in the place of the one that was kept: more was found out since.
    async fn amend(&self, turn: TurnId, record: &TurnRecord) -> Result<(), ServiceError>;
    /// Remembers which messages show a turn's reply: ids of Discord.
    async fn shown(&self, turn: TurnId, messages: &[u64]) -> Result<(), ServiceError>;
    /// The turn of that number.
    async fn turn(&self, id: TurnId) -> Result<Option<KeptTurn>, ServiceError>;
    /// The turn that a message shows the reply of.
    async fn turn_of_message(&self, message: u64) -> Result<Option<KeptTurn>, ServiceError>;
    /// The person's last turn in this place.
    async fn last_turn(&self, user: UserId, place: Place) -> Result<Option<KeptTurn>, ServiceError>;
    /// Claims the right to save the turn's memory for real. True once for each turn, unless it is given back.
    async fn claim_recovery(&self, turn: TurnId) -> Result<bool, ServiceError>;
    /// Gives that right back: it is certain that nothing was saved.
    async fn release_recovery(&self, turn: TurnId) -> Result<(), ServiceError>;
}
