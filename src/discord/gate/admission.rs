//! Admission of events: rejects late events, events during shutdown, and events beyond the concurrency limits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serenity::all::{ChannelId, GuildId};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::convert;
use crate::gate::age::Ages;
use crate::gate::notices::{Notice, Notices};
use crate::gate::slot_pool::{NoSlot, PooledSlot, SlotLimits, SlotPool};
use crate::gate::slot_pool::{PersonSlot, PersonSlots};
use candor_core::inbound::UserId;
use candor_core::language::{Language, say};

/// Discord's deadline for the first response to an interaction. See its documentation on responding.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(3);

/// The maximum of concurrent interactions, of typed commands, and of messages for the chat model. Each kind has its own
/// limit, so slow chats take no slots from commands.
pub(crate) const AT_ONCE_MAX: usize = 64;

/// The maximum number of interactions that wait for a slot.
const WAITING_MAX: usize = 1_024;
/// The maximum age at which an interaction still waits for a slot. It leaves time to answer or defer.
const WAITS_UNTIL: Duration = Duration::from_secs(2);
/// The slots for messages. One person's share is the backlog of a conversation and some more; most slots are held
/// briefly, because waiting messages are joined.
const MESSAGES: SlotLimits = SlotLimits { all: AT_ONCE_MAX, of_one: 16, of_guild: 32 };
/// The slots for notices, besides those for messages. A channel with a rate limit delays no other channel.
const NOTICES: SlotLimits = SlotLimits { all: 32, of_one: 8, of_guild: 16 };

/// Admits or rejects each event before any work is done for it.
pub(crate) struct Gate {
    shutdown: CancellationToken,
    /// Wall clock and steady clock at the same moment. Times are counted from here, so changing the wall clock does not
    /// age events.
    began: (SystemTime, Instant),
    ages: Mutex<Ages>,
    /// Whether a session of an earlier process is resumed.
    resumes: AtomicBool,
    interactions: Semaphore,
    people: PersonSlots,
    waiting: Semaphore,
    typed: SlotPool<UserId>,
    chats: SlotPool<UserId>,
    notices: SlotPool<ChannelId>,
    told: Notices,
}

#[derive(Debug)]
pub(crate) struct Slot<'a> {
    _slot: SemaphorePermit<'a>,
    _share: PersonSlot<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GateClosed {
    Restarting,
    Busy,
    TooMany,
}

impl GateClosed {
    /// Returns the text for the person. `what` names the action that did not happen, in the same language.
    pub(crate) fn text(self, what: &str, language: Language) -> String {
        match self {
            Self::Restarting => say!(language, "closed-restarting", what = what),
            Self::TooMany => say!(language, "closed-too-many", what = what),
            Self::Busy => say!(language, "closed-busy", what = what),
        }
    }
}

impl Gate {
    /// Creates a gate that closes when `shutdown` is cancelled.
    pub(crate) fn new(shutdown: CancellationToken) -> Self {
        Self {
            shutdown,
            began: (SystemTime::now(), Instant::now()),
            ages: Mutex::default(),
            resumes: AtomicBool::new(false),
            interactions: Semaphore::new(AT_ONCE_MAX),
            people: PersonSlots::default(),
            waiting: Semaphore::new(WAITING_MAX),
            typed: SlotPool::new(MESSAGES),
            chats: SlotPool::new(MESSAGES),
            notices: SlotPool::new(NOTICES),
            told: Notices::default(),
        }
    }

    /// Returns the age of the event with this id. Call it once for each event as it arrives.
    pub(crate) fn age(&self, id: u64) -> Duration {
        let (wall, steady) = self.began;
        let now = wall + steady.elapsed();
        self.ages.lock().unwrap_or_else(PoisonError::into_inner).age(convert::sent(id), now)
    }

    /// Returns the age of an event that was already counted, independent of our clock's offset.
    pub(crate) fn since(&self, sent: SystemTime) -> Duration {
        let (wall, steady) = self.began;
        let now = wall + steady.elapsed();
        self.ages.lock().unwrap_or_else(PoisonError::into_inner).since(sent, now)
    }

    /// Returns the usual lag of events in milliseconds, if any came. See [`Ages`].
    pub(crate) fn usual_lag(&self) -> Option<i64> {
        self.ages.lock().unwrap_or_else(PoisonError::into_inner).usual()
    }

    /// Expects the replayed events of an earlier process: compares the first events with the usual lag that it saved.
    pub(crate) fn expect_replays(&self, lag_ms: Option<i64>) {
        self.resumes.store(true, Ordering::Relaxed);
        self.ages.lock().unwrap_or_else(PoisonError::into_inner).expect(lag_ms, SystemTime::now());
    }

    /// Returns whether an event of this age was made before this process, which resumed a session of an earlier one.
    pub(crate) fn is_of_earlier_process(&self, age: Duration) -> bool {
        self.resumes.load(Ordering::Relaxed) && self.began.1.elapsed() < age
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.shutdown.is_cancelled()
    }

    pub(crate) async fn closing(&self) {
        self.shutdown.cancelled().await;
    }

    /// Waits for a slot for an interaction made at `sent`; the slot is held until it is answered. A burst queues while
    /// there is time to answer. One person's burst takes no slots from others.
    pub(crate) async fn interaction(&self, person: UserId, sent: SystemTime) -> Result<Slot<'_>, GateClosed> {
        self.open()?;
        let _place = self.waiting.try_acquire().map_err(|_| GateClosed::Busy)?;
        let left = WAITS_UNTIL.saturating_sub(self.since(sent));
        let slot = async {
            let share = self.people.take(person).await;
            self.interactions.acquire().await.map(|slot| Slot { _slot: slot, _share: share })
        };
        tokio::select! {
            biased;
            slot = timeout(left, slot) => match slot {
                Ok(Ok(slot)) => Ok(slot),
                Ok(Err(_)) | Err(_) => Err(GateClosed::Busy),
            },
            () = self.closing() => Err(GateClosed::Restarting),
        }
    }

    pub(crate) fn typed(&self, person: UserId, guild: Option<GuildId>) -> Result<PooledSlot<'_, UserId>, GateClosed> {
        self.slot(&self.typed, person, guild)
    }

    pub(crate) fn chat(&self, person: UserId, guild: Option<GuildId>) -> Result<PooledSlot<'_, UserId>, GateClosed> {
        self.slot(&self.chats, person, guild)
    }

    /// Returns a slot for sending a rejection notice, or `None` if too many notices wait for Discord.
    pub(crate) fn notice(&self, channel: ChannelId, guild: Option<GuildId>) -> Option<PooledSlot<'_, ChannelId>> {
        self.notices.take(channel, guild).ok()
    }

    /// Returns how to send this person a rejection notice, or `None` during a flood.
    pub(crate) async fn how_to_tell(&self, person: UserId, channel: ChannelId) -> Option<Notice> {
        self.told.notice(person, channel).await
    }

    fn slot<'a>(
        &self,
        of: &'a SlotPool<UserId>,
        person: UserId,
        guild: Option<GuildId>,
    ) -> Result<PooledSlot<'a, UserId>, GateClosed> {
        self.open()?;
        of.take(person, guild).map_err(|why| match why {
            NoSlot::One => GateClosed::TooMany,
            NoSlot::All => GateClosed::Busy,
        })
    }

    fn open(&self) -> Result<(), GateClosed> {
        if self.is_closing() { Err(GateClosed::Restarting) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nothing_starts_once_the_bot_leaves() {
        let shutdown = CancellationToken::new();
        let gate = Gate::new(shutdown.clone());
        let now = SystemTime::now();
        assert!(gate.interaction(UserId(1), now).await.is_ok() && gate.chat(UserId(1), None).is_ok());
        shutdown.cancel();
        assert_eq!(gate.interaction(UserId(1), now).await.err(), Some(GateClosed::Restarting));
        assert_eq!(gate.chat(UserId(1), None).err(), Some(GateClosed::Restarting));
        let expected = say!(Language::ENGLISH, "closed-restarting", what = "nothing ran");
        assert_eq!(GateClosed::Restarting.text("nothing ran", Language::ENGLISH), expected);
    }

    #[tokio::test(start_paused = true)]
    async fn held_06_a_burst_waits_its_turn_while_there_is_time() {
        let gate = std::sync::Arc::new(Gate::new(CancellationToken::new()));
        let burst = |n: usize, each: Duration| {
            let gate = gate.clone();
            async move {
                let gate = &gate;
                let commands = (0..n as u64).map(|n| async move {
                    let slot = gate.interaction(UserId(n % 50), SystemTime::now()).await;
                    tokio::time::sleep(each).await;
                    slot.is_ok()
                });
                let admitted = futures_util::future::join_all(commands).await;
                admitted.into_iter().filter(|is_admitted| *is_admitted).count()
            }
        };
        assert_eq!(burst(500, Duration::from_millis(20)).await, 500);
        // What could not be answered in time is refused while it still can be told so.
        let admitted = burst(500, Duration::from_secs(60)).await;
        assert_eq!(admitted, AT_ONCE_MAX);
        assert_eq!(burst(500, Duration::from_millis(20)).await, 500);
    }

    #[tokio::test]
    async fn m8_a_channel_and_a_guild_in_which_notices_wait_hold_up_no_others() {
        let gate = Gate::new(CancellationToken::new());
        let guild = Some(GuildId::new(1));
        let mut waiting = Vec::new();
        for _ in 0..50 {
            waiting.extend(gate.notice(ChannelId::new(1), guild));
        }
        assert_eq!(waiting.len(), NOTICES.of_one);
        for channel in 2..50 {
            waiting.extend(gate.notice(ChannelId::new(channel), guild));
        }
        assert_eq!(waiting.len(), NOTICES.of_guild);
        assert!(gate.notice(ChannelId::new(99), Some(GuildId::new(2))).is_some());
        waiting.clear();
        assert!(gate.notice(ChannelId::new(1), guild).is_some());
    }

    #[tokio::test]
    async fn a_full_house_of_chats_leaves_room_for_commands_and_room_comes_back() {
        let gate = Gate::new(CancellationToken::new());
        let mut held: Vec<_> =
            (100..100 + AT_ONCE_MAX as u64).map(|person| gate.chat(UserId(person), None).unwrap()).collect();
        assert_eq!(gate.chat(UserId(1), None).err(), Some(GateClosed::Busy));
        assert!(gate.interaction(UserId(1), SystemTime::now()).await.is_ok() && gate.typed(UserId(1), None).is_ok());
        held.pop();
        assert!(gate.chat(UserId(1), None).is_ok());
    }
}
