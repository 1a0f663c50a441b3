//! Access to chat conversations, for built-in commands.

use async_trait::async_trait;

use crate::contract::services::error::ServiceError;
use crate::inbound::{Place, UserId};

/// Conversations with the chat model.
#[async_trait]
pub trait Talk: Send + Sync {
    /// The configured models, the default first. Empty if no model is configured.
    fn models(&self) -> &[String];
    /// The model that this conversation uses.
    async fn model_of(&self, place: Place, user: UserId) -> Result<Option<String>, ServiceError>;
    /// Sets the model of this conversation.
    async fn set_model(&self, place: Place, user: UserId, model: &str) -> Result<(), ServiceError>;
    /// Ends the turn that runs in the conversation, forgets the conversation, takes its words out of what is kept of
    /// its turns, and counts what was forgotten.
    async fn clear(&self, place: Place, user: UserId) -> Result<ClearedConversation, ServiceError>;
    /// Ends the turns of this person in every place of this process, for good: nothing of them is kept.
    async fn end_turns(&self, user: UserId);
}

/// The result of [`Talk::clear`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearedConversation {
    /// The number of messages, the user's and the model's together.
    pub messages: u64,
    /// A turn was running, and was ended.
    pub ended: bool,
}
