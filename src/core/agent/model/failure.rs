//! The failures of a model to answer, each with its own text.

use std::fmt;
use std::time::Duration;

use crate::language::{Language, say};

/// The reason why there is no answer. Its text is for the person and never reads like an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelFailure {
    NotConfigured,
    /// Too many other requests are running, and none of them ended in time.
    Busy,
    /// There is no connection, or it broke before an answer began.
    Unreachable,
    /// The connection broke or the stream ended in the middle of an answer.
    Interrupted,
    /// It was not asked, because it failed too often just before.
    Unavailable {
        /// The time until it is asked again.
        again_in: Duration,
    },
    TimedOut(Duration),
    /// 401.
    Unauthorized,
    /// 403.
    Forbidden,
    /// 404: no such model or address.
    UnknownModel,
    /// A redirect, which is not followed.
    Redirected(u16),
    /// 429, with the wait that the provider asks for.
    RateLimited(Option<Duration>),
    /// 503 and 529, with the wait that the provider asks for.
    Overloaded(Option<Duration>),
    /// Tools were offered natively, and the model or its provider does not support them.
    ToolsUnsupported,
    /// The conversation is longer than the model can read.
    ContextTooLong,
    /// Any other 4xx.
    Refused(u16),
    /// Any other 5xx.
    ServerError(u16),
    /// The provider reported an error with a success status.
    Reported,
    Empty,
    /// The answer reached its length limit.
    CutOff,
    UnknownEnd,
    /// The model or its provider withheld the answer.
    Filtered,
    /// A native tool call, although none were offered natively.
    ToolCall,
    /// More calls in one answer than any task needs.
    TooManyCalls,
    /// The finish reason is a tool call, but the answer contains none.
    LostCall,
    /// The body is not the expected JSON.
    NotJson,
    /// The body is larger than any answer needs.
    TooLarge,
}

impl ModelFailure {
    pub fn text(&self, language: Language) -> String {
        match self {
            Self::NotConfigured => say!(language, "model-not-configured"),
            Self::Busy => say!(language, "model-busy"),
            Self::Unreachable => say!(language, "model-unreachable"),
            Self::Interrupted => say!(language, "model-interrupted"),
            Self::Unavailable { again_in } => {
                say!(language, "model-unavailable", again = again(Some(*again_in), language))
            }
            Self::TimedOut(limit) => say!(language, "model-timed-out", seconds = limit.as_secs().max(1)),
            Self::Unauthorized => say!(language, "model-unauthorized"),
            Self::Forbidden => say!(language, "model-forbidden"),
            Self::UnknownModel => say!(language, "model-unknown-model"),
            Self::Redirected(status) => say!(language, "model-redirected", status = status.to_string()),
            Self::RateLimited(after) => say!(language, "model-rate-limited", again = again(*after, language)),
            Self::Overloaded(after) => say!(language, "model-overloaded", again = again(*after, language)),
            Self::ToolsUnsupported => say!(language, "model-tools-unsupported"),
            Self::ContextTooLong => say!(language, "model-context-too-long"),
            Self::Refused(status) => say!(language, "model-refused", status = status.to_string()),
            Self::ServerError(status) => say!(language, "model-server-error", status = status.to_string()),
            Self::Reported => say!(language, "model-reported"),
            Self::Empty => say!(language, "model-empty"),
            Self::CutOff => say!(language, "model-cut-off"),
            Self::UnknownEnd => say!(language, "model-unknown-end"),
            Self::Filtered => say!(language, "model-filtered"),
            Self::ToolCall => say!(language, "model-tool-call"),
            Self::TooManyCalls => say!(language, "model-too-many-calls"),
            Self::LostCall => say!(language, "model-lost-call"),
            Self::NotJson => say!(language, "model-not-json"),
            Self::TooLarge => say!(language, "model-too-large"),
        }
    }

    /// Returns whether the failure concerns the provider, so that another one may answer the same request.
    pub fn is_of_server(&self) -> bool {
        match self {
            Self::Busy
            | Self::Unreachable
            | Self::Interrupted
            | Self::Unavailable { .. }
            | Self::TimedOut(_)
            | Self::Unauthorized
            | Self::Forbidden
            | Self::UnknownModel
            | Self::Redirected(_)
            | Self::RateLimited(_)
            | Self::Overloaded(_)
            | Self::ServerError(_)
            | Self::Reported
            | Self::NotJson => true,
            Self::NotConfigured
            | Self::ToolsUnsupported
            | Self::ContextTooLong
            | Self::Refused(_)
            | Self::Empty
            | Self::CutOff
            | Self::UnknownEnd
            | Self::Filtered
            | Self::ToolCall
            | Self::TooManyCalls
            | Self::LostCall
            | Self::TooLarge => false,
        }
    }

    /// Returns the stable name for the log.
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

/// In English, for the log.
impl fmt::Display for ModelFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::ENGLISH))
    }
}

impl std::error::Error for ModelFailure {}

/// Formats the wait in the largest unit that is precise enough. Rounds up, because an earlier retry would fail again.
fn again(after: Option<Duration>, language: Language) -> String {
    let Some(wait) = after else { return String::new() };
    let again = match wait.as_secs() {
        seconds @ 0..=120 => say!(language, "again-in-seconds", n = seconds.max(1)),
        seconds @ 121..=7_200 => say!(language, "again-in-minutes", n = seconds.div_ceil(60)),
        seconds => say!(language, "again-in-hours", n = seconds.div_ceil(3_600)),
    };
    format!(" {again}")
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
        assert_eq!(names.len(), EACH.len());
        for language in Language::all() {
            let sentences: BTreeSet<_> = EACH.iter().map(|failure| failure.text(language)).collect();
            assert_eq!(sentences.len(), EACH.len(), "{language}");
        }
    }

    #[test]
    fn no_sentence_claims_a_success() {
        for failure in EACH {
            let sentence = failure.to_string();
            for claim in ["success", "done", "complete", "✓", "receipt"] {
                assert!(!sentence.to_lowercase().contains(claim), "{sentence}");
            }
        }
    }

    #[test]
    fn a_wait_is_told_in_a_unit_that_people_read() {
        let cases = [
            (None, String::new()),
            (Some(0), say!(Language::ENGLISH, "again-in-seconds", n = 1)),
            (Some(90), say!(Language::ENGLISH, "again-in-seconds", n = 90)),
            (Some(121), say!(Language::ENGLISH, "again-in-minutes", n = 3)),
            (Some(7_201), say!(Language::ENGLISH, "again-in-hours", n = 3)),
        ];
        for (seconds, again) in cases {
            let again = if again.is_empty() { again } else { format!(" {again}") };
            let expected = say!(Language::ENGLISH, "model-rate-limited", again = again);
            assert_eq!(ModelFailure::RateLimited(seconds.map(Duration::from_secs)).to_string(), expected);
        }
    }
}
