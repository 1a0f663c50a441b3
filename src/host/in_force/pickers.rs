//! The lists of commands that Discord offers in guilds: which must be compared again, and which do not yet match the
//! switched-off commands.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use candor_core::guild::{Behind, Picker};
use candor_core::inbound::GuildId;

/// The most guilds that are known to wait or to be behind. Further ones are compared as well, but not listed.
const KNOWN_MAX: usize = 5_000;

/// A change that takes longer counts as behind.
const FOLLOWS_WITHIN: Duration = Duration::from_mins(1);

/// The queue of guilds whose sets of commands changed, and the state of each set. Unused if guilds have no separate
/// registration.
#[derive(Default)]
pub struct Pickers {
    known: Mutex<Known>,
    changed: Notify,
}

#[derive(Default)]
struct Known {
    /// Whether each guild has a separate set of commands.
    is_for_each: bool,
    changed: BTreeSet<GuildId>,
    states: BTreeMap<GuildId, State>,
}

#[derive(Clone, Copy)]
enum State {
    Waiting(Instant),
    Behind(Behind),
}

impl Pickers {
    /// Switches to a separate set of commands for each guild.
    pub fn for_each_guild(&self) {
        self.lock().is_for_each = true;
    }

    /// Queues a guild whose switched-off commands may have changed. Returns whether there was room for it.
    pub fn change(&self, guild: GuildId) -> bool {
        let mut known = self.lock();
        if !known.is_for_each {
            return true;
        }
        if KNOWN_MAX <= known.changed.len() && !known.changed.contains(&guild) {
            return false;
        }
        known.changed.insert(guild);
        if known.states.len() < KNOWN_MAX || known.states.contains_key(&guild) {
            known.states.entry(guild).or_insert_with(|| State::Waiting(Instant::now()));
        }
        drop(known);
        self.changed.notify_one();
        true
    }

    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Takes the guilds that changed since the last call.
    pub fn take(&self) -> BTreeSet<GuildId> {
        std::mem::take(&mut self.lock().changed)
    }

    /// Sets the state of a guild's set: in step, or the reason why it is behind.
    pub fn stands(&self, guild: GuildId, behind: Option<Behind>) {
        let mut known = self.lock();
        // A change that came meanwhile is still on its way.
        let is_waiting = known.changed.contains(&guild);
        match behind {
            None if !is_waiting => drop(known.states.remove(&guild)),
            Some(behind) if known.states.len() < KNOWN_MAX || known.states.contains_key(&guild) => {
                known.states.insert(guild, State::Behind(behind));
            }
            _ => {}
        }
    }

    /// Forgets a guild that the bot left.
    pub fn forget(&self, guild: GuildId) {
        let mut known = self.lock();
        known.changed.remove(&guild);
        known.states.remove(&guild);
    }

    pub fn of(&self, guild: GuildId) -> Picker {
        let known = self.lock();
        if !known.is_for_each {
            return Picker::SameEverywhere;
        }
        match known.states.get(&guild) {
            None => Picker::InStep,
            Some(State::Behind(behind)) => Picker::Behind(*behind),
            Some(State::Waiting(since)) if FOLLOWS_WITHIN < since.elapsed() => Picker::Behind(Behind::NoAnswer),
            Some(State::Waiting(_)) => Picker::Follows,
        }
    }

    /// Returns how many guilds are behind; `None` if guilds have no separate sets.
    pub fn n_behind(&self) -> Option<usize> {
        let known = self.lock();
        let is_behind = |state: &&State| match state {
            State::Behind(_) => true,
            State::Waiting(since) => FOLLOWS_WITHIN < since.elapsed(),
        };
        known.is_for_each.then(|| known.states.values().filter(is_behind).count())
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: GuildId = GuildId(1);

    #[tokio::test]
    async fn a_change_is_handed_over_once_and_followed_until_it_is_in_place() {
        let pickers = Pickers::default();
        pickers.change(HERE);
        assert_eq!((pickers.of(HERE), pickers.take().len()), (Picker::SameEverywhere, 0));

        pickers.for_each_guild();
        assert_eq!(pickers.of(HERE), Picker::InStep);
        pickers.change(HERE);
        pickers.change(HERE);
        pickers.changed().await;
        assert_eq!(pickers.of(HERE), Picker::Follows);
        assert_eq!(pickers.take(), [HERE].into());
        // It changed again before the first change was in place.
        pickers.change(HERE);
        pickers.stands(HERE, None);
        assert_eq!((pickers.of(HERE), pickers.take()), (Picker::Follows, [HERE].into()));
        pickers.stands(HERE, Some(Behind::Refused));
        assert_eq!((pickers.of(HERE), pickers.n_behind()), (Picker::Behind(Behind::Refused), Some(1)));
        pickers.stands(HERE, None);
        assert_eq!((pickers.of(HERE), pickers.n_behind()), (Picker::InStep, Some(0)));
    }

    #[tokio::test(start_paused = true)]
    async fn what_takes_longer_than_it_should_is_behind() {
        let pickers = Pickers::default();
        pickers.for_each_guild();
        pickers.change(HERE);
        tokio::time::advance(FOLLOWS_WITHIN * 2).await;
        assert_eq!((pickers.of(HERE), pickers.n_behind()), (Picker::Behind(Behind::NoAnswer), Some(1)));
    }

    #[test]
    fn what_is_known_has_a_bound() {
        let pickers = Pickers::default();
        pickers.for_each_guild();
        let noted = (0..2 * KNOWN_MAX as u64).filter(|&guild| pickers.change(GuildId(guild))).count();
        assert_eq!((noted, pickers.lock().states.len()), (KNOWN_MAX, KNOWN_MAX));
        pickers.take();
        assert!(pickers.change(GuildId(u64::MAX)));
    }
}
