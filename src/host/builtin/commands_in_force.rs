//! The registry and its access rules, as the built-in commands read them.

use std::sync::Arc;

use candor_core::access::Access;
use candor_core::contract::{Command, CommandBook};
use candor_core::inbound::Asking;
use candor_core::registry::Registry;

/// The commands in force, filtered by who may use them.
pub struct CommandsInForce {
    registry: Arc<Registry>,
    access: Access,
}

impl CommandsInForce {
    /// The commands of this registry, under these rules.
    pub fn new(registry: Arc<Registry>, access: Access) -> Self {
        Self { registry, access }
    }
}

impl CommandBook for CommandsInForce {
    fn usable(&self, asking: &Asking<'_>) -> Vec<Arc<Command>> {
        self.access.catalog(&self.registry, asking).usable()
    }

    fn is_operator(&self, asking: &Asking<'_>) -> bool {
        self.access.is_operator(asking.caller, asking.place)
    }
}
