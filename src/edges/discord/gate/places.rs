//! Concurrency limits of chat: slots for all, and of those a share for each person, channel and guild.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serenity::all::GuildId;

/// The most places there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) all: usize,
    /// Of one person, or in one channel.
    pub(super) of_one: usize,
    pub(super) of_guild: usize,
}

/// The places for one kind of work, of a person or in a channel each (`One`).
#[derive(Debug)]
pub(super) struct Places<One> {
    limits: Limits,
    taken: Mutex<Taken<One>>,
}

/// Who holds how many places. Whoever holds none has no entry.
#[derive(Debug)]
struct Taken<One> {
    all: usize,
    ones: HashMap<One, usize>,
    guilds: HashMap<GuildId, usize>,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// This person, or this channel, has too many.
    One,
    /// All are taken, or all of this guild.
    All,
}

impl<One: Copy + Eq + Hash> Places<One> {
    pub(super) fn new(limits: Limits) -> Self {
        let taken = Taken { all: 0, ones: HashMap::new(), guilds: HashMap::new() };
        Self { limits, taken: Mutex::new(taken) }
    }

    /// Takes a place.
    pub(super) fn take(&self, one: One, guild: Option<GuildId>) -> Result<Place<'_, One>, NoPlace> {
        let (limits, mut taken) = (self.limits, self.lock());
        if taken.ones.get(&one).is_some_and(|n| limits.of_one <= *n) {
            return Err(NoPlace::One);
        }
        let is_full_here = guild.and_then(|guild| taken.guilds.get(&guild)).is_some_and(|n| limits.of_guild <= *n);
        if limits.all <= taken.all || is_full_here {
            return Err(NoPlace::All);
        }
        taken.all += 1;
        *taken.ones.entry(one).or_default() += 1;
        if let Some(guild) = guild {
            *taken.guilds.entry(guild).or_default() += 1;
        }
        Ok(Place { of: self, one, guild })
    }

    fn lock(&self) -> MutexGuard<'_, Taken<One>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place, held until it is dropped.
#[derive(Debug)]
pub(crate) struct Place<'a, One: Copy + Eq + Hash> {
    of: &'a Places<One>,
    one: One,
    guild: Option<GuildId>,
}

impl<One: Copy + Eq + Hash> Drop for Place<'_, One> {
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

#[cfg(test)]
mod tests {
    use super::*;

    use candor_core::inbound::UserId;

    const HERE: Option<GuildId> = Some(GuildId::new(1));
    const LIMITS: Limits = Limits { all: 64, of_one: 16, of_guild: 32 };

    #[test]
    fn h5_a_person_who_floods_leaves_room_for_others() {
        let places = Places::new(LIMITS);
        let taken: Vec<_> = (0..70).map(|_| places.take(UserId(1), HERE)).collect();
        assert_eq!(taken.iter().filter(|place| place.is_ok()).count(), LIMITS.of_one);
        assert_eq!(taken.last().and_then(|place| place.as_ref().err()), Some(&NoPlace::One));
        assert!(places.take(UserId(2), HERE).is_ok() && places.take(UserId(3), None).is_ok());
        drop(taken);
        let left = places.lock();
        assert!(left.all == 0 && left.ones.is_empty() && left.guilds.is_empty());
    }

    #[test]
    fn h5_a_guild_that_floods_leaves_room_for_others() {
        let places = Places::new(LIMITS);
        let taken: Vec<_> = (0..70).map(|person| places.take(UserId(person), HERE)).collect();
        assert_eq!(taken.iter().filter(|place| place.is_ok()).count(), LIMITS.of_guild);
        assert_eq!(places.take(UserId(99), HERE).err(), Some(NoPlace::All));
        assert!(places.take(UserId(99), Some(GuildId::new(2))).is_ok());
    }
}
