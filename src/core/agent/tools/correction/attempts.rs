//! Counts the corrections of each unknown name in a turn.

use std::collections::BTreeMap;

use crate::text::first_characters;

/// The maximum length of a compared name, in characters. Longer than any name that can be offered.
const KEY_LENGTH_MAX: usize = 100;
/// The maximum number of names with separate counts. All others share one count.
const NAMES_MAX: usize = 64;

/// The corrections of each name in one turn. Counts never decrease.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    counts: BTreeMap<String, u32>,
    others: u32,
}

impl Attempts {
    /// Counts one more correction of a name if it had fewer than `max`. Returns whether it had.
    pub(super) fn count(&mut self, name: &str, max: u32) -> bool {
        let key = first_characters(name, KEY_LENGTH_MAX).to_owned();
        let is_full = NAMES_MAX <= self.counts.len() && !self.counts.contains_key(&key);
        let count = if is_full { &mut self.others } else { self.counts.entry(key).or_default() };
        let is_allowed = *count < max;
        *count += u32::from(is_allowed);
        is_allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_end_take_no_memory_without_end() {
        let mut attempts = Attempts::default();
        let n_allowed = (0..10_000).filter(|n| attempts.count(&format!("{n}_{}", "x".repeat(500)), 3)).count();
        assert_eq!(n_allowed, NAMES_MAX + 3);
        assert_eq!(attempts.counts.len(), NAMES_MAX);
        assert!(attempts.counts.keys().all(|key| key.len() <= KEY_LENGTH_MAX));
        assert_eq!(attempts.others, 3);
    }
}
