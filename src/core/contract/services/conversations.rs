//! Access to chat conversations, for built-in commands.

use async_trait::async_trait;

use crate::contract::services::error::ServiceError;
use crate::inbound::{Caller, ChannelId, Place, UserId};

/// Conversations with the chat model.
#[async_trait]
pub trait Talk: Send + Sync {
    /// The models that conversations may use, the default first. Empty if none is configured.
    fn models(&self) -> Vec<ModelChoice>;
    /// The model that this conversation uses.
    async fn model_of(&self, place: Place, user: UserId) -> Result<Option<String>, ServiceError>;
    /// Sets the model of this conversation. False if this caller may not, because others share it.
    async fn set_model(&self, caller: &Caller, place: Place, model: &str) -> Result<bool, ServiceError>;
    /// Ends the turn that runs in the conversation, forgets the conversation, takes its words out of what is kept of
    /// its turns, and counts what was forgotten. Of a conversation that others share that is this caller's part, or all
    /// of it for operators and members who may manage messages.
    async fn clear(&self, caller: &Caller, place: Place) -> Result<ClearedConversation, ServiceError>;
    /// What the model of this conversation would be shown now. `None` if no model is configured.
    async fn context(&self, caller: &Caller, place: Place) -> Result<Option<ConversationContext>, ServiceError>;
    /// Opens a thread of this title in a channel, for a conversation of its own, if this caller may talk in it. Returns
    /// its id.
    async fn open_thread(&self, caller: &Caller, place: Place, title: &str) -> Result<ChannelId, NoThread>;
    /// Ends the turns of this person in every place of this process, for good: nothing of them is kept.
    async fn end_turns(&self, user: UserId);
}

/// A model that conversations may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    /// The name by which it is chosen.
    pub name: String,
    /// How it calls tools, as far as that is known: before its first use a probe may still have to find it out.
    pub tools: Option<ToolMode>,
    /// Whether it takes images, as far as that is known.
    pub images: Option<bool>,
    /// How much it can be shown and answer, together, in tokens.
    pub context_tokens: usize,
}

/// What a model would be shown of a conversation now. Tokens are estimated at three bytes each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationContext {
    /// Whether all in the channel share the conversation.
    pub is_shared: bool,
    /// The model's name.
    pub model: String,
    /// How much it can be shown and answer, together.
    pub context_tokens: usize,
    /// The part of that which is left free for the answer.
    pub answer_tokens: usize,
    /// The system text, with what modules tell of the person.
    pub system_tokens: usize,
    /// How many commands it may call as tools.
    pub n_tools: usize,
    /// Their definitions, where they are not part of the system text.
    pub tools_tokens: usize,
    /// What modules tell it of the person: each with how many entries.
    pub told_by_modules: Vec<(String, usize)>,
    /// How many of the latest exchanges it would be shown.
    pub n_shown: usize,
    /// Those exchanges.
    pub shown_tokens: usize,
    /// How many older ones are kept and would be left out.
    pub n_left_out: usize,
    /// How many exchanges went into the summary that it would be shown, and the tokens of that; `None` without one.
    pub summary: Option<(u64, usize)>,
    /// What is left for the next words, what comes with them, and what commands answer.
    pub room: usize,
}

/// How a model calls tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolMode {
    /// As tool calls of the chat API.
    Native,
    /// By a JSON block that is the whole message.
    Text,
    /// Not at all: none are offered.
    None,
}

impl ToolMode {
    /// The word for it in the settings, the log and the record.
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
    /// The number of messages, the user's and the model's together.
    pub messages: u64,
    /// A turn was running, and was ended.
    pub ended: bool,
    /// What of the conversation it was.
    pub what: Cleared,
}

/// Why there is no thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoThread {
    /// There are none in such a place.
    NotHere,
    /// Whoever wants it could not talk with the model there: why, in words for them.
    Mute(String),
    /// The bot lacks a permission for it, or to write in it.
    Forbidden,
    /// The message that it was to begin with is gone.
    Gone,
    /// Discord did not open it.
    Failed,
}

/// What of a conversation was cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleared {
    /// All of a person's own.
    Own,
    /// A person's part of one that others share.
    Part,
    /// All of one that others share.
    Shared,
}
