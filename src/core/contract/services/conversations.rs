//! What the bot's own commands may do with conversations.

use crate::contract::services::error::ServiceError;
use crate::inbound::{Place, UserId};
use async_trait::async_trait;

/// Conversations with the chat model.
#[async_trait]
pub trait Talk: Send + Sync {
    /// The configured models, the default first. Empty when no model is configured.
    fn models(&self) -> &[String];
    /// The model this conversation uses.
    async fn model_of(&self, place: Place, user: UserId) -> Result<Option<String>, ServiceError>;
    /// Sets it.
    async fn set_model(&self, place: Place, user: UserId, model: &str) -> Result<(), ServiceError>;
    /// Forgets what was said and counts it.
    async fn clear(&self, place: Place, user: UserId) -> Result<ClearedConversation, ServiceError>;
}

/// What [`Talk::clear`] forgot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearedConversation {
    /// Messages, the person's and the model's together.
    pub messages: u64,
}
