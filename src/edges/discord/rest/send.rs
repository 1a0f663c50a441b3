//! Sends requests to Discord: which are retried, and what a failed one means.
//!
//! Requests are boxed where they are sent: the future of one has some 4 KiB, and whatever awaits it would have to be as
//! large, in each of its states.

use std::future::Future;
use std::time::Duration;

use serenity::all::{ChannelId, EditMessage, Http, MessageId};
use serenity::http::HttpError;
use tokio::time::sleep;
use tracing::warn;

use crate::edges::discord::rest::{describe, is_dead, status};

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SendError {
    /// The interaction is unknown, too late, or its token expired.
    Over,
    /// The interaction is answered already.
    Answered,
    /// Discord rejects this body.
    Refused,
    /// Anything else; a transient error was retried once.
    Lost,
}

impl SendError {
    /// What a failed request means.
    pub(crate) fn of(problem: &serenity::Error) -> Self {
        match status(problem) {
            _ if is_answered(problem) => Self::Answered,
            _ if is_dead(problem) => Self::Over,
            Some(400) => Self::Refused,
            _ => Self::Lost,
        }
    }
}

/// Sends, and sends once more after a transient error. Only for requests that may arrive twice.
pub(crate) async fn twice<T, F>(send: impl Fn() -> F) -> Result<T, serenity::Error>
where
    F: Future<Output = Result<T, serenity::Error>>,
{
    match Box::pin(send()).await {
        Err(problem) if passes(&problem) => Box::pin(send()).await,
        sent => sent,
    }
}

/// The waits between the tries of a request that should not fail in vain.
const WAITS: [Duration; 3] = [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];

/// Sends, and sends again after a transient error, at most four times in all. Only for requests that may arrive twice, and
/// where something wrong would be left to stand.
pub(crate) async fn patiently<T, F>(send: impl Fn() -> F) -> Result<T, serenity::Error>
where
    F: Future<Output = Result<T, serenity::Error>>,
{
    for wait in WAITS {
        match Box::pin(send()).await {
            Err(problem) if passes(&problem) => sleep(wait).await,
            sent => return sent,
        }
    }
    Box::pin(send()).await
}

/// Edits a message of ours.
pub(crate) async fn change(
    http: &Http,
    channel: ChannelId,
    message: MessageId,
    body: &EditMessage,
) -> Result<(), SendError> {
    let edited = twice(|| http.edit_message(channel, message, body, Vec::new())).await;
    edited.map(drop).map_err(|problem| {
        warn!(channel.id = channel.get(), error = describe(&problem), "could not change a message");
        SendError::of(&problem)
    })
}

/// Whether the same request may succeed a moment later.
pub(crate) fn passes(problem: &serenity::Error) -> bool {
    match status(problem) {
        Some(status) => status == 429 || 500 <= status,
        None => matches!(problem, serenity::Error::Http(HttpError::Request(_))),
    }
}

/// Whether a request that failed may have been carried out: its answer is lost, or says nothing of it.
pub(crate) fn may_have_arrived(problem: &serenity::Error) -> bool {
    status(problem).is_none_or(|status| 500 <= status)
}

/// Whether the interaction has its response already.
pub(crate) fn is_answered(problem: &serenity::Error) -> bool {
    const ALREADY_ACKNOWLEDGED: isize = 40_060;
    match problem {
        serenity::Error::Http(HttpError::UnsuccessfulRequest(response)) => response.error.code == ALREADY_ACKNOWLEDGED,
        _ => false,
    }
}
