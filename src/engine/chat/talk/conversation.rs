//! The context of a conversation, and its cleared part, as the built-in commands show them.

use candor_core::agent::OfferedModel;
use candor_core::agent::prompt::{Background, Preview};

/// The content of a model's context for a conversation.
pub(crate) struct ConversationContext {
    /// Whether everyone in the channel shares the conversation.
    pub(crate) is_shared: bool,
    pub(crate) model: OfferedModel,
    pub(crate) preview: Preview,
    /// How many commands the model may call as tools.
    pub(crate) n_tools: usize,
    /// The entries of modules about the person.
    pub(crate) background: Vec<Background>,
    /// The number of summarized exchanges, and the tokens of the summary. `None` without a summary.
    pub(crate) summary: Option<(u64, usize)>,
}

/// The result of clearing a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClearedConversation {
    /// How many messages were cleared, the person's and the model's together.
    pub(crate) messages: u64,
    /// Whether a running turn was ended.
    pub(crate) ended: bool,
    /// Which part of the conversation was cleared.
    pub(crate) what: Cleared,
}

/// The cleared part of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cleared {
    /// All of a person's own conversation.
    Own,
    /// A person's part of a shared conversation.
    Part,
    /// All of a shared conversation.
    Shared,
}
