//! Chat: a person's words and their conversation to the model, its answer back, marked as generated.

use std::sync::Arc;

use async_trait::async_trait;
use tracing::{error, info, warn};

use crate::agent::{
    ConversationKey, Conversations, HISTORY_LENGTH_MAX, Model, ModelFailure, system_prompt, within_budget,
};
use crate::config::ChatSettings;
use crate::contract::{ClearedConversation, ServiceError, Talk};
use crate::executor::Clock;
use crate::inbound::{Place, UserId};
use crate::registry::Catalog;
use crate::reply::{Answer, Audience, Provenance, Reply, sanitize_model_text};
use crate::router::ChatText;

/// Talks with people.
pub struct Chat {
    model: Option<Arc<dyn Model>>,
    models: Vec<String>,
    settings: ChatSettings,
    conversations: Arc<dyn Conversations>,
    clock: Arc<dyn Clock>,
}

impl Chat {
    /// Chat over a model, or without one: then every word of chat is answered with how to set one up.
    pub fn new(
        model: Option<Arc<dyn Model>>,
        models: Vec<String>,
        settings: ChatSettings,
        conversations: Arc<dyn Conversations>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { model, models, settings, conversations, clock }
    }

    /// The answer to a person's words. A failure is an answer too, in the host's own name.
    pub async fn answer(&self, words: &ChatText, place: Place, user: UserId, catalog: &Catalog) -> Answer {
        let key = ConversationKey::new(place, user);
        match self.ask(&key, words, catalog).await {
            Ok(text) => {
                if let Err(problem) = self.conversations.append(&key, words, &text, self.clock.now()).await {
                    warn!(error = %problem, "the exchange could not be kept; the model will not remember it");
                }
                let reply = Reply::text(sanitize_model_text(&text));
                Answer { reply, provenance: Provenance::Model, audience: Audience::Place }
            }
            Err(NoAnswer::Model(failure)) => {
                info!(failure = failure.name(), "no answer from the model");
                Answer::host(failure.to_string())
            }
            Err(NoAnswer::Store(problem)) => {
                error!(error = %problem, "cannot read the conversation");
                Answer::host(
                    "Chat does not work at the moment: this bot cannot read its store. Nothing was sent to a model.",
                )
            }
        }
    }

    async fn ask(&self, key: &ConversationKey, words: &ChatText, catalog: &Catalog) -> Result<String, NoAnswer> {
        let model = self.model.as_ref().ok_or(NoAnswer::Model(ModelFailure::NotConfigured))?;
        let name =
            self.chosen(key).await.map_err(NoAnswer::Store)?.ok_or(NoAnswer::Model(ModelFailure::NotConfigured))?;
        let history = self.conversations.history(key, self.settings.history).await.map_err(NoAnswer::Store)?;
        let system = system_prompt(&self.settings.system, catalog);
        let history = within_budget(&history, HISTORY_LENGTH_MAX);
        model.answer(&name, &system, history, words).await.map_err(NoAnswer::Model)
    }

    /// The conversation's model, if it is still configured; else the default.
    async fn chosen(&self, key: &ConversationKey) -> Result<Option<String>, ServiceError> {
        let chosen = self.conversations.model(key).await?;
        Ok(chosen.filter(|name| self.models.contains(name)).or_else(|| self.models.first().cloned()))
    }
}

enum NoAnswer {
    Model(ModelFailure),
    Store(ServiceError),
}

#[async_trait]
impl Talk for Chat {
    fn models(&self) -> &[String] {
        &self.models
    }

    async fn model_of(&self, place: Place, user: UserId) -> Result<Option<String>, ServiceError> {
        self.chosen(&ConversationKey::new(place, user)).await
    }

    async fn set_model(&self, place: Place, user: UserId, model: &str) -> Result<(), ServiceError> {
        self.conversations.choose_model(&ConversationKey::new(place, user), model).await
    }

    async fn clear(&self, place: Place, user: UserId) -> Result<ClearedConversation, ServiceError> {
        let messages = self.conversations.clear(&ConversationKey::new(place, user)).await?;
        Ok(ClearedConversation { messages })
    }
}
