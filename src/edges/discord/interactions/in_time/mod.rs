//! An interaction's answer, in time whatever its work does.
//!
//! Discord waits 3 s for a first word and takes answers for 15 minutes. Work that takes longer than the first is
//! deferred; work that takes nearly as long as the second is told of, and its answer kept for `/receipt`. The work
//! itself is never given up here: the executor ends what runs too long.

#[cfg(test)]
mod tests;

use std::time::Duration;

use serenity::async_trait;
use tokio::time::{Instant, sleep_until};
use tracing::info;

use crate::edges::discord::interactions::deliver::Delivery;
use crate::edges::discord::rest::SendError;
use crate::host::dispatch::Dispatcher;
use candor_core::language::{Language, say};
use candor_core::record::{Counters, Timing};
use candor_core::reply::{Answer, Audience};

/// Half of the 3 s are for the request itself. See Discord's documentation on responding to an interaction.
const DEFER_AFTER: Duration = Duration::from_millis(1_500);

/// A token lives 15 minutes; nothing is sent in the last seconds, which a request may take.
const TOKEN_LIVES: Duration = Duration::from_secs(15 * 60 - 10);

/// What is said of an answer that takes its time.
pub(crate) struct ResponseDeadline {
    /// When Discord made the interaction: then its time began.
    pub(crate) began: Instant,
    /// Who may see the answer. It cannot change once the answer is deferred.
    pub(crate) audience: Audience,
    /// What the person is told in.
    pub(crate) language: Language,
    /// After so long the person is told that the work still runs.
    pub(crate) tell_after: Duration,
}

/// The way back to the person, as far as time matters to it.
#[async_trait]
pub(crate) trait Responder: Send + Sync {
    /// Sends the first answer.
    async fn answer(&self, answer: &Answer) -> Result<(), SendError>;
    /// Says that the answer will come.
    async fn defer(&self, audience: Audience) -> Result<(), SendError>;
    /// Puts an answer in the place of what was said before.
    async fn answer_deferred(&self, answer: &Answer) -> Result<(), SendError>;
    /// Sends an answer though it is not known whether the deferral arrived.
    async fn answer_undeferred(&self, answer: &Answer) -> Result<(), SendError>;
}

/// Where answers are kept that could not be shown.
#[async_trait]
pub(crate) trait AnswerArchive: Send + Sync {
    /// Keeps it for `/receipt`. Says whether it is kept.
    async fn keep(&self, answer: &Answer) -> bool;
}

/// Does the work and delivers its answer. Gives the answer back; where there is none, another process gives it.
pub(crate) async fn in_time(
    way: &dyn Responder,
    keep: &dyn AnswerArchive,
    counters: &Counters,
    due: &ResponseDeadline,
    work: impl Future<Output = Option<Answer>>,
) -> Option<Answer> {
    let mut work = std::pin::pin!(work);
    let at_once = tokio::select! {
        biased;
        answer = &mut work => Some(answer),
        () = sleep_until(due.began + DEFER_AFTER) => None,
    };
    if let Some(answer) = at_once {
        if let Some(answer) = &answer {
            let shown = match way.answer(answer).await {
                // Another process said that there will be an answer. This one has it.
                Err(SendError::Answered) => way.answer_deferred(answer).await,
                shown => shown,
            };
            if shown.is_err() {
                kept(keep, counters, answer).await;
            }
        }
        return answer;
    }
    counters.timed(Timing::Deferred);
    let deferred = way.defer(due.audience).await;
    let soon = tokio::select! {
        biased;
        answer = &mut work => Some(answer),
        () = sleep_until(due.began + due.tell_after) => None,
    };
    // What began is carried to its end, also where nobody is left to see it.
    let (answer, is_told) = match soon {
        Some(answer) => (answer?, false),
        None => {
            counters.timed(Timing::ToldStillRunning);
            if deferred.is_ok() {
                // If it fails, the waiting note stands, and the answer is kept all the same.
                let _told = way.answer_deferred(&Answer::host(say!(due.language, "still-running"))).await;
            }
            (work.await?, true)
        }
    };
    let is_over = due.began + TOKEN_LIVES <= Instant::now();
    let shown = match deferred {
        _ if is_over => Err(SendError::Over),
        // Whoever has the answer has the claim: another process that said the same word has none to give.
        Ok(()) | Err(SendError::Answered) => way.answer_deferred(&answer).await,
        Err(SendError::Over) => Err(SendError::Over),
        Err(SendError::Refused | SendError::Lost) => way.answer_undeferred(&answer).await,
    };
    // Who was told to look there must find it there.
    if is_told || shown.is_err() {
        kept(keep, counters, &answer).await;
    }
    Some(answer)
}

async fn kept(keep: &dyn AnswerArchive, counters: &Counters, answer: &Answer) {
    if keep.keep(answer).await {
        counters.timed(Timing::AnswerKept);
        info!("an answer that could not be shown in time is kept for /receipt");
    }
}

#[async_trait]
impl Responder for Delivery<'_> {
    async fn answer(&self, answer: &Answer) -> Result<(), SendError> {
        self.first(answer).await
    }

    async fn defer(&self, audience: Audience) -> Result<(), SendError> {
        Delivery::defer(self, audience).await
    }

    async fn answer_deferred(&self, answer: &Answer) -> Result<(), SendError> {
        Delivery::answer_deferred(self, answer).await
    }

    async fn answer_undeferred(&self, answer: &Answer) -> Result<(), SendError> {
        Delivery::answer_undeferred(self, answer).await
    }
}

#[async_trait]
impl AnswerArchive for Dispatcher {
    async fn keep(&self, answer: &Answer) -> bool {
        Dispatcher::keep(self, answer).await
    }
}
