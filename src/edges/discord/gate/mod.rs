//! Admission of events: rejects what arrives too late, during shutdown, or beyond the concurrency limit.

mod age;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::edges::discord::convert;
use age::Ages;
use candor_core::language::{Language, say};

/// Discord's deadline for the first response to an interaction. See its documentation on responding.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(3);

/// The most interactions handled at once, and the most messages: slow chats take no slots from commands.
pub(crate) const AT_ONCE_MAX: usize = 64;

/// Admits or rejects each event before any work is done for it.
pub(crate) struct Gate {
    shutdown: CancellationToken,
    /// Wall clock and steady clock at one moment. Times are counted from here, so that setting the
    /// wall clock while the bot runs makes no event older.
    began: (SystemTime, Instant),
    ages: Mutex<Ages>,
    interactions: Semaphore,
    messages: Semaphore,
}

/// Why an event is not processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GateClosed {
    /// The bot is shutting down.
    Restarting,
    /// No slot is free.
    Busy,
}

impl GateClosed {
    /// The text for a person. `what` says what did not happen, in the same language.
    pub(crate) fn text(self, what: &str, language: Language) -> String {
        match self {
            Self::Restarting => say!(language, "closed-restarting", what = what),
            Self::Busy => say!(language, "closed-busy", what = what),
        }
    }
}

impl Gate {
    /// A gate that closes when `shutdown` is cancelled.
    pub(crate) fn new(shutdown: CancellationToken) -> Self {
        Self {
            shutdown,
            began: (SystemTime::now(), Instant::now()),
            ages: Mutex::default(),
            interactions: Semaphore::new(AT_ONCE_MAX),
            messages: Semaphore::new(AT_ONCE_MAX),
        }
    }

    /// The age of the event with this id. To be called once for each event as it arrives.
    pub(crate) fn age(&self, id: u64) -> Duration {
        let (wall, steady) = self.began;
        let now = wall + steady.elapsed();
        self.ages.lock().unwrap_or_else(PoisonError::into_inner).age(convert::sent(id), now)
    }

    /// The age of an event whose age was asked for before, whatever our clock says.
    pub(crate) fn since(&self, sent: SystemTime) -> Duration {
        let (wall, steady) = self.began;
        let now = wall + steady.elapsed();
        self.ages.lock().unwrap_or_else(PoisonError::into_inner).since(sent, now)
    }

    /// Whether the bot is shutting down.
    pub(crate) fn is_closing(&self) -> bool {
        self.shutdown.is_cancelled()
    }

    /// Waits until the bot shuts down.
    pub(crate) async fn closing(&self) {
        self.shutdown.cancelled().await;
    }

    /// A slot for an interaction, held until it is answered.
    pub(crate) fn interaction(&self) -> Result<SemaphorePermit<'_>, GateClosed> {
        self.room(&self.interactions)
    }

    /// A slot for a message, held until it is answered.
    pub(crate) fn message(&self) -> Result<SemaphorePermit<'_>, GateClosed> {
        self.room(&self.messages)
    }

    fn room<'a>(&self, rooms: &'a Semaphore) -> Result<SemaphorePermit<'a>, GateClosed> {
        if self.is_closing() {
            return Err(GateClosed::Restarting);
        }
        rooms.try_acquire().map_err(|_| GateClosed::Busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_starts_once_the_bot_leaves() {
        let shutdown = CancellationToken::new();
        let gate = Gate::new(shutdown.clone());
        assert!(gate.interaction().is_ok() && gate.message().is_ok());
        shutdown.cancel();
        assert_eq!(gate.interaction().err(), Some(GateClosed::Restarting));
        assert_eq!(gate.message().err(), Some(GateClosed::Restarting));
        let expected = say!(Language::ENGLISH, "closed-restarting", what = "nothing ran");
        assert_eq!(GateClosed::Restarting.text("nothing ran", Language::ENGLISH), expected);
    }

    #[test]
    fn a_full_house_of_chats_leaves_room_for_commands_and_room_comes_back() {
        let gate = Gate::new(CancellationToken::new());
        let mut held: Vec<_> = (0..AT_ONCE_MAX).map(|_| gate.message().unwrap()).collect();
        assert_eq!(gate.message().err(), Some(GateClosed::Busy));
        assert!(gate.interaction().is_ok());
        held.pop();
        assert!(gate.message().is_ok());
    }
}
