//! Readiness by named latches, so that "not ready" always says what is missing.

use std::sync::atomic::{AtomicBool, Ordering};

/// Something that must be ready before the bot can do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latch {
    /// The modules passed their check.
    Registry,
    /// The store is open.
    Store,
    /// Every shard is connected to Discord.
    Gateway,
}

impl Latch {
    /// Every latch.
    pub const ALL: [Self; 3] = [Self::Registry, Self::Store, Self::Gateway];

    /// The name in `/readyz`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Registry => "registry",
            Self::Store => "store",
            Self::Gateway => "gateway",
        }
    }
}

/// The latches of this process.
#[derive(Debug, Default)]
pub struct Readiness([AtomicBool; Latch::ALL.len()]);

impl Readiness {
    /// Opens or closes a latch.
    pub fn set(&self, latch: Latch, ready: bool) {
        self.0[latch as usize].store(ready, Ordering::Release);
    }

    /// The latches that are not ready. Empty means ready.
    pub fn missing(&self) -> Vec<&'static str> {
        let open = |latch: &Latch| self.0[*latch as usize].load(Ordering::Acquire);
        Latch::ALL.into_iter().filter(|latch| !open(latch)).map(Latch::name).collect()
    }
}
