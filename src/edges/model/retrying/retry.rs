//! Retries: only where the server did not accept the request, and only while there is time.

use std::future::Future;
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable as _};
use tokio::time::Instant;
use tracing::warn;

use crate::edges::model::retrying::breaker::ServerHealth;
use crate::edges::model::retrying::conversation::is_about_conversation;
use crate::edges::model::retrying::retry_policy::RetryPolicy;
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

#[cfg(test)]
mod tests {
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
}
