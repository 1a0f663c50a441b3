//! Answers an interaction within Discord's deadlines, however long its work takes.
//!
//! Discord waits 3 s for the first response and accepts answers for 15 minutes. Work that misses the first deadline is
//! deferred. When work nears the second, the person gets a note that it still runs, and its answer is stored for
//! `/receipt`. The work is never cancelled here: the executor has its own deadline.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serenity::async_trait;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::rest::SendError;
use candor_core::language::{Language, say};
use candor_core::record::{Counters, Timing};
use candor_core::reply::{Answer, Audience};

/// Half of the 3 s remain for the request itself. See Discord's documentation on responding to an interaction.
const DEFER_AFTER: Duration = Duration::from_millis(1_500);

/// When the deferral is recorded: early, so that a slow store has time for it.
const WRITE_DOWN_AFTER: Duration = Duration::from_millis(1_000);

/// How long a deferral waits for an even slower store: it must not use up the rest of the 3 s. If this process ends
/// before the deferral is recorded, only a replay of the interaction shows it to the next one.
const WRITTEN_DOWN_WITHIN: Duration = Duration::from_millis(500);

/// A token lives 15 minutes; nothing is sent in its last 10 seconds, which a request may take.
const TOKEN_LIVES: Duration = Duration::from_secs(15 * 60 - 10);

pub(crate) struct ResponseDeadline {
    /// When Discord created the interaction: its deadlines count from here.
    pub(crate) began: Instant,
    /// Who may see the answer. It cannot change once the answer is deferred.
    pub(crate) audience: Audience,
    pub(crate) language: Language,
    /// After this time the person gets a note that the work still runs.
    pub(crate) tell_after: Duration,
}

/// Sends the responses to an interaction.
#[async_trait]
pub(crate) trait Responder: Send + Sync {
    async fn answer(&self, answer: &Answer) -> Result<(), SendError>;
    /// Records that the answer will be deferred, so that the person hears how the work ended even if this process ends
    /// first. May be slow: the work runs meanwhile. Returns false if the answer is not to be deferred: this work has
    /// none, or has it at once.
    async fn write_down(&self) -> bool;
    async fn defer(&self, audience: Audience) -> Result<(), SendError>;
    /// Sends an answer in place of the last response.
    async fn answer_deferred(&self, answer: &Answer) -> Result<(), SendError>;
}

#[derive(Debug, PartialEq)]
pub(crate) struct Sent {
    pub(crate) answer: Answer,
    /// Whether the person saw it and was not referred to `/receipt`.
    pub(crate) is_shown: bool,
}

/// Does the work and delivers its answer. Returns the answer, or `None` if another process gives it.
///
/// An interaction counts as late if half of its time is over on arrival. It is deferred even if the work ends while the
/// deferral is recorded, because the shortest request goes first. If the work ended before, nothing is recorded and the
/// answer is sent as it is: after a crash, no process would finish an unrecorded deferral.
pub(crate) async fn in_time(
    responder: &dyn Responder,
    counters: &Counters,
    due: &ResponseDeadline,
    work: impl Future<Output = Option<Answer>>,
) -> Option<Sent> {
    let mut work = std::pin::pin!(work);
    let is_late = due.began + DEFER_AFTER <= Instant::now();
    let is_begun = AtomicBool::new(false);
    let deferring = async {
        sleep_until(due.began + WRITE_DOWN_AFTER).await;
        is_begun.store(true, Ordering::Relaxed);
        let until = Instant::now().max(due.began + DEFER_AFTER) + WRITTEN_DOWN_WITHIN;
        // After the timeout, the store still finishes the record.
        let defers = timeout_at(until, responder.write_down()).await.unwrap_or(true);
        sleep_until(due.began + DEFER_AFTER).await;
        defers
    };
    // The work continues meanwhile. If it ends, the answer is not deferred, except for a late interaction.
    let (ended, defers) = tokio::select! {
        biased;
        answer = &mut work => (Some(answer?), is_late && is_begun.load(Ordering::Relaxed)),
        defers = deferring => (None, defers),
    };
    if !defers {
        let answer = match ended {
            Some(answer) => answer,
            None => work.await?,
        };
        let shown = first_or_deferred(responder, &answer).await;
        return Some(Sent { answer, is_shown: shown.is_ok() });
    }
    counters.timings.count(Timing::Deferred);
    let deferred = responder.defer(due.audience).await;
    let soon = match ended {
        Some(answer) => Some(answer),
        None => tokio::select! {
            biased;
            answer = &mut work => Some(answer?),
            () = sleep_until(due.began + due.tell_after) => None,
        },
    };
    // Work that began is finished, even if its answer can no longer be shown.
    let (answer, is_told) = match soon {
        Some(answer) => (answer, false),
        None => {
            counters.timings.count(Timing::ToldStillRunning);
            if deferred.is_ok() {
                // If it fails, the waiting note stays, and the answer is stored anyway.
                let _told = responder.answer_deferred(&Answer::host(say!(due.language, "still-running"))).await;
            }
            (work.await?, true)
        }
    };
    let is_over = due.began + TOKEN_LIVES <= Instant::now();
    let shown = match deferred {
        _ if is_over => Err(SendError::Over),
        // The process with the answer holds the claim: another process that deferred it too has no answer.
        Ok(()) | Err(SendError::Answered) => responder.answer_deferred(&answer).await,
        Err(SendError::Over) => Err(SendError::Over),
        Err(SendError::Refused | SendError::Lost) => first_or_deferred(responder, &answer).await,
    };
    // A person who was referred to `/receipt` must find the answer there.
    Some(Sent { answer, is_shown: !is_told && shown.is_ok() })
}

/// Sends the first answer. If this or another process deferred the interaction, edits that response instead.
async fn first_or_deferred(responder: &dyn Responder, answer: &Answer) -> Result<(), SendError> {
    match responder.answer(answer).await {
        Err(SendError::Answered) => responder.answer_deferred(answer).await,
        sent => sent,
    }
}
