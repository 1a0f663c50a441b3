//! The registry and its access rules, as the built-in commands read them.

use std::sync::Arc;

use crate::rules::{Guilds, InForce};
use candor_core::access::Access;
use candor_core::contract::{Command, CommandBook};
use candor_core::inbound::{Asking, CommandPath};

/// The commands in force, filtered by the caller's access.
pub struct CommandsInForce {
    registry: Arc<InForce>,
    access: Access,
    guilds: Arc<Guilds>,
}

impl CommandsInForce {
    pub fn new(registry: Arc<InForce>, access: Access, guilds: Arc<Guilds>) -> Self {
        Self { registry, access, guilds }
    }
}

impl CommandBook for CommandsInForce {
    fn usable(&self, asking: &Asking<'_>) -> Vec<Arc<Command>> {
        self.guilds.access(&self.access, asking.place).catalog(&self.registry.now(), asking).usable()
    }

    fn is_operator(&self, asking: &Asking<'_>) -> bool {
        self.access.is_operator(asking.caller, asking.place)
    }

    fn has(&self, path: &CommandPath) -> bool {
        self.registry.now().find(path).is_some()
    }
}
