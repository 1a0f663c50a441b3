//! Admission of events: rejects what arrives too late, during shutdown, or beyond the concurrency limit.

mod age;
mod notices;
mod places;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serenity::all::{ChannelId, GuildId};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::edges::discord::convert;
use age::Ages;
use candor_core::inbound::UserId;
use candor_core::language::{Language, say};
use notices::Notices;
use places::{NoPlace, Place, Places};

/// Discord's deadline for the first response to an interaction. See its documentation on responding.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(3);

/// The most interactions handled at once, the most typed commands, and the most messages for the chat model: slow chats
/// take no slots from commands.
pub(crate) const AT_ONCE_MAX: usize = 64;

/// The most notices that are sent at once, beside those.
const NOTICES_MAX: usize = 16;

/// Admits or rejects each event before any work is done for it.
pub(crate) struct Gate {
    shutdown: CancellationToken,
    /// Wall clock and steady clock at one moment. Times are counted from here, so that setting the
    /// wall clock while the bot runs makes no event older.
    began: (SystemTime, Instant),
    ages: Mutex<Ages>,
    interactions: Semaphore,
    typed: Places,
    chats: Places,
    notices: Semaphore,
    told: Notices,
}

/// Why an event is not processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GateClosed {
    /// The bot is shutting down.
    Restarting,
    /// No slot is free.
    Busy,
    /// This person holds too many.
    TooMany,
}

impl GateClosed {
    /// The text for a person. `what` says what did not happen, in the same language.
    pub(crate) fn text(self, what: &str, language: Language) -> String {
        match self {
            Self::Restarting => say!(language, "closed-restarting", what = what),
            Self::TooMany => say!(language, "closed-too-many", what = what),
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
            typed: Places::new(AT_ONCE_MAX),
            chats: Places::new(AT_ONCE_MAX),
            notices: Semaphore::new(NOTICES_MAX),
            told: Notices::default(),
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
        self.open()?;
        self.interactions.try_acquire().map_err(|_| GateClosed::Busy)
    }

    /// A slot for a typed command, held until it is answered.
    pub(crate) fn typed(&self, person: UserId, guild: Option<GuildId>) -> Result<Place<'_>, GateClosed> {
        self.place(&self.typed, person, guild)
    }

    /// A slot for a message to the chat model, held until it is answered.
    pub(crate) fn chat(&self, person: UserId, guild: Option<GuildId>) -> Result<Place<'_>, GateClosed> {
        self.place(&self.chats, person, guild)
    }

    /// A slot for telling a person that nothing was done, held until that is sent. `None` if they were told something in
    /// this channel just before, or if too many notices wait for Discord.
    pub(crate) fn notice(&self, person: UserId, channel: ChannelId) -> Option<SemaphorePermit<'_>> {
        let slot = self.notices.try_acquire().ok()?;
        self.told.may_tell(person, channel).then_some(slot)
    }

    fn place<'a>(&self, of: &'a Places, person: UserId, guild: Option<GuildId>) -> Result<Place<'a>, GateClosed> {
        self.open()?;
        of.take(person, guild).map_err(|why| match why {
            NoPlace::Person => GateClosed::TooMany,
            NoPlace::All => GateClosed::Busy,
        })
    }

    fn open(&self) -> Result<(), GateClosed> {
        if self.is_closing() { Err(GateClosed::Restarting) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_starts_once_the_bot_leaves() {
        let shutdown = CancellationToken::new();
        let gate = Gate::new(shutdown.clone());
        assert!(gate.interaction().is_ok() && gate.chat(UserId(1), None).is_ok());
        shutdown.cancel();
        assert_eq!(gate.interaction().err(), Some(GateClosed::Restarting));
        assert_eq!(gate.chat(UserId(1), None).err(), Some(GateClosed::Restarting));
        let expected = say!(Language::ENGLISH, "closed-restarting", what = "nothing ran");
        assert_eq!(GateClosed::Restarting.text("nothing ran", Language::ENGLISH), expected);
    }

    #[test]
    fn a_full_house_of_chats_leaves_room_for_commands_and_room_comes_back() {
        let gate = Gate::new(CancellationToken::new());
        let mut held: Vec<_> =
            (100..100 + AT_ONCE_MAX as u64).map(|person| gate.chat(UserId(person), None).unwrap()).collect();
        assert_eq!(gate.chat(UserId(1), None).err(), Some(GateClosed::Busy));
        assert!(gate.interaction().is_ok() && gate.typed(UserId(1), None).is_ok());
        held.pop();
        assert!(gate.chat(UserId(1), None).is_ok());
    }
}
