//! New members who have not accepted a guild's rules yet.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

const PENDING_MAX: usize = 10_000;

/// Members who joined and have not accepted the rules of their guild: until then they cannot read or write. A restart
/// forgets them.
#[derive(Default)]
pub(crate) struct Pending(Mutex<BTreeSet<(u64, u64)>>);

impl Pending {
    /// Returns whether a member just became a full member, by joining or by a change of membership.
    pub(crate) fn is_full_now(&self, has_joined: bool, guild: u64, person: u64, is_pending: bool) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (has_joined, is_pending) {
            (true, true) => {
                if PENDING_MAX <= all.len() {
                    all.pop_first();
                }
                all.insert((guild, person));
                false
            }
            (false, true) => false,
            (true, false) => {
                all.remove(&(guild, person));
                true
            }
            (false, false) => all.remove(&(guild, person)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_has_joined_once_they_accepted_the_rules() {
        let pending = Pending::default();
        let add = true;
        let update = false;
        assert!(pending.is_full_now(add, 1, 7, false));
        assert!(!pending.is_full_now(update, 1, 7, false), "a role was given");
        assert!(!pending.is_full_now(add, 1, 8, true) && !pending.is_full_now(update, 1, 8, true));
        assert!(pending.is_full_now(update, 1, 8, false));
        assert!(!pending.is_full_now(update, 1, 8, false));
        assert!((0..2 * PENDING_MAX as u64).all(|person| !pending.is_full_now(add, 2, person, true)));
        assert_eq!(pending.0.lock().unwrap().len(), PENDING_MAX);
    }
}
