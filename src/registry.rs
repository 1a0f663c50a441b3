//! The commands in force: checked, immutable, and the one table that dispatches.
#![deny(clippy::disallowed_methods)]

mod probe;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::contract::{BackgroundSource, Checked, Command, CommandPath, Leaf, Owner, ServiceName};
pub use probe::Reach;
pub use table::{Registration, RegistrationState, registration_table};

/// The commands in force.
#[derive(Debug, Default)]
pub struct Registry {
    commands: BTreeMap<String, Command>,
    modules: BTreeMap<Owner, ModuleFacts>,
    quarantined: BTreeMap<String, String>,
}

/// What is known of a module in force.
#[derive(Clone, Debug)]
pub struct ModuleFacts {
    /// One line on what it is for.
    pub summary: String,
    /// What it asked for.
    pub services: Vec<ServiceName>,
    /// What it tells the chat model about a caller, if it does.
    pub background: Option<BackgroundSource>,
}

impl Registry {
    /// Puts every accepted command in force. Commands of rejected modules are remembered by name, so that
    /// they are answered as unavailable and not as unknown. Of two that claim one name the first has it.
    pub fn build(checked: Checked) -> Self {
        let mut registry = Self::default();
        for module in checked.accepted {
            let facts =
                ModuleFacts { summary: module.summary, services: module.services, background: module.background };
            registry.modules.insert(module.owner, facts);
            registry.commands.extend(module.commands.into_iter().map(|command| (command.name.clone(), command)));
        }
        for module in checked.rejected {
            for name in module.commands.into_iter().filter(|name| !registry.commands.contains_key(name)) {
                registry.quarantined.entry(name).or_insert_with(|| module.name.clone());
            }
        }
        registry
    }

    /// Every command, by name.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.commands.values()
    }

    /// The command of that name, without a slash.
    pub fn command(&self, name: &str) -> Option<&Command> {
        self.commands.get(name)
    }

    /// What stands at a path: the command and the part of it that is called.
    pub fn find(&self, path: &CommandPath) -> Option<(&Command, &Leaf)> {
        let command = self.commands.get(path.command())?;
        let leaf = command.leaves().into_iter().find_map(|(found, leaf)| (found == *path).then_some(leaf))?;
        Some((command, leaf))
    }

    /// The modules in force.
    pub fn modules(&self) -> &BTreeMap<Owner, ModuleFacts> {
        &self.modules
    }

    /// The commands of rejected modules, and their modules.
    pub fn quarantined(&self) -> &BTreeMap<String, String> {
        &self.quarantined
    }
}

/// The registry as one caller sees it.
#[derive(Clone, Debug)]
pub struct Catalog {
    registry: Arc<Registry>,
    operator: bool,
}

impl Catalog {
    /// The view of an operator or of anybody else.
    pub fn new(registry: Arc<Registry>, operator: bool) -> Self {
        Self { registry, operator }
    }

    /// Whether this caller is an operator.
    pub fn is_operator(&self) -> bool {
        self.operator
    }

    /// The commands this caller may use, by name.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.registry.commands().filter(|command| self.operator || !command.operators_only)
    }

    /// The command of that name, whether this caller may use it or not.
    pub fn registered(&self, name: &str) -> Option<&Command> {
        self.registry.command(name)
    }

    /// The rejected module that would own this name.
    pub fn quarantined(&self, name: &str) -> Option<&str> {
        self.registry.quarantined.get(name).map(String::as_str)
    }

    /// How many commands are in force, for the log.
    pub fn size(&self) -> usize {
        self.registry.commands.len()
    }
}
