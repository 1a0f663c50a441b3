//! Retries of requests to Discord, and the meaning of a failed one.
//!
//! A pause that Discord asks for is always kept and does not count as a failure: a limited request was not carried out,
//! and is sent again after it. Other transient failures are retried with growing waits.
//!
//! Requests are boxed where they are sent: the future of one has some 4 KiB, and every awaiting future would be as
//! large, in each of its states.

use std::future::Future;
use std::time::Duration;

use serenity::all::{ChannelId, EditMessage, MessageId};
use tokio::time::{Instant, sleep};
use tracing::warn;

use crate::rest::{RequestError, Rest};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SendError {
    /// The interaction is unknown, too late, or its token expired.
    Over,
    Answered,
    Refused,
    /// Anything else; a transient error was retried.
    Lost,
}

impl SendError {
    /// Classifies a failed request.
    pub(crate) fn of(problem: &RequestError) -> Self {
        match problem.status() {
            _ if problem.is_answered() => Self::Answered,
            _ if problem.is_dead() => Self::Over,
            Some(400) => Self::Refused,
            _ => Self::Lost,
        }
    }
}

impl RequestError {
    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            Self::Answer { status, .. } => Some(*status),
            Self::Limited(_) => Some(429),
            Self::Unauthorized => Some(401),
            _ => None,
        }
    }

    /// Returns whether the same request may succeed a moment later.
    pub(crate) fn passes(&self) -> bool {
        match self {
            Self::Answer { status, .. } => 500 <= *status,
            Self::Limited(_) | Self::Unreached(_) | Self::Unanswered(_) => true,
            Self::Closed { .. } | Self::Spared | Self::Unauthorized | Self::Unbuilt => false,
        }
    }

    /// Returns whether the request may have been carried out: its answer is lost, or inconclusive.
    pub(crate) fn may_have_arrived(&self) -> bool {
        match self {
            Self::Answer { status, .. } => 500 <= *status,
            Self::Unanswered(_) => true,
            Self::Limited(_)
            | Self::Closed { .. }
            | Self::Spared
            | Self::Unauthorized
            | Self::Unreached(_)
            | Self::Unbuilt => false,
        }
    }

    pub(crate) fn is_answered(&self) -> bool {
        matches!(self, Self::Answer { code: 40_060, .. })
    }

    /// Returns whether we can no longer respond to an interaction: unknown or too late (10062), answered already
    /// (40060), its token expired (10015, 50027). A second response would fail as well.
    pub(crate) fn is_dead(&self) -> bool {
        matches!(self, Self::Answer { code: 10_062 | 40_060 | 10_015 | 50_027, .. })
    }
}

/// How often a failed request is retried, and until when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryLimit {
    /// The maximum of failures before giving up. Pauses that Discord asks for do not count.
    failures: u32,
    until: Instant,
}

/// The first wait after a failure; it doubles with each further one.
const WAIT_FIRST: Duration = Duration::from_millis(500);
const WAIT_MAX: Duration = Duration::from_secs(30);
/// The maximum wait of a request for the pauses that Discord asks for.
const PAUSES_MAX: Duration = Duration::from_secs(120);

impl RetryLimit {
    /// Retries as often as there is time.
    pub(crate) fn until(until: Instant) -> Self {
        Self { failures: u32::MAX, until }
    }

    fn failures(failures: u32) -> Self {
        Self { failures, until: Instant::now() + PAUSES_MAX }
    }

    /// Sends until it succeeds, fails permanently, or the limit is reached. `is_repeated` says after which failures the
    /// request may be sent again.
    async fn send<T, F>(self, is_repeated: fn(&RequestError) -> bool, send: impl Fn() -> F) -> Result<T, RequestError>
    where
        F: Future<Output = Result<T, RequestError>>,
    {
        let mut failures = 0;
        loop {
            let problem = match Box::pin(send()).await {
                Err(problem) if is_repeated(&problem) => problem,
                sent => return sent,
            };
            let wait = match problem {
                RequestError::Limited(wait) => wait,
                _ if failures == self.failures => return Err(problem),
                _ => {
                    failures += 1;
                    WAIT_FIRST.saturating_mul(1 << (failures - 1).min(10)).min(WAIT_MAX)
                }
            };
            if self.until < Instant::now() + wait {
                return Err(problem);
            }
            sleep(wait).await;
        }
    }
}

/// Sends, and retries transient failures up to this limit. Only for requests that may arrive twice.
pub(crate) async fn repeated<T, F>(patience: RetryLimit, send: impl Fn() -> F) -> Result<T, RequestError>
where
    F: Future<Output = Result<T, RequestError>>,
{
    patience.send(RequestError::passes, send).await
}

/// Sends, and retries only if the request was not carried out.
pub(crate) async fn once<T, F>(send: impl Fn() -> F) -> Result<T, RequestError>
where
    F: Future<Output = Result<T, RequestError>>,
{
    RetryLimit::failures(0).send(|problem| matches!(problem, RequestError::Limited(_)), send).await
}

/// Sends, and retries once after a transient error. Only for requests that may arrive twice.
pub(crate) async fn twice<T, F>(send: impl Fn() -> F) -> Result<T, RequestError>
where
    F: Future<Output = Result<T, RequestError>>,
{
    repeated(RetryLimit::failures(1), send).await
}

/// Sends, and retries after a transient error, at most four tries in all. Only for requests that may arrive twice, if a
/// failure would leave a wrong message on screen.
pub(crate) async fn with_retries<T, F>(send: impl Fn() -> F) -> Result<T, RequestError>
where
    F: Future<Output = Result<T, RequestError>>,
{
    repeated(RetryLimit::failures(3), send).await
}

pub(crate) async fn change(
    rest: &Rest,
    channel: ChannelId,
    message: MessageId,
    body: &EditMessage,
) -> Result<(), SendError> {
    let edited = twice(|| rest.edit(channel, message, body, Vec::new())).await;
    edited.map_err(|problem| {
        warn!(channel.id = %channel.get(), error = %problem, "could not change a message");
        SendError::of(&problem)
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::VecDeque;

    use super::*;

    fn status(status: u16) -> RequestError {
        RequestError::Answer { status, code: 0, message: String::new() }
    }

    /// Plays these failures, then a success. Returns whether it came to that, how many requests were sent, and how long
    /// it took, in milliseconds.
    async fn played(patience: RetryLimit, failures: &[RequestError]) -> (bool, usize, u128) {
        let began = Instant::now();
        let left = RefCell::new(VecDeque::from(failures.to_vec()));
        let sent = RefCell::new(0);
        let send = || {
            *sent.borrow_mut() += 1;
            let failure = left.borrow_mut().pop_front();
            async move { failure.map_or(Ok(()), Err) }
        };
        let ended = repeated(patience, send).await;
        (ended.is_ok(), *sent.borrow(), began.elapsed().as_millis())
    }

    #[tokio::test(start_paused = true)]
    async fn held_03_a_pause_is_kept_and_failures_are_repeated_while_there_is_time() {
        let limited = |s| RequestError::Limited(Duration::from_secs(s));
        let until = |s| RetryLimit::until(Instant::now() + Duration::from_secs(s));
        assert_eq!(played(until(890), &[limited(5), limited(20)]).await, (true, 3, 25_000));
        assert_eq!(played(until(890), &[status(500), status(500), status(502)]).await, (true, 4, 3_500));
        assert_eq!(played(until(3), &[limited(5)]).await, (false, 1, 0));
        assert_eq!(played(until(890), &[status(403)]).await, (false, 1, 0));
        // A pause is no failure.
        assert_eq!(played(RetryLimit::failures(1), &[limited(5), status(500), limited(1)]).await, (true, 4, 6_500));
        assert_eq!(played(RetryLimit::failures(1), &[status(500), status(500)]).await, (false, 2, 500));
    }
}
