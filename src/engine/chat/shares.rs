//! Limits of chat: one turn at a time per person, a number of turns per guild, and messages per minute.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use candor_core::inbound::{GuildId, Place, UserId};

const MINUTE: Duration = Duration::from_mins(1);

/// The most turns of one person that wait, each in another conversation. A person who asks everywhere at once cannot
/// take all shared places.
const WAITING_MAX: usize = 3;

/// The most people whose messages are counted.
const PEOPLE_MAX: usize = 10_000;

/// The turns under way. People and guilds without a turn have no entry, so that the maps stay as small as the number of
/// turns.
#[derive(Default)]
pub(super) struct TurnShares {
    taken: Mutex<Taken>,
    freed: Notify,
}

#[derive(Default)]
struct Taken {
    people: HashSet<UserId>,
    guilds: HashMap<GuildId, usize>,
    /// How many turns of a person wait. People without waiting turns have no entry.
    waiting: HashMap<UserId, usize>,
}

impl TurnShares {
    /// Waits until this person has no other turn, and the guild fewer than `at_once`. `None` if the maximum of this
    /// person's turns is already waiting.
    pub(super) async fn take(&self, person: UserId, place: Place, at_once: usize) -> Option<TurnShare<'_>> {
        let guild = match place {
            Place::Guild { guild, .. } => Some(guild),
            Place::Direct { .. } | Place::Console => None,
        };
        let mut waiting = None;
        loop {
            let mut freed = std::pin::pin!(self.freed.notified());
            // A share that is freed from now on wakes this task.
            freed.as_mut().enable();
            if self.try_take(person, guild, at_once) {
                return Some(TurnShare { of: self, person, guild, has_waited: waiting.is_some() });
            }
            if waiting.is_none() {
                waiting = Some(self.wait(person)?);
            }
            freed.await;
        }
    }

    fn try_take(&self, person: UserId, guild: Option<GuildId>, at_once: usize) -> bool {
        let mut taken = self.lock();
        let n_here = guild.and_then(|guild| taken.guilds.get(&guild)).copied().unwrap_or_default();
        if at_once <= n_here || !taken.people.insert(person) {
            return false;
        }
        if let Some(guild) = guild {
            taken.guilds.insert(guild, n_here + 1);
        }
        true
    }

    fn wait(&self, person: UserId) -> Option<Waiting<'_>> {
        let mut taken = self.lock();
        let n = taken.waiting.entry(person).or_default();
        (*n < WAITING_MAX).then(|| {
            *n += 1;
            Waiting { of: self, person }
        })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One turn of a person, until it is dropped.
pub(super) struct TurnShare<'a> {
    of: &'a TurnShares,
    person: UserId,
    guild: Option<GuildId>,
    /// Whether it waited for another turn.
    pub(super) has_waited: bool,
}

impl Drop for TurnShare<'_> {
    fn drop(&mut self) {
        let mut taken = self.of.lock();
        taken.people.remove(&self.person);
        if let Some(guild) = self.guild {
            match taken.guilds.get(&guild).copied() {
                Some(n) if 1 < n => taken.guilds.insert(guild, n - 1),
                _ => taken.guilds.remove(&guild),
            };
        }
        drop(taken);
        self.of.freed.notify_waiters();
    }
}

/// A waiting turn, until it is dropped.
struct Waiting<'a> {
    of: &'a TurnShares,
    person: UserId,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut taken = self.of.lock();
        if let Some(n) = taken.waiting.get_mut(&self.person) {
            *n -= 1;
            if *n == 0 {
                taken.waiting.remove(&self.person);
            }
        }
    }
}

/// The times of each person's latest messages.
#[derive(Default)]
pub(super) struct MessageRate(Mutex<HashMap<UserId, VecDeque<Instant>>>);

impl MessageRate {
    /// Whether the next message of a person would be counted.
    pub(super) fn has_room(&self, person: UserId, per_minute: usize) -> bool {
        let now = Instant::now();
        let people = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = people
            .get(&person)
            .map_or(0, |sent| sent.iter().filter(|sent| now.duration_since(**sent) < MINUTE).count());
        sent < per_minute
    }

    /// Counts a message, unless the person sent `per_minute` in the last minute. Returns whether it was counted.
    pub(super) fn count(&self, person: UserId, per_minute: usize) -> bool {
        let now = Instant::now();
        let mut people = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if PEOPLE_MAX <= people.len() && !people.contains_key(&person) {
            people.retain(|_, sent| sent.back().is_some_and(|last| now.duration_since(*last) < MINUTE));
            if PEOPLE_MAX <= people.len() {
                // With so many people in one minute, all counts are dropped, so that no person is locked out. The other
                // limits still bound their use.
                people.clear();
            }
        }
        let sent = people.entry(person).or_default();
        while sent.front().is_some_and(|first| MINUTE <= now.duration_since(*first)) {
            sent.pop_front();
        }
        let is_counted = sent.len() < per_minute;
        if is_counted {
            sent.push_back(now);
        }
        is_counted
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use tokio::time::advance;

    use super::*;
    use candor_core::inbound::ChannelId;

    const ANN: UserId = UserId(1);

    fn channel(guild: u64, channel: u64) -> Place {
        Place::Guild { guild: GuildId(guild), channel: ChannelId(channel) }
    }

    #[tokio::test]
    async fn h5_a_person_has_one_turn_at_a_time_whatever_the_channel() {
        let shares = TurnShares::default();
        let first = shares.take(ANN, channel(1, 1), 4).await;
        assert!(shares.take(ANN, channel(2, 2), 4).now_or_never().is_none());
        assert!(shares.take(UserId(2), channel(1, 1), 4).now_or_never().is_some());
        let (second, ()) = tokio::join!(shares.take(ANN, channel(2, 2), 4), async { drop(first) });
        drop(second);
        assert!(shares.lock().people.is_empty() && shares.lock().guilds.is_empty());
    }

    #[tokio::test]
    async fn h5_a_person_who_asks_everywhere_at_once_waits_in_few_places() {
        let shares = TurnShares::default();
        let first = shares.take(ANN, channel(1, 1), 4).await;
        let mut waiting: Vec<_> = (2..20).map(|n| Box::pin(shares.take(ANN, channel(1, n), 4))).collect();
        let refused = waiting.iter_mut().filter_map(|turn| turn.now_or_never()).filter(Option::is_none).count();
        assert_eq!(refused, 18 - WAITING_MAX);
        drop((first, waiting));
        assert!(shares.take(ANN, channel(1, 1), 4).await.is_some() && shares.lock().waiting.is_empty());
    }

    #[tokio::test]
    async fn h5_a_guild_has_so_many_turns_and_others_have_theirs() {
        let shares = TurnShares::default();
        let mut held = Vec::new();
        for person in 1..=4 {
            held.push(shares.take(UserId(person), channel(1, person), 4).await);
        }
        assert!(shares.take(UserId(5), channel(1, 5), 4).now_or_never().is_none());
        assert!(shares.take(UserId(5), channel(2, 5), 4).now_or_never().is_some());
        held.pop();
        assert!(shares.take(UserId(5), channel(1, 5), 4).now_or_never().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn h5_a_person_sends_so_many_messages_a_minute_and_others_send_theirs() {
        let rate = MessageRate::default();
        assert!((0..10).all(|_| rate.count(ANN, 10)));
        assert!(!rate.count(ANN, 10) && rate.count(UserId(2), 10));
        advance(MINUTE).await;
        assert!(rate.count(ANN, 10));
    }

    #[tokio::test(start_paused = true)]
    async fn the_counts_are_bounded() {
        let rate = MessageRate::default();
        assert!((0..PEOPLE_MAX as u64 + 5).all(|person| rate.count(UserId(person), 1)));
        assert!(rate.0.lock().unwrap().len() <= PEOPLE_MAX);
    }
}
