//! Concurrency limits of chat: slots for all, with a maximum share for each person, channel and guild.
//!
//! Also the limit of interaction slots per person: a person at the limit waits, and others do not.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serenity::all::GuildId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use candor_core::inbound::UserId;

#[derive(Clone, Copy, Debug)]
pub(super) struct SlotLimits {
    pub(super) all: usize,
    /// For one person or one channel.
    pub(super) of_one: usize,
    pub(super) of_guild: usize,
}

/// The slots for one kind of work. `One` is the unit with a share: a person or a channel.
#[derive(Debug)]
pub(super) struct SlotPool<One> {
    limits: SlotLimits,
    taken: Mutex<InUse<One>>,
}

/// The slots in use. A holder without slots has no entry.
#[derive(Debug)]
struct InUse<One> {
    all: usize,
    ones: HashMap<One, usize>,
    guilds: HashMap<GuildId, usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSlot {
    One,
    /// All are taken, or all of this guild.
    All,
}

impl<One: Copy + Eq + Hash> SlotPool<One> {
    pub(super) fn new(limits: SlotLimits) -> Self {
        let taken = InUse { all: 0, ones: HashMap::new(), guilds: HashMap::new() };
        Self { limits, taken: Mutex::new(taken) }
    }

    pub(super) fn take(&self, one: One, guild: Option<GuildId>) -> Result<PooledSlot<'_, One>, NoSlot> {
        let limits = self.limits;
        let mut taken = self.lock();
        if taken.ones.get(&one).is_some_and(|n| limits.of_one <= *n) {
            return Err(NoSlot::One);
        }
        let is_full_here = guild.and_then(|guild| taken.guilds.get(&guild)).is_some_and(|n| limits.of_guild <= *n);
        if limits.all <= taken.all || is_full_here {
            return Err(NoSlot::All);
        }
        taken.all += 1;
        *taken.ones.entry(one).or_default() += 1;
        if let Some(guild) = guild {
            *taken.guilds.entry(guild).or_default() += 1;
        }
        Ok(PooledSlot { of: self, one, guild })
    }

    fn lock(&self) -> MutexGuard<'_, InUse<One>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub(crate) struct PooledSlot<'a, One: Copy + Eq + Hash> {
    of: &'a SlotPool<One>,
    one: One,
    guild: Option<GuildId>,
}

impl<One: Copy + Eq + Hash> Drop for PooledSlot<'_, One> {
    fn drop(&mut self) {
        let mut taken = self.of.lock();
        taken.all -= 1;
        give_back(&mut taken.ones, &self.one);
        if let Some(guild) = &self.guild {
            give_back(&mut taken.guilds, guild);
        }
    }
}

fn give_back<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(n) = counts.get_mut(key) {
        *n -= 1;
        if *n == 0 {
            counts.remove(key);
        }
    }
}

pub(super) const OF_PERSON_MAX: usize = 16;

/// The slots in use by person. A person without a slot or a wait has no entry.
#[derive(Debug, Default)]
pub(super) struct PersonSlots(Mutex<HashMap<UserId, Arc<Semaphore>>>);

#[derive(Debug)]
pub(crate) struct PersonSlot<'a> {
    of: &'a PersonSlots,
    person: UserId,
    slot: Option<OwnedSemaphorePermit>,
}

impl PersonSlots {
    pub(super) async fn take(&self, person: UserId) -> PersonSlot<'_> {
        let own = self.lock().entry(person).or_insert_with(|| Arc::new(Semaphore::new(OF_PERSON_MAX))).clone();
        // Create the guard before waiting, so that an abandoned wait also removes its entry.
        let mut share = PersonSlot { of: self, person, slot: None };
        // The semaphore is never closed.
        share.slot = own.acquire_owned().await.ok();
        share
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<UserId, Arc<Semaphore>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PersonSlot<'_> {
    fn drop(&mut self) {
        self.slot = None;
        let mut people = self.of.lock();
        if people.get(&self.person).is_some_and(|own| Arc::strong_count(own) == 1) {
            people.remove(&self.person);
        }
    }
}

#[cfg(test)]
mod slot_pool_tests {
    use super::*;
    use candor_core::inbound::UserId;

    const HERE: Option<GuildId> = Some(GuildId::new(1));
    const LIMITS: SlotLimits = SlotLimits { all: 64, of_one: 16, of_guild: 32 };

    #[test]
    fn h5_a_person_who_floods_leaves_room_for_others() {
        let slots = SlotPool::new(LIMITS);
        let taken: Vec<_> = (0..70).map(|_| slots.take(UserId(1), HERE)).collect();
        assert_eq!(taken.iter().filter(|slot| slot.is_ok()).count(), LIMITS.of_one);
        assert_eq!(taken.last().and_then(|slot| slot.as_ref().err()), Some(&NoSlot::One));
        assert!(slots.take(UserId(2), HERE).is_ok() && slots.take(UserId(3), None).is_ok());
        drop(taken);
        let left = slots.lock();
        assert!(left.all == 0 && left.ones.is_empty() && left.guilds.is_empty());
    }

    #[test]
    fn h5_a_guild_that_floods_leaves_room_for_others() {
        let slots = SlotPool::new(LIMITS);
        let taken: Vec<_> = (0..70).map(|person| slots.take(UserId(person), HERE)).collect();
        assert_eq!(taken.iter().filter(|slot| slot.is_ok()).count(), LIMITS.of_guild);
        assert_eq!(slots.take(UserId(99), HERE).err(), Some(NoSlot::All));
        assert!(slots.take(UserId(99), Some(GuildId::new(2))).is_ok());
    }
}

#[cfg(test)]
mod person_slots_tests {
    use std::time::Duration;

    use futures_util::future::join_all;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_person_who_floods_waits_and_others_do_not() {
        let shares = PersonSlots::default();
        let soon = Duration::from_millis(1);
        let mut held = join_all((0..OF_PERSON_MAX).map(|_| shares.take(UserId(1)))).await;
        assert!(timeout(soon, shares.take(UserId(1))).await.is_err());
        assert!(timeout(soon, shares.take(UserId(2))).await.is_ok());
        held.pop();
        assert!(timeout(soon, shares.take(UserId(1))).await.is_ok());
        drop(held);
        assert_eq!(shares.lock().len(), 0);
    }
}
