//! Places for work: so many for all, and of those so many for one person and one guild.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serenity::all::GuildId;

use candor_core::inbound::UserId;

/// The most places of one person: what may wait in a conversation, and some more. Most are held for a moment only,
/// because messages that wait are joined.
pub(super) const OF_PERSON_MAX: usize = 16;

/// The most places of one guild: half of them.
const OF_GUILD_MAX: usize = 32;

/// The places for one kind of work.
#[derive(Debug)]
pub(super) struct Places {
    all: usize,
    taken: Mutex<Taken>,
}

/// Who holds how many places. Whoever holds none has no entry.
#[derive(Debug, Default)]
struct Taken {
    all: usize,
    people: HashMap<UserId, usize>,
    guilds: HashMap<GuildId, usize>,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// This person has too many.
    Person,
    /// All are taken, or all of this guild.
    All,
}

impl Places {
    pub(super) fn new(all: usize) -> Self {
        Self { all, taken: Mutex::default() }
    }

    /// Takes a place.
    pub(super) fn take(&self, person: UserId, guild: Option<GuildId>) -> Result<Place<'_>, NoPlace> {
        let mut taken = self.lock();
        if taken.people.get(&person).is_some_and(|n| OF_PERSON_MAX <= *n) {
            return Err(NoPlace::Person);
        }
        let is_full_here = guild.and_then(|guild| taken.guilds.get(&guild)).is_some_and(|n| OF_GUILD_MAX <= *n);
        if self.all <= taken.all || is_full_here {
            return Err(NoPlace::All);
        }
        taken.all += 1;
        *taken.people.entry(person).or_default() += 1;
        if let Some(guild) = guild {
            *taken.guilds.entry(guild).or_default() += 1;
        }
        Ok(Place { of: self, person, guild })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place, held until it is dropped.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    of: &'a Places,
    person: UserId,
    guild: Option<GuildId>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut taken = self.of.lock();
        taken.all -= 1;
        give_back(&mut taken.people, &self.person);
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

    const HERE: Option<GuildId> = Some(GuildId::new(1));

    #[test]
    fn h5_a_person_who_floods_leaves_room_for_others() {
        let places = Places::new(64);
        let taken: Vec<_> = (0..70).map(|_| places.take(UserId(1), HERE)).collect();
        assert_eq!(taken.iter().filter(|place| place.is_ok()).count(), OF_PERSON_MAX);
        assert_eq!(taken.last().and_then(|place| place.as_ref().err()), Some(&NoPlace::Person));
        assert!(places.take(UserId(2), HERE).is_ok() && places.take(UserId(3), None).is_ok());
        drop(taken);
        let left = places.lock();
        assert!(left.all == 0 && left.people.is_empty() && left.guilds.is_empty());
    }

    #[test]
    fn h5_a_guild_that_floods_leaves_room_for_others() {
        let places = Places::new(64);
        let taken: Vec<_> = (0..70).map(|person| places.take(UserId(person), HERE)).collect();
        assert_eq!(taken.iter().filter(|place| place.is_ok()).count(), OF_GUILD_MAX);
        assert_eq!(places.take(UserId(99), HERE).err(), Some(NoPlace::All));
        assert!(places.take(UserId(99), Some(GuildId::new(2))).is_ok());
    }
}
