//! The registry in force, which a reload replaces as a whole.

use std::sync::Arc;

use arc_swap::ArcSwap;
use tokio::sync::watch;

use candor_core::registry::Registry;

/// The registry in force. Work that began with one registry continues with it: a permit holds its handler.
#[derive(Debug)]
pub struct InForce {
    registry: ArcSwap<Registry>,
    generation: watch::Sender<u64>,
}

impl InForce {
    pub fn new(registry: Arc<Registry>) -> Self {
        Self { registry: ArcSwap::new(registry), generation: watch::Sender::new(0) }
    }

    pub fn now(&self) -> Arc<Registry> {
        self.registry.load_full()
    }

    /// Puts another registry in force. Returns the former one.
    pub fn replace(&self, registry: Arc<Registry>) -> Arc<Registry> {
        let former = self.registry.swap(registry);
        self.generation.send_modify(|generation| *generation += 1);
        former
    }

    /// Subscribes to changes of the registry.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }
}
