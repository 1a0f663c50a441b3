//! People who joined a guild and have not accepted its rules yet.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The most people remembered who joined and have not accepted the rules of their guild.
const PENDING_MAX: usize = 10_000;

/// Who joined and has not accepted the rules of their guild yet: until then they see and write nothing. A restart
/// forgets them.
#[derive(Default)]
pub(crate) struct Pending(Mutex<BTreeSet<(u64, u64)>>);

impl Pending {
    /// Whether somebody who joined, or whose membership changed, is a full member now and was not before.
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
        let (add, update) = (true, false);
        assert!(pending.is_full_now(add, 1, 7, false));
        assert!(!pending.is_full_now(update, 1, 7, false), "a role was given");
        assert!(!pending.is_full_now(add, 1, 8, true) && !pending.is_full_now(update, 1, 8, true));
        assert!(pending.is_full_now(update, 1, 8, false));
        assert!(!pending.is_full_now(update, 1, 8, false));
        assert!((0..2 * PENDING_MAX as u64).all(|person| !pending.is_full_now(add, 2, person, true)));
        assert_eq!(pending.0.lock().unwrap().len(), PENDING_MAX);
    }
}
