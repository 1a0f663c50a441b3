//! Failed summaries: the next one is requested after some turns, not after each.
//!
//! A model may never complete a summary because its text is always cut off. Otherwise it would read a long conversation
//! again after every turn, at that person's expense. The failures are only in memory: after a restart a summary is
//! tried at once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use candor_core::agent::ConversationKey;

/// The most conversations with a known failure: about 100 KB. When it is reached, all are forgotten and tried again.
const KNOWN_MAX: usize = 1_000;

/// How many turns to skip after the first failure. Doubled after each further one.
const TURNS_FIRST: u32 = 2;

const TURNS_MAX: u32 = 64;

#[derive(Default)]
pub(super) struct Setbacks(Mutex<HashMap<ConversationKey, Setback>>);

struct Setback {
    /// How many turns are skipped after the last failure.
    turns: u32,
    /// How many of them remain.
    left: u32,
}

impl Setbacks {
    /// Counts an ended turn of this conversation. Returns whether a summary may be requested after it.
    pub(super) fn lets(&self, key: &ConversationKey) -> bool {
        match self.lock().get_mut(key) {
            Some(Setback { left, .. }) if 0 < *left => {
                *left -= 1;
                false
            }
            _ => true,
        }
    }

    /// Records that a summary failed. Returns how many turns are skipped now.
    pub(super) fn failed(&self, key: &ConversationKey) -> u32 {
        let mut known = self.lock();
        if KNOWN_MAX <= known.len() && !known.contains_key(key) {
            known.clear();
        }
        let turns = known.get(key).map_or(TURNS_FIRST, |setback| (setback.turns * 2).min(TURNS_MAX));
        known.insert(key.clone(), Setback { turns, left: turns });
        turns
    }

    pub(super) fn ended(&self, key: &ConversationKey) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationKey, Setback>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::inbound::{Place, UserId};

    fn key(person: u64) -> ConversationKey {
        ConversationKey::new(Place::Console, UserId(person))
    }

    /// How many turns pass until a summary is asked for.
    fn n_passed(setbacks: &Setbacks, key: &ConversationKey) -> usize {
        (0..1_000).take_while(|_| !setbacks.lets(key)).count()
    }

    #[test]
    fn each_failure_lets_twice_as_many_turns_pass_until_one_is_written() {
        let setbacks = Setbacks::default();
        let ann = key(1);
        assert_eq!(n_passed(&setbacks, &ann), 0);
        for turns in [2, 4, 8, 16, 32, 64, 64] {
            assert_eq!(setbacks.failed(&ann), turns);
            assert_eq!(n_passed(&setbacks, &ann), turns as usize);
            assert!(setbacks.lets(&ann), "until it is asked for, each turn may");
        }
        assert_eq!(n_passed(&setbacks, &key(2)), 0, "of another conversation nothing is known");
        setbacks.ended(&ann);
        assert_eq!(setbacks.failed(&ann), 2);
    }

    #[test]
    fn what_is_known_has_a_bound() {
        let setbacks = Setbacks::default();
        (0..3_000).for_each(|person| assert_eq!(setbacks.failed(&key(person)), 2));
        assert!(setbacks.lock().len() <= KNOWN_MAX);
    }
}
