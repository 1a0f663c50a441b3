//! Each way a model can fail to answer, with its own plain words.

use std::time::Duration;

/// Why there is no answer. The text is for the person; none of them reads like an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelFailure {
    /// No model is configured.
    #[error("Chat is not set up: no model is configured. Slash commands work; `/help` lists them.")]
    NotConfigured,
    /// Too many other requests are under way, and none ended in time.
    #[error(
        "The chat model has too many questions to answer at the moment. Try again shortly; slash commands keep working."
    )]
    Busy,
    /// No connection, or one that broke before an answer began.
    #[error("The chat model cannot be reached. Slash commands keep working.")]
    Unreachable,
    /// The connection broke, or the stream ended, in the middle of an answer.
    #[error("The chat model's answer broke off in the middle, so it is not shown as if it were whole. Ask again.")]
    Interrupted,
    /// Asked nothing: it failed too often just before.
    #[error(
        "The chat model failed several times in a row, so it is left alone for a while.{} Slash commands keep working.",
        again(Some(*.again_in))
    )]
    Unavailable {
        /// When it is asked again.
        again_in: Duration,
    },
    /// No answer in time.
    #[error("The chat model did not answer within {} s. Slash commands keep working.", .0.as_secs().max(1))]
    TimedOut(Duration),
    /// 401.
    #[error("The chat model's server refused this bot's key. Its operator must check `[model] key_file`.")]
    Unauthorized,
    /// 403.
    #[error(
        "The chat model's server does not allow this request: the key lacks a right, or the provider blocks it. Its operator can read why."
    )]
    Forbidden,
    /// 404: no such model or address.
    #[error(
        "The chat model's server does not know this model or address. Its operator must check `[model]`, or choose another with `/model`."
    )]
    UnknownModel,
    /// A redirect, which is not followed.
    #[error(
        "The chat model's server points to another address (status {0}), and this bot does not follow. Its operator must check `[model] base_url`."
    )]
    Redirected(u16),
    /// 429, with how long to wait if the server says so.
    #[error("The chat model is busy or out of quota.{} Slash commands keep working.", again(*.0))]
    RateLimited(Option<Duration>),
    /// 503 and 529, with how long to wait if the server says so.
    #[error("The chat model's server is overloaded or still starting.{} Slash commands keep working.", again(*.0))]
    Overloaded(Option<Duration>),
    /// Tools were offered in the API's own form, and the model or its server knows none.
    #[error(
        "The chat model cannot be offered commands in the API's own form. Its operator must set `[model] tools = \"text\"`."
    )]
    ToolsUnsupported,
    /// More than the model can read.
    #[error("The chat model cannot read a conversation of this length. `/clear` starts anew.")]
    ContextTooLong,
    /// Any other 4xx.
    #[error("The chat model's server refused the request (status {0}). Its operator can read why.")]
    Refused(u16),
    /// Any other 5xx.
    #[error("The chat model's server failed (status {0}). Slash commands keep working.")]
    ServerError(u16),
    /// An error in place of an answer, though the status says success.
    #[error("The chat model's server reported an error in place of an answer. Its operator can read which.")]
    Reported,
    /// An answer without text.
    #[error("The chat model answered with nothing. That is a failure of the model, not an answer.")]
    Empty,
    /// The answer reached its length limit.
    #[error(
        "The chat model's answer was cut off at its length limit, so it is not shown as if it were whole. Ask for something shorter."
    )]
    CutOff,
    /// The answer ended for a reason that this bot does not know.
    #[error(
        "The chat model's answer ended for an unknown reason and may not be whole, so it is not shown. Its operator can read the reason."
    )]
    UnknownEnd,
    /// The model or its provider withheld the answer.
    #[error("The chat model or its provider withheld the answer. Ask in other words, or about something else.")]
    Filtered,
    /// A call in the API's own form, though none was offered in it: perhaps as text, perhaps not at all.
    #[error("The chat model tried to call a tool in a way that was not offered to it. Nothing ran.")]
    ToolCall,
    /// More calls in one answer than any work needs.
    #[error("The chat model asked for far too many commands at once. None of them ran.")]
    TooManyCalls,
    /// The answer ended for a tool call that is not in it.
    #[error("The chat model tried to call a tool, but its server lost the call on the way. Nothing ran.")]
    LostCall,
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
            Self::Busy => "busy",
            Self::Unreachable => "unreachable",
            Self::Interrupted => "interrupted",
            Self::Unavailable { .. } => "unavailable",
            Self::TimedOut(_) => "timed-out",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::UnknownModel => "unknown-model",
            Self::Redirected(_) => "redirected",
            Self::RateLimited(_) => "rate-limited",
            Self::Overloaded(_) => "overloaded",
            Self::ToolsUnsupported => "tools-unsupported",
            Self::ContextTooLong => "context-too-long",
            Self::Refused(_) => "refused",
            Self::ServerError(_) => "server-error",
            Self::Reported => "reported",
            Self::Empty => "empty",
            Self::CutOff => "cut-off",
            Self::UnknownEnd => "unknown-end",
            Self::Filtered => "filtered",
            Self::ToolCall => "tool-call",
            Self::TooManyCalls => "too-many-calls",
            Self::LostCall => "lost-call",
            Self::NotJson => "not-json",
            Self::TooLarge => "too-large",
        }
    }
}

/// When to try again, in the largest unit that says enough. Rounded up: earlier would fail again.
fn again(after: Option<Duration>) -> String {
    let Some(wait) = after else { return String::new() };
    match wait.as_secs() {
        seconds @ 0..=120 => format!(" Try again in {} s.", seconds.max(1)),
        seconds @ 121..=7_200 => format!(" Try again in {} min.", seconds.div_ceil(60)),
        seconds => format!(" Try again in {} h.", seconds.div_ceil(3_600)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const WAIT: Duration = Duration::from_secs(30);

    /// One of each. All statuses are the same, so that no two sentences differ by their number alone.
    const EACH: [ModelFailure; 26] = [
        ModelFailure::NotConfigured,
        ModelFailure::Busy,
        ModelFailure::Unreachable,
        ModelFailure::Interrupted,
        ModelFailure::Unavailable { again_in: WAIT },
        ModelFailure::TimedOut(WAIT),
        ModelFailure::Unauthorized,
        ModelFailure::Forbidden,
        ModelFailure::UnknownModel,
        ModelFailure::Redirected(1),
        ModelFailure::RateLimited(None),
        ModelFailure::Overloaded(None),
        ModelFailure::ToolsUnsupported,
        ModelFailure::ContextTooLong,
        ModelFailure::Refused(1),
        ModelFailure::ServerError(1),
        ModelFailure::Reported,
        ModelFailure::Empty,
        ModelFailure::CutOff,
        ModelFailure::UnknownEnd,
        ModelFailure::Filtered,
        ModelFailure::ToolCall,
        ModelFailure::TooManyCalls,
        ModelFailure::LostCall,
        ModelFailure::NotJson,
        ModelFailure::TooLarge,
    ];

    #[test]
    fn every_failure_has_a_name_and_a_sentence_of_its_own() {
        let names: BTreeSet<_> = EACH.iter().map(ModelFailure::name).collect();
        let sentences: BTreeSet<_> = EACH.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), EACH.len());
        assert_eq!(sentences.len(), EACH.len());
    }

    #[test]
    fn every_sentence_speaks_of_the_model_and_none_claims_a_success() {
        for failure in EACH {
            let sentence = failure.to_string();
            assert!(sentence.starts_with("The chat model") || sentence.starts_with("Chat is not set up"), "{sentence}");
            assert!(sentence.ends_with('.'), "{sentence}");
            for claim in ["success", "done", "complete", "✓", "receipt"] {
                assert!(!sentence.to_lowercase().contains(claim), "{sentence}");
            }
        }
    }

    #[test]
    fn a_call_in_a_form_that_was_not_offered_denies_no_offer_in_another() {
        let sentence = ModelFailure::ToolCall.to_string();
        assert_eq!(sentence, "The chat model tried to call a tool in a way that was not offered to it. Nothing ran.");
    }

    #[test]
    fn a_wait_is_told_in_a_unit_that_people_read() {
        let cases = [
            (None, "The chat model is busy or out of quota. Slash commands keep working."),
            (Some(0), "The chat model is busy or out of quota. Try again in 1 s. Slash commands keep working."),
            (Some(90), "The chat model is busy or out of quota. Try again in 90 s. Slash commands keep working."),
            (Some(121), "The chat model is busy or out of quota. Try again in 3 min. Slash commands keep working."),
            (Some(7_201), "The chat model is busy or out of quota. Try again in 3 h. Slash commands keep working."),
        ];
        for (seconds, expected) in cases {
            assert_eq!(ModelFailure::RateLimited(seconds.map(Duration::from_secs)).to_string(), expected);
        }
        assert_eq!(
            ModelFailure::Unavailable { again_in: WAIT }.to_string(),
            "The chat model failed several times in a row, so it is left alone for a while. Try again in 30 s. Slash \
             commands keep working."
        );
    }
}
