//! Access to chat conversations, for built-in commands.

use async_trait::async_trait;

use crate::contract::services::service::ServiceError;
use crate::guild::Rules;
use crate::inbound::{Caller, ChannelId, Place, UserId};

/// A service for conversations with the chat model.
#[async_trait]
pub trait Talk: Send + Sync {
    /// Returns the models that conversations may use, the default first. Empty if none is configured.
    fn models(&self) -> Vec<ModelChoice>;
    /// Returns the model that this conversation uses.
    async fn model_of(&self, place: Place, user: UserId, rules: &Rules) -> Result<Option<String>, ServiceError>;
    /// Sets the model of this conversation. Returns false if this caller may not, because others share it.
    async fn set_model(&self, caller: &Caller, place: Place, model: &str) -> Result<bool, ServiceError>;
    /// Ends the running turn, forgets the conversation, removes its words from the stored turns, and counts the
    /// forgotten messages. In a shared conversation it clears this caller's part. Operators and members who may manage
    /// messages clear all of it.
    async fn clear(&self, caller: &Caller, place: Place) -> Result<ClearedConversation, ServiceError>;
    /// Returns the current context of the model for this conversation. `None` if no model is configured.
    async fn context(
        &self,
        caller: &Caller,
        place: Place,
        rules: &Rules,
    ) -> Result<Option<ConversationContext>, ServiceError>;
    /// Opens a thread with this title in a channel, for a separate conversation, if this caller may talk in it. Returns
    /// its id.
    async fn open_thread(
        &self,
        caller: &Caller,
        place: Place,
        rules: &Rules,
        title: &str,
    ) -> Result<ChannelId, NoThread>;
    /// Ends all turns of this person in this process, for good. Nothing of them is stored.
    async fn end_turns(&self, user: UserId);
}

/// A model that conversations may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    /// The name by which people choose it.
    pub name: String,
    /// How it calls tools, if known. Before its first use a probe may still have to find out.
    pub tools: Option<ToolMode>,
    /// Whether it accepts images, if known.
    pub images: Option<bool>,
    /// The context window in tokens, for input and answer together.
    pub context_tokens: usize,
}

/// The content of a model's context for a conversation. Tokens are estimated at three bytes each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationContext {
    /// Whether everyone in the channel shares the conversation.
    pub is_shared: bool,
    /// The model's name.
    pub model: String,
    /// The context window in tokens, for input and answer together.
    pub context_tokens: usize,
    /// The part of it reserved for the answer.
    pub answer_tokens: usize,
    /// Tokens of the system text, with the entries of modules about the person.
    pub system_tokens: usize,
    /// How many commands the model may call as tools.
    pub n_tools: usize,
    /// Tokens of the tool definitions, unless they are part of the system text.
    pub tools_tokens: usize,
    /// The modules with entries about the person, and the number of entries of each.
    pub told_by_modules: Vec<(String, usize)>,
    /// How many of the latest exchanges the model would see.
    pub n_shown: usize,
    /// Tokens of those exchanges.
    pub shown_tokens: usize,
    /// How many older exchanges are stored but left out.
    pub n_left_out: usize,
    /// The number of summarized exchanges, and the tokens of the summary. `None` without a summary.
    pub summary: Option<(u64, usize)>,
    /// Tokens left for the next message, its attachments and tool results.
    pub room: usize,
}

/// The way in which a model calls tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolMode {
    /// With the chat API's tool calls.
    Native,
    /// With a JSON block that is the whole message.
    Text,
    /// Not at all: no tools are offered.
    None,
}

impl ToolMode {
    /// Returns the word used in settings, log and stored records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Text => "text",
            Self::None => "none",
        }
    }
}

/// The result of [`Talk::clear`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearedConversation {
    /// How many messages were cleared, the person's and the model's together.
    pub messages: u64,
    /// Whether a running turn was ended.
    pub ended: bool,
    /// Which part of the conversation was cleared.
    pub what: Cleared,
}

/// The reason why no thread was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoThread {
    /// This kind of place has no threads.
    NotHere,
    /// The person could not talk with the model there. The text tells them why.
    Mute(String),
    /// The bot lacks the permission to open it or to write in it.
    Forbidden,
    /// The message to start it from is gone.
    Gone,
    /// Discord did not open it.
    Failed,
}

/// The cleared part of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleared {
    /// All of a person's own conversation.
    Own,
    /// A person's part of a shared conversation.
    Part,
    /// All of a shared conversation.
    Shared,
}
