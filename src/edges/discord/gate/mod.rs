//! What may still start: nothing that comes too late, nothing while the bot leaves, nothing beyond its room.

mod age;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use age::Ages;

use crate::edges::discord::convert;
use candor_core::language::{Language, say};

/// Discord waits this long for the first answer to an interaction. See its documentation on responding.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(3);

/// So many interactions are worked on at once, and as many messages: slow chats take no room from commands.
pub(crate) const AT_ONCE_MAX: usize = 64;

/// Asked before anything is done for an event.
pub(crate) struct Gate {
    shutdown: CancellationToken,
    /// Wall clock and steady clock at one moment. Times are counted from here, so that a wall clock that is
    /// set while the bot runs ages nothing.
    began: (SystemTime, Instant),
    ages: Mutex<Ages>,
    interactions: Semaphore,
    messages: Semaphore,
}

/// Why something does not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// The bot is leaving.
    Restarting,
    /// No room is left.
    Busy,
}

impl Closed {
    /// The words for a person. `what` says what did not happen, in the same language.
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

    /// How long ago Discord made the event with this id, to be called once for each event as it arrives.
    pub(crate) fn age(&self, id: u64) -> Duration {
        let (wall, steady) = self.began;
        let now = wall + steady.elapsed();
        self.ages.lock().unwrap_or_else(PoisonError::into_inner).age(convert::sent(id), now)
    }

    /// How long ago Discord made an event whose age was asked for before, whatever our clock says.
    pub(crate) fn since(&self, sent: SystemTime) -> Duration {
        let (wall, steady) = self.began;
        let now = wall + steady.elapsed();
        self.ages.lock().unwrap_or_else(PoisonError::into_inner).since(sent, now)
    }

    /// Whether the bot is leaving.
    pub(crate) fn is_closing(&self) -> bool {
        self.shutdown.is_cancelled()
    }

    /// Waits until the bot leaves.
    pub(crate) async fn closing(&self) {
        self.shutdown.cancelled().await;
    }

    /// Room for an interaction, held until it is answered.
    pub(crate) fn interaction(&self) -> Result<SemaphorePermit<'_>, Closed> {
        self.room(&self.interactions)
    }

    /// Room for a message, held until it is answered.
    pub(crate) fn message(&self) -> Result<SemaphorePermit<'_>, Closed> {
        self.room(&self.messages)
    }

    fn room<'a>(&self, rooms: &'a Semaphore) -> Result<SemaphorePermit<'a>, Closed> {
        if self.is_closing() {
            return Err(Closed::Restarting);
        }
        rooms.try_acquire().map_err(|_| Closed::Busy)
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
        assert_eq!(gate.interaction().err(), Some(Closed::Restarting));
        assert_eq!(gate.message().err(), Some(Closed::Restarting));
        assert_eq!(
            Closed::Restarting.text("`/status` did not run", Language::ENGLISH),
            "This bot is restarting, so `/status` did not run. Try again in a moment."
        );
    }

    #[test]
    fn a_full_house_of_chats_leaves_room_for_commands_and_room_comes_back() {
        let gate = Gate::new(CancellationToken::new());
        let mut held: Vec<_> = (0..AT_ONCE_MAX).map(|_| gate.message().unwrap()).collect();
        assert_eq!(gate.message().err(), Some(Closed::Busy));
        assert!(gate.interaction().is_ok());
        held.pop();
        assert!(gate.message().is_ok());
    }
}
