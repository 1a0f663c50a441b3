//! The registry and its access rules, as the built-in commands read them.

use std::sync::Arc;

use crate::rules::InForce;
use candor_core::access::Access;
use candor_core::contract::{Command, CommandBook};
use candor_core::guild::Rules;
use candor_core::inbound::{Asking, CommandPath};

/// The commands in force, filtered by the caller's access.
pub struct CommandsInForce {
    registry: Arc<InForce>,
    access: Access,
}

impl CommandsInForce {
    pub fn new(registry: Arc<InForce>, access: Access) -> Self {
        Self { registry, access }
    }
}

impl CommandBook for CommandsInForce {
    fn usable(&self, asking: &Asking<'_>, rules: &Rules) -> Vec<Arc<Command>> {
        self.access.here(rules).catalog(&self.registry.now(), asking).usable()
    }

    fn is_operator(&self, asking: &Asking<'_>) -> bool {
        self.access.is_operator(asking.caller, asking.place)
    }

    fn has(&self, path: &CommandPath) -> bool {
        self.registry.now().find(path).is_some()
    }
}
