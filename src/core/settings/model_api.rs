//! The APIs in which a model's server can be asked: `[model] api`.

/// The API that a model's server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelApi {
    /// OpenAI's chat completions, which most servers speak.
    #[default]
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Messages,
}

impl ModelApi {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Messages];

    /// The word for it in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    /// What is added to the address of a server, without a slash at either end.
    pub fn path(self) -> &'static str {
        match self {
            Self::Chat => "chat/completions",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    /// The fields of a request's body that the bot writes in this API alone.
    pub(crate) fn own_fields(self) -> &'static [&'static str] {
        match self {
            Self::Chat => &[],
            Self::Responses => &[
                "background",
                "conversation",
                "input",
                "instructions",
                "max_output_tokens",
                "previous_response_id",
                "store",
            ],
            Self::Messages => &["system"],
        }
    }
}
