//! Private arguments of offered calls, only in memory, until their offer is over.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use candor_core::record::{InMemory, TurnId};

/// How long the arguments are kept for a press.
const LIFE: Duration = Duration::from_mins(15);
/// The most turns with private arguments. The oldest is removed first.
const TURNS_MAX: usize = 128;
/// The maximum length of a turn's arguments, in bytes of JSON. More would not fit a modal.
const LENGTH_MAX: usize = 32 * 1024;

/// The private arguments of the calls that turns offered, in the order of the offers.
#[derive(Debug, Default)]
pub(in crate::chat) struct PrivateOffers(Mutex<VecDeque<(TurnId, SystemTime, Vec<InMemory>)>>);

impl PrivateOffers {
    pub(in crate::chat) fn keep(&self, turn: TurnId, of_offers: Vec<InMemory>, now: SystemTime) {
        let length: usize = of_offers.iter().map(InMemory::length).sum();
        if length == 0 || LENGTH_MAX < length {
            return;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(_, since, _)| now.duration_since(*since).is_ok_and(|age| age < LIFE));
        if TURNS_MAX <= known.len() {
            known.pop_front();
        }
        known.push_back((turn, now, of_offers));
    }

    /// Returns the arguments of the offer at this place, if it is not over.
    pub(in crate::chat) fn of(&self, turn: TurnId, place: usize, now: SystemTime) -> Option<InMemory> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_alive = |since: SystemTime| now.duration_since(since).is_ok_and(|age| age < LIFE);
        let (_, _, of_offers) = known.iter().find(|(id, since, _)| *id == turn && is_alive(*since))?;
        of_offers.get(place).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(text: &str) -> InMemory {
        InMemory([("content".to_owned(), text.into())].into_iter().collect())
    }

    #[test]
    fn they_are_there_for_a_quarter_of_an_hour_of_the_last_turns_alone() {
        let offers = PrivateOffers::default();
        let start = SystemTime::UNIX_EPOCH;
        offers.keep(TurnId(1), vec![InMemory::default(), argument("a secret")], start);
        assert_eq!(offers.of(TurnId(1), 1, start + LIFE / 2), Some(argument("a secret")));
        assert_eq!(offers.of(TurnId(1), 2, start), None);
        assert_eq!(offers.of(TurnId(2), 1, start), None);
        assert_eq!(offers.of(TurnId(1), 1, start + LIFE), None);
        assert!(!format!("{offers:?}").contains("secret"), "{offers:?}");

        offers.keep(TurnId(2), vec![argument(&"x".repeat(LENGTH_MAX))], start);
        offers.keep(TurnId(3), vec![InMemory::default()], start);
        for turn in (4..).map(TurnId).take(TURNS_MAX) {
            offers.keep(turn, vec![argument("y")], start);
        }
        let n_kept = (1..200).filter(|&turn| offers.of(TurnId(turn), 0, start).is_some()).count();
        assert_eq!((n_kept, offers.of(TurnId(1), 1, start)), (TURNS_MAX, None));
    }
}
