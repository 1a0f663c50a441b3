//! The calls of a turn: their ids, and the commands that ran.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::agent::tools::PlannedCall;
use crate::record::Receipt;

/// Longer ids are replaced. No provider needs more.
const LENGTH_MAX: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Ids {
    used: BTreeSet<String>,
}

impl Ids {
    /// Returns the given id if it is usable and new, otherwise a generated one.
    pub(super) fn take(&mut self, given: Option<String>) -> String {
        let usable =
            |id: &String| (1..=LENGTH_MAX).contains(&id.len()) && id.chars().all(|letter| letter.is_ascii_graphic());
        let id = given.filter(usable).filter(|id| !self.used.contains(id)).unwrap_or_else(|| self.own());
        self.used.insert(id.clone());
        id
    }

    fn own(&self) -> String {
        let taken = |id: &String| self.used.contains(id);
        (self.used.len()..).map(|n| format!("call_{n}")).find(|id| !taken(id)).unwrap_or_default()
    }
}

pub(crate) struct Ran {
    pub(super) call: PlannedCall,
    pub(super) receipt: Arc<Receipt>,
    pub(super) text: String,
}

#[cfg(test)]
mod tests {
    use super::Ids;

    #[test]
    fn every_id_is_new_whatever_is_given() {
        let mut ids = Ids::default();
        let given = [Some("call_1"), Some("call_1"), None, Some(""), Some("a b"), Some("x"), Some("x")];
        let taken: Vec<_> = given.into_iter().map(|id| ids.take(id.map(str::to_owned))).collect();
        assert_eq!(taken, ["call_1", "call_2", "call_3", "call_4", "call_5", "x", "call_6"]);
        assert_eq!(ids.take(Some("y".repeat(65))), "call_7");
    }
}
