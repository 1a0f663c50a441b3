//! Each way a model can fail to answer, with its own plain words.

use std::time::Duration;

/// Why there is no answer. The text is for the person; none of them reads like an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelFailure {
    /// No model is configured.
    #[error("Chat is not set up: no model is configured. Slash commands work; `/help` lists them.")]
    NotConfigured,
    /// No connection.
    #[error("The chat model cannot be reached. Slash commands keep working.")]
    Unreachable,
    /// No answer in time.
    #[error("The chat model did not answer within {} s. Slash commands keep working.", .0.as_secs())]
    TimedOut(Duration),
    /// 401 or 403.
    #[error("The chat model refused this bot's key. Its operator must check `[model] key_file`.")]
    Unauthorized,
    /// 404: no such model or address.
    #[error(
        "The chat model's server does not know this model or address. Its operator must check `[model]`, or choose another with `/model`."
    )]
    UnknownModel,
    /// 429.
    #[error("The chat model is busy or out of quota.{} Slash commands keep working.", again(*.0))]
    RateLimited(Option<Duration>),
    /// Any other 4xx.
    #[error("The chat model refused the request (status {0}). Its operator can read why.")]
    Refused(u16),
    /// 5xx.
    #[error("The chat model's server failed (status {0}). Slash commands keep working.")]
    ServerError(u16),
    /// An answer without text.
    #[error("The chat model answered with nothing. That is a failure of the model, not an answer.")]
    Empty,
    /// The answer reached its length limit.
    #[error(
        "The chat model's answer was cut off at its length limit, so it is not shown as if it were whole. Ask for something shorter."
    )]
    CutOff,
    /// The provider withheld the answer.
    #[error("The chat model's provider filtered the answer.")]
    Filtered,
    /// The model asked for tools though none were offered.
    #[error("The chat model tried to call a tool, but none was offered to it. Nothing ran.")]
    ToolCall,
    /// The body is not the JSON it should be.
    #[error("The chat model's server sent something that is not a chat answer. Its operator can read what.")]
    NotJson,
    /// The body is larger than any answer should be.
    #[error("The chat model's server sent more than this bot is willing to read.")]
    TooLarge,
}

impl ModelFailure {
    /// The stable name, for the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotConfigured => "not-configured",
            Self::Unreachable => "unreachable",
            Self::TimedOut(_) => "timed-out",
            Self::Unauthorized => "unauthorized",
            Self::UnknownModel => "unknown-model",
            Self::RateLimited(_) => "rate-limited",
            Self::Refused(_) => "refused",
            Self::ServerError(_) => "server-error",
            Self::Empty => "empty",
            Self::CutOff => "cut-off",
            Self::Filtered => "filtered",
            Self::ToolCall => "tool-call",
            Self::NotJson => "not-json",
            Self::TooLarge => "too-large",
        }
    }
}

fn again(after: Option<Duration>) -> String {
    after.map(|wait| format!(" Try again in {} s.", wait.as_secs().max(1))).unwrap_or_default()
}
