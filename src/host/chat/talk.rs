//! What the built-in commands may do with conversations: `/clear` and `/model`.

use std::sync::Arc;

use async_trait::async_trait;

use crate::host::chat::places::Places;
use crate::host::chat::queue::TurnQueues;
use crate::host::chat::shares::{MessageRate, TurnShares};
use candor_core::agent::{ConversationKey, Conversations};
use candor_core::contract::{ClearedConversation, ServiceError, Talk};
use candor_core::inbound::{Place, UserId};

/// The models that conversations may use, and the turns in progress.
pub struct Talker {
    models: Vec<String>,
    conversations: Arc<dyn Conversations>,
    /// The turns that run in them.
    pub(super) queues: Arc<TurnQueues>,
    /// Whose turns run, and in which guilds.
    pub(super) shares: TurnShares,
    /// How many messages people send.
    pub(super) rate: MessageRate,
    /// What is different in single places.
    pub(super) places: Places,
}

impl Talker {
    /// Conversations with these models, the default first.
    pub fn new(models: Vec<String>, conversations: Arc<dyn Conversations>) -> Self {
        Self {
            models,
            conversations,
            queues: Arc::default(),
            shares: TurnShares::default(),
            rate: MessageRate::default(),
            places: Places::default(),
        }
    }

    /// The same where this is different in single places.
    #[must_use]
    pub fn in_places(self, places: Places) -> Self {
        Self { places, ..self }
    }

    /// What is different in single places.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Shuts down: messages that wait for a turn are refused, with a sentence that says so.
    pub fn leave(&self) {
        self.queues.leaving.cancel();
    }

    /// The conversation's model, if it is still configured; else the one of the place, or the default.
    pub(super) async fn chosen(&self, key: &ConversationKey, place: Place) -> Result<Option<String>, ServiceError> {
        let chosen = self.conversations.model(key).await?;
        let of_place = || self.places.at(place).model;
        let is_there = |name: &String| self.models.contains(name);
        let named = chosen.filter(is_there).or_else(of_place).filter(is_there);
        Ok(named.or_else(|| self.models.first().cloned()))
    }
}

#[async_trait]
impl Talk for Talker {
    fn models(&self) -> &[String] {
        &self.models
    }

    async fn model_of(&self, place: Place, user: UserId) -> Result<Option<String>, ServiceError> {
        self.chosen(&ConversationKey::new(place, user), place).await
    }

    async fn set_model(&self, place: Place, user: UserId, model: &str) -> Result<(), ServiceError> {
        self.conversations.choose_model(&ConversationKey::new(place, user), model).await
    }

    async fn clear(&self, place: Place, user: UserId) -> Result<ClearedConversation, ServiceError> {
        let key = ConversationKey::new(place, user);
        let _clearing = self.queues.clearing.write().await;
        // First, so that nothing of it comes back.
        let ended = self.queues.clear(&key);
        let messages = self.conversations.clear(&key).await?;
        Ok(ClearedConversation { messages, ended })
    }

    async fn end_turns(&self, user: UserId) {
        for key in self.queues.of(user) {
            let _whether_one_ran = self.queues.clear(&key);
        }
    }
}
