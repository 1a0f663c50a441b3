//! The registry in force, which a reload replaces as a whole.

use std::sync::Arc;

use arc_swap::ArcSwap;
use tokio::sync::watch;

use candor_core::registry::Registry;

/// The registry in force. What began with one goes on with it: a permit holds its handler.
#[derive(Debug)]
pub struct InForce {
    registry: ArcSwap<Registry>,
    generation: watch::Sender<u64>,
}

impl InForce {
    /// This registry is in force.
    pub fn new(registry: Arc<Registry>) -> Self {
        Self { registry: ArcSwap::new(registry), generation: watch::Sender::new(0) }
    }

    /// The registry in force at this moment.
    pub fn now(&self) -> Arc<Registry> {
        self.registry.load_full()
    }

    /// Puts another registry in force. Returns the one that was.
    pub fn replace(&self, registry: Arc<Registry>) -> Arc<Registry> {
        let former = self.registry.swap(registry);
        self.generation.send_modify(|generation| *generation += 1);
        former
    }

    /// Tells when another registry came into force.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }
}
