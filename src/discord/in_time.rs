//! An interaction's answer, in time whatever its work does.
//!
//! Discord waits 3 s for a first word and takes answers for 15 minutes. Work that takes longer than the first is
//! deferred; work that takes nearly as long as the second is told of, and its answer kept for `/receipt`. The work
//! itself is never given up here: the executor ends what runs too long.

use std::time::Duration;

use serenity::async_trait;
use tokio::time::{Instant, sleep_until};
use tracing::info;

use crate::counters::{Counters, Timing};
use crate::discord::deliver::{Delivery, Trouble};
use crate::dispatch::Dispatcher;
use crate::language::{Language, say};
use crate::reply::{Answer, Audience};

/// Half of the 3 s are for the request itself. See Discord's documentation on responding to an interaction.
const DEFER_AFTER: Duration = Duration::from_millis(1_500);

/// A token lives 15 minutes; nothing is sent in the last seconds, which a request may take.
const TOKEN_LIVES: Duration = Duration::from_secs(15 * 60 - 10);

/// What is said of an answer that takes its time.
pub(super) struct Due {
    /// When Discord made the interaction: then its time began.
    pub(super) began: Instant,
    /// Who may see the answer. It cannot change once the answer is deferred.
    pub(super) audience: Audience,
    /// What the person is told in.
    pub(super) language: Language,
    /// After so long the person is told that the work still runs.
    pub(super) tell_after: Duration,
}

/// The way back to the person, as far as time matters to it.
#[async_trait]
pub(super) trait Way: Send + Sync {
    /// Sends the first answer.
    async fn answer(&self, answer: &Answer) -> Result<(), Trouble>;
    /// Says that the answer will come.
    async fn defer(&self, audience: Audience) -> Result<(), Trouble>;
    /// Puts an answer in the place of what was said before.
    async fn answer_deferred(&self, answer: &Answer) -> Result<(), Trouble>;
    /// Sends an answer though it is not known whether the deferral arrived.
    async fn answer_undeferred(&self, answer: &Answer) -> Result<(), Trouble>;
}

/// Where answers are kept that could not be shown.
#[async_trait]
pub(super) trait Keep: Send + Sync {
    /// Keeps it for `/receipt`. Says whether it is kept.
    async fn keep(&self, answer: &Answer) -> bool;
}

/// Does the work and delivers its answer. Gives the answer back; where there is none, another process gives it.
pub(super) async fn in_time(
    way: &dyn Way,
    keep: &dyn Keep,
    counters: &Counters,
    due: &Due,
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
                Err(Trouble::Answered) => way.answer_deferred(answer).await,
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
        _ if is_over => Err(Trouble::Over),
        // Whoever has the answer has the claim: another process that said the same word has none to give.
        Ok(()) | Err(Trouble::Answered) => way.answer_deferred(&answer).await,
        Err(Trouble::Over) => Err(Trouble::Over),
        Err(Trouble::Refused | Trouble::Lost) => way.answer_undeferred(&answer).await,
    };
    // Who was told to look there must find it there.
    if is_told || shown.is_err() {
        kept(keep, counters, &answer).await;
    }
    Some(answer)
}

async fn kept(keep: &dyn Keep, counters: &Counters, answer: &Answer) {
    if keep.keep(answer).await {
        counters.timed(Timing::AnswerKept);
        info!("an answer that could not be shown in time is kept for /receipt");
    }
}

#[async_trait]
impl Way for Delivery<'_> {
    async fn answer(&self, answer: &Answer) -> Result<(), Trouble> {
        self.first(answer).await
    }

    async fn defer(&self, audience: Audience) -> Result<(), Trouble> {
        Delivery::defer(self, audience).await
    }

    async fn answer_deferred(&self, answer: &Answer) -> Result<(), Trouble> {
        Delivery::answer_deferred(self, answer).await
    }

    async fn answer_undeferred(&self, answer: &Answer) -> Result<(), Trouble> {
        Delivery::answer_undeferred(self, answer).await
    }
}

#[async_trait]
impl Keep for Dispatcher {
    async fn keep(&self, answer: &Answer) -> bool {
        Dispatcher::keep(self, answer).await
    }
}

#[cfg(test)]
mod tests;
