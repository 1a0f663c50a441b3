//! Retries: only where the server did not accept the request, and only while there is time.

use std::future::Future;
use std::time::{Duration, SystemTime};

use backon::{ExponentialBuilder, Retryable as _};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;
use tokio::time::Instant;
use tracing::warn;

use crate::breaker::ServerHealth;
use crate::wire::refusal::{TOO_LONG, has_any};
use candor_core::agent::ModelFailure;

/// A failed try. The details are for the operator only.
#[derive(Debug, PartialEq)]
pub(crate) struct Failed {
    pub(crate) failure: ModelFailure,
    pub(crate) health: ServerHealth,
    /// Set if there was a response.
    pub(crate) status: Option<u16>,
    /// The wait that the server asks for.
    pub(crate) wait: Option<Duration>,
    pub(crate) detail: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// An answer is useless after this.
    pub(crate) deadline: Instant,
    pub(crate) wait_max: Duration,
}

/// Tries until there is an answer, a permanent failure, or no retry or time left.
pub(crate) async fn with_retries<T, F: Future<Output = Result<T, Failed>>>(
    model: &str,
    patience: RetryPolicy,
    limits: Limits,
    ask: impl FnMut() -> F,
) -> Result<T, Failed> {
    let waits = ExponentialBuilder::default()
        .with_jitter()
        .with_min_delay(patience.first_wait)
        .with_max_times(patience.n_retries);
    ask.retry(waits)
        .when(Failed::may_pass)
        .adjust(|failed, planned| {
            let left = limits.deadline.saturating_duration_since(Instant::now());
            wait(failed, planned?, left.min(limits.wait_max))
        })
        .notify(|failed, wait| {
            let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            warn!(model.name = model, reason = failed.failure.name(), status = failed.status, wait_ms, "asking again");
        })
        .await
}

impl Failed {
    pub(crate) fn without_response(failure: ModelFailure, detail: Option<String>) -> Self {
        // A server that refuses one conversation still serves all others, whether or not its status blames the server.
        let health =
            if is_refusal(&failure, detail.as_deref()) { ServerHealth::Up } else { ServerHealth::of(&failure) };
        Self { health, failure, status: None, wait: None, detail }
    }

    /// Marks the failure as one that the server explained in its own words.
    pub(crate) fn told(mut self) -> Self {
        if self.health == ServerHealth::Down {
            self.health = ServerHealth::Doubtful;
        }
        self
    }

    /// Returns whether the same request may succeed a moment later. A response that was read, a timeout and a refusal
    /// would only repeat themselves. So only the server's status counts, not the content of an answer.
    fn may_pass(&self) -> bool {
        match &self.failure {
            failure if is_refusal(failure, self.detail.as_deref()) => false,
            ModelFailure::Unreachable => self.status.is_none(),
            ModelFailure::RateLimited(_) | ModelFailure::Overloaded(_) | ModelFailure::ServerError(_) => {
                matches!(self.status, Some(429 | 500 | 502 | 503 | 504 | 529))
            }
            _ => false,
        }
    }
}

/// Returns whether a failure that blames the server is about the conversation instead, by the server's own words.
fn is_refusal(failure: &ModelFailure, detail: Option<&str>) -> bool {
    use ModelFailure::{Overloaded, RateLimited, ServerError};
    let blames_server = matches!(failure, ServerError(_) | Overloaded(_) | RateLimited(_));
    blames_server && detail.is_some_and(is_about_conversation)
}

/// Returns the wait before the next try: as planned, but no shorter than the server asks for. `None` if there is no
/// time.
fn wait(failed: &Failed, planned: Duration, left: Duration) -> Option<Duration> {
    let wait = planned.max(failed.wait.unwrap_or_default());
    (wait < left).then_some(wait)
}

/// The retries of a request, and the pauses of requests to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Retries of one request. 0: never.
    pub n_retries: usize,
    /// The minimum wait before the first retry. Each further wait is twice as long, all with some jitter added.
    pub first_wait: Duration,
    /// Consecutive failed requests before further ones are paused. At least 1.
    pub n_failures: u32,
    /// The length of a pause.
    pub rest: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { n_retries: 2, first_wait: Duration::from_millis(250), n_failures: 5, rest: Duration::from_secs(30) }
    }
}

/// A longer wait does not help a person, and is more likely a fault of the server.
const WAIT_MAX: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Parses `Retry-After`, in seconds or as a date (RFC 9110, section 10.2.3). A past date means no wait. `None` if it is
/// invalid or too long.
pub(crate) fn parse_wait(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    let wait = match value.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let at = SystemTime::from(OffsetDateTime::parse(value, &Rfc2822).ok()?);
            at.duration_since(now).unwrap_or(Duration::ZERO)
        }
    };
    (wait <= WAIT_MAX).then_some(wait)
}

/// Phrases of such an error, besides those of one that is too long. Both phrases of a pair occur in one text. They come
/// from llama.cpp, llama-cpp-python, LM Studio, vLLM and Text Generation Inference, and from the templates of Gemma,
/// Llama, Mistral and Qwen. llama.cpp sends many of them with status 500.
const PHRASES: &[(&str, &str)] = &[
    ("roles", "alternate"),
    ("role", "not support"),
    ("unexpected role", ""),
    ("unknown role", ""),
    ("invalid role", ""),
    ("only user", "assistant roles"),
    ("system message", "must"),
    ("system message", "not support"),
    ("system message", "beginning"),
    ("system prompt", "not support"),
    ("last message", "must"),
    ("no user query", "message"),
    ("jinja exception", ""),
    ("template error", ""),
    ("template", "exception"),
    ("template", "render"),
    ("template", "apply"),
    ("while executing", "in source"),
];

/// Returns whether a server's error is about the conversation that it was sent.
pub(crate) fn is_about_conversation(error: &str) -> bool {
    let error = error.to_lowercase().replace('_', " ");
    has_any(&error, PHRASES) || has_any(&error, TOO_LONG)
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    const FAR: Duration = Duration::from_secs(60);
    const QUICK: RetryPolicy = RetryPolicy {
        n_retries: 2,
        first_wait: Duration::from_millis(1),
        n_failures: 5,
        rest: Duration::from_secs(30),
    };

    fn failed(failure: ModelFailure, status: Option<u16>) -> Failed {
        Failed { status, ..Failed::without_response(failure, None) }
    }

    /// The number of tries, and the outcome, if the server fails so many times.
    async fn asked(n_failures: usize, failure: &ModelFailure, status: Option<u16>, within: Duration) -> (usize, bool) {
        let mut n_asked = 0;
        let limits = Limits { deadline: Instant::now() + within, wait_max: FAR };
        let outcome = with_retries("llama", QUICK, limits, || {
            n_asked += 1;
            let is_answered = n_failures < n_asked;
            async move { if is_answered { Ok(()) } else { Err(failed(failure.clone(), status)) } }
        })
        .await;
        (n_asked, outcome.is_ok())
    }

    #[tokio::test]
    async fn what_may_pass_is_asked_again_twice_at_most() {
        let passing = [
            (ModelFailure::Unreachable, None),
            (ModelFailure::RateLimited(None), Some(429)),
            (ModelFailure::ServerError(500), Some(500)),
            (ModelFailure::ServerError(502), Some(502)),
            (ModelFailure::Overloaded(None), Some(503)),
            (ModelFailure::ServerError(504), Some(504)),
            (ModelFailure::Overloaded(None), Some(529)),
        ];
        for (failure, status) in passing {
            for (n_failures, expected) in [(0, (1, true)), (1, (2, true)), (2, (3, true)), (3, (3, false))] {
                let asked = asked(n_failures, &failure, status, FAR).await;
                assert_eq!(asked, expected, "{failure:?} {n_failures}");
            }
            assert_eq!(asked(1, &failure, status, Duration::ZERO).await, (1, false), "{failure:?} without time");
        }
    }

    #[tokio::test]
    async fn what_would_only_repeat_itself_is_asked_once() {
        let lasting = [
            (ModelFailure::Busy, None),
            (ModelFailure::TimedOut(FAR), None),
            (ModelFailure::TimedOut(FAR), Some(200)),
            (ModelFailure::Interrupted, Some(200)),
            (ModelFailure::Refused(400), Some(400)),
            (ModelFailure::ToolsUnsupported, Some(500)),
            (ModelFailure::ContextTooLong, Some(500)),
            (ModelFailure::ServerError(501), Some(501)),
            // An error inside of an answer is an answer that was read.
            (ModelFailure::RateLimited(None), Some(200)),
            (ModelFailure::Empty, Some(200)),
        ];
        for (failure, status) in lasting {
            assert_eq!(asked(1, &failure, status, FAR).await, (1, false), "{failure:?}");
        }
    }

    #[tokio::test]
    async fn what_a_server_says_about_the_conversation_is_no_fault_of_the_server() {
        let about = "Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...";
        let failures = [
            (ModelFailure::ServerError(500), 500, ServerHealth::Unknown),
            (ModelFailure::ServerError(502), 502, ServerHealth::Down),
            (ModelFailure::Overloaded(None), 503, ServerHealth::Down),
        ];
        for (failure, status, otherwise) in failures {
            for (detail, health, n_expected) in [(about, ServerHealth::Up, 1), ("out of memory", otherwise, 3)] {
                let of = || Failed::without_response(failure.clone(), Some(detail.to_owned()));
                assert_eq!(of().health, health, "{failure:?} {detail}");
                let mut n_asked = 0;
                let limits = Limits { deadline: Instant::now() + FAR, wait_max: FAR };
                let ended = with_retries("llama", QUICK, limits, || {
                    n_asked += 1;
                    std::future::ready(Err::<(), _>(Failed { status: Some(status), ..of() }))
                });
                assert_eq!(ended.await.map_err(|failed| failed.failure), Err(failure.clone()));
                assert_eq!(n_asked, n_expected, "{failure:?} {detail}");
            }
        }
        // What broke on the way has no words of a server.
        let lost = Failed::without_response(ModelFailure::Unreachable, Some(about.to_owned()));
        assert_eq!(lost.health, ServerHealth::Down);
    }

    #[test]
    fn a_server_s_own_wait_is_the_least_and_no_wait_outlasts_the_question() {
        let seconds = Duration::from_secs;
        let cases = [
            (None, 1, 30, Some(1)),
            (Some(0), 1, 30, Some(1)),
            (Some(20), 1, 30, Some(20)),
            (Some(20), 25, 30, Some(25)),
            (Some(30), 1, 30, None),
            (Some(3_600), 1, 30, None),
            (None, 1, 1, None),
            (None, 1, 0, None),
        ];
        for (asked_for, planned, left, expected) in cases {
            let failed = Failed { wait: asked_for.map(seconds), ..failed(ModelFailure::RateLimited(None), Some(429)) };
            let wait = wait(&failed, seconds(planned), seconds(left));
            assert_eq!(wait, expected.map(seconds), "{asked_for:?} {planned} {left}");
        }
    }

    #[test]
    fn both_forms_are_read_and_nonsense_is_not() {
        // 1994-11-06 08:49:37 UTC, the date that RFC 9110 uses for its examples.
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let cases = [
            ("20", seconds(20)),
            (" 0 ", seconds(0)),
            ("Sun, 06 Nov 1994 08:51:07 GMT", seconds(90)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", seconds(0)),
            ("Sun, 06 Nov 1994 07:00:00 GMT", seconds(0)),
            ("Fri, 31 Dec 1999 23:59:59 GMT", None),
            ("18446744073709551615", None),
            ("99999999999999999999999", None),
            ("-5", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ];
        for (value, expected) in cases {
            assert_eq!(parse_wait(value, now), expected, "{value:?}");
        }
    }

    #[test]
    fn what_templates_and_servers_say_of_a_conversation_is_recognized() {
        let errors = [
            "Conversation roles must alternate user/assistant/user/assistant/... at row 4, column 31",
            "After the optional system message, conversation roles must alternate user and assistant roles",
            "System role not supported",
            "Only user and assistant roles are supported, with the exception of an initial system message",
            "System message must be at the beginning.",
            "------------ While executing CallExpression at line 3, column 32 in source: ...",
            "Jinja Exception: No user query found in messages.",
            "Error rendering prompt with jinja template: \"Cannot put tools in the first user message\"",
            "Template error: template error: syntax error: roles",
            "Unexpected role: tool",
            "Expected last role User or Tool: the last message must be one",
            "Context size has been exceeded.",
            "code: context_length_exceeded",
            "prompt is too long: 9 tokens > 8 maximum",
        ];
        for error in errors {
            assert!(is_about_conversation(error), "{error}");
        }
    }

    #[test]
    fn what_ails_the_server_itself_is_not() {
        let errors = [
            "",
            "Internal Server Error",
            "out of memory",
            "cannot load a model with a context length of 131072: out of memory",
            "upstream request timeout: context deadline exceeded",
            "failed to decode the batch: KV cache is full",
            "tools param requires --jinja flag",
            "Loading model",
            "user is not allowed to use this model",
            "AWS: the role `invoker` is invalid",
        ];
        for error in errors {
            assert!(!is_about_conversation(error), "{error}");
        }
    }
}
