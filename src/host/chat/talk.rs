//! What the built-in commands may do with conversations: `/clear` and `/model`.

use std::sync::Arc;

use async_trait::async_trait;

use crate::host::chat::modes::ToolModes;
use crate::host::chat::places::Places;
use crate::host::chat::queue::TurnQueues;
use crate::host::chat::shares::{MessageRate, TurnShares};
use candor_core::agent::{ChatSettings, ConversationKey, Conversations, OfferedModel};
use candor_core::contract::{ClearedConversation, ModelChoice, ServiceError, Talk};
use candor_core::inbound::{Place, UserId};

/// The models that conversations may use, and the turns in progress.
pub struct Talker {
    models: Vec<OfferedModel>,
    /// The names of those that stand in for one whose server fails, in order.
    fallbacks: Vec<String>,
    /// How each of them calls tools.
    pub(super) modes: ToolModes,
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
    /// Conversations with the models of these settings.
    pub fn new(settings: &ChatSettings, conversations: Arc<dyn Conversations>) -> Self {
        Self {
            models: settings.models.clone(),
            fallbacks: settings.fallbacks.clone(),
            modes: ToolModes::new(&settings.models),
            conversations,
            queues: Arc::default(),
            shares: TurnShares::default(),
            rate: MessageRate::default(),
            places: Places::new(settings.places.clone()),
        }
    }

    /// What is different in single places.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Shuts down: messages that wait for a turn are refused, with a sentence that says so.
    pub fn leave(&self) {
        self.queues.leaving.cancel();
    }

    /// The default model.
    pub(super) fn default_model(&self) -> Option<&OfferedModel> {
        self.models.first()
    }

    /// The smallest context of all models, in tokens: what is shown to one may have to be shown to another one.
    pub(super) fn context_tokens(&self) -> usize {
        self.models.iter().map(|model| model.context_tokens).min().unwrap_or_default()
    }

    /// The models to ask, in order: the one of the conversation, then those that stand in for it.
    pub(super) async fn candidates(
        &self,
        key: &ConversationKey,
        place: Place,
    ) -> Result<Vec<&OfferedModel>, ServiceError> {
        let chosen = self.chosen(key, place).await?;
        let named = |name: &str| self.models.iter().find(|model| model.name == name);
        let stand_in = self.fallbacks.iter().filter_map(|name| named(name));
        let others = stand_in.filter(|model| Some(*model) != chosen);
        Ok(chosen.into_iter().chain(others).collect())
    }

    /// The conversation's model, if it is still configured; else the one of the place, or the default.
    async fn chosen(&self, key: &ConversationKey, place: Place) -> Result<Option<&OfferedModel>, ServiceError> {
        let named = |name: String| self.models.iter().find(|model| model.name == name);
        let chosen = self.conversations.model(key).await?.and_then(named);
        let of_place = || self.places.at(place).model.and_then(named);
        Ok(chosen.or_else(of_place).or_else(|| self.default_model()))
    }
}

#[async_trait]
impl Talk for Talker {
    fn models(&self) -> Vec<ModelChoice> {
        let choice = |model: &OfferedModel| ModelChoice {
            name: model.name.clone(),
            tools: self.modes.known(&model.name),
            context_tokens: model.context_tokens,
        };
        self.models.iter().map(choice).collect()
    }

    async fn model_of(&self, place: Place, user: UserId) -> Result<Option<String>, ServiceError> {
        Ok(self.chosen(&ConversationKey::new(place, user), place).await?.map(|model| model.name.clone()))
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
