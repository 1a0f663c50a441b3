//! The context of a conversation, and its cleared part, as the built-in commands show them.

/// The content of a model's context for a conversation. Tokens are estimated at three bytes each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConversationContext {
    /// Whether everyone in the channel shares the conversation.
    pub(crate) is_shared: bool,
    pub(crate) model: String,
    pub(crate) context_tokens: usize,
    /// The part of it reserved for the answer.
    pub(crate) answer_tokens: usize,
    /// Tokens of the system text, with the entries of modules about the person.
    pub(crate) system_tokens: usize,
    /// How many commands the model may call as tools.
    pub(crate) n_tools: usize,
    /// Tokens of the tool definitions, unless they are part of the system text.
    pub(crate) tools_tokens: usize,
    /// The modules with entries about the person, and the number of entries of each.
    pub(crate) told_by_modules: Vec<(String, usize)>,
    /// How many of the latest exchanges the model would see.
    pub(crate) n_shown: usize,
    /// Tokens of those exchanges.
    pub(crate) shown_tokens: usize,
    /// How many older exchanges are stored but left out.
    pub(crate) n_left_out: usize,
    /// The number of summarized exchanges, and the tokens of the summary. `None` without a summary.
    pub(crate) summary: Option<(u64, usize)>,
    /// Tokens left for the next message, its attachments and tool results.
    pub(crate) room: usize,
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
