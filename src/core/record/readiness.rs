//! Readiness by named latches, so that "not ready" always names the missing part.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::record::counting::{Counted as _, counted};
use crate::record::measures::Tally;

counted! {
    /// A condition for the bot's work, by its name in `/readyz`.
    Latch {
        /// The modules passed their check.
        Registry = "registry",
        /// The store is open and accepts writes.
        Store = "store",
        /// The disk of the data folder has room.
        Disk = "disk",
        /// Every shard is connected to Discord.
        Gateway = "gateway",
    }
}

#[derive(Debug, Default)]
pub struct Readiness {
    latches: [AtomicBool; Latch::ALL.len()],
    losses: Tally<Latch>,
}

impl Readiness {
    /// Opens or closes a latch, and counts a loss of readiness. Returns whether the latch changed.
    pub fn set(&self, latch: Latch, ready: bool) -> bool {
        let was_ready = self.latches[latch.index()].swap(ready, Ordering::AcqRel);
        if was_ready && !ready {
            self.losses.count(latch);
        }
        was_ready != ready
    }

    /// Returns each latch with its state and the number of its losses.
    pub fn read(&self) -> impl Iterator<Item = (Latch, bool, u64)> {
        let is_ready = |latch: Latch| self.latches[latch.index()].load(Ordering::Acquire);
        self.losses.read().map(move |(latch, losses)| (latch, is_ready(latch), losses))
    }

    /// Returns the latches that are not ready. Empty means ready.
    pub fn missing(&self) -> Vec<&'static str> {
        self.read().filter(|(_, is_ready, _)| !is_ready).map(|(latch, ..)| latch.name()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_was_ready_and_is_lost_is_counted_once() {
        let readiness = Readiness::default();
        assert_eq!(readiness.missing(), ["registry", "store", "disk", "gateway"]);
        // It was not there yet.
        assert!(!readiness.set(Latch::Store, false));
        let set: Vec<_> = [true, true, false, false, true].map(|ready| readiness.set(Latch::Store, ready)).into();
        assert_eq!(set, [true, false, true, false, true]);
        let losses: Vec<_> = readiness.read().map(|(latch, _, losses)| (latch.name(), losses)).collect();
        assert_eq!(losses, [("registry", 0), ("store", 1), ("disk", 0), ("gateway", 0)]);
    }
}
