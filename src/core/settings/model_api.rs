//! The APIs of model providers: `[model] api`.

use crate::text::names;

names! {
    /// The API that a provider speaks.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum ModelApi {
        /// OpenAI's chat completions, which most providers speak.
        #[default]
        Chat = "chat",
        /// OpenAI's Responses.
        Responses = "responses",
        /// Anthropic's Messages.
        Messages = "messages",
    }
}

impl ModelApi {
    /// Returns the path added to a provider's address, without a slash at either end.
    pub fn path(self) -> &'static str {
        match self {
            Self::Chat => "chat/completions",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    /// Returns the fields of a request's body that the bot writes only in this API.
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
