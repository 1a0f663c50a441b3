//! The commands in force: checked, immutable, and the one table that dispatches.
#![deny(clippy::disallowed_methods)]

mod probe;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::contract::{BackgroundSource, Checked, Command, CommandPath, CommandSurface, Leaf, Owner, ServiceName};
pub use probe::Reach;
pub use table::{Registration, RegistrationState, registration_table};

/// The commands in force.
#[derive(Debug, Default)]
pub struct Registry {
    commands: BTreeMap<String, Command>,
    menus: BTreeMap<(CommandSurface, String), Command>,
    modules: BTreeMap<Owner, ModuleFacts>,
    quarantined: BTreeMap<String, String>,
    quarantined_menus: BTreeMap<(CommandSurface, String), String>,
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
            for command in module.commands {
                match command.surface {
                    CommandSurface::Slash => registry.commands.insert(command.name.clone(), command),
                    menu => registry.menus.insert((menu, command.name.clone()), command),
                };
            }
        }
        for module in checked.rejected {
            for name in module.commands.into_iter().filter(|name| !registry.commands.contains_key(name)) {
                registry.quarantined.entry(name).or_insert_with(|| module.name.clone());
            }
            for entry in module.menus.into_iter().filter(|entry| !registry.menus.contains_key(entry)) {
                registry.quarantined_menus.entry(entry).or_insert_with(|| module.name.clone());
            }
        }
        registry
    }

    /// Every slash command, by name.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.commands.values()
    }

    /// Every entry of a menu, by menu and name.
    pub fn menus(&self) -> impl Iterator<Item = &Command> {
        self.menus.values()
    }

    /// The entry of that name in that menu.
    pub fn menu(&self, menu: CommandSurface, name: &str) -> Option<&Command> {
        self.menus.get(&(menu, name.to_owned()))
    }

    /// The slash command of that name, without a slash.
    pub fn command(&self, name: &str) -> Option<&Command> {
        self.commands.get(name)
    }

    /// What stands at a path: the command and the part of it that is called.
    pub fn find(&self, path: &CommandPath) -> Option<(&Command, &Leaf)> {
        let command = match path.surface() {
            CommandSurface::Slash => self.command(path.command())?,
            menu => self.menu(menu, path.command())?,
        };
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

    /// The entries of menus of rejected modules, and their modules.
    pub fn quarantined_menus(&self) -> &BTreeMap<(CommandSurface, String), String> {
        &self.quarantined_menus
    }
}

/// The registry as one caller sees it.
#[derive(Clone, Debug)]
pub struct Catalog {
    registry: Arc<Registry>,
    operator: bool,
    /// The commands, and entries of menus, of which this caller may not use everything: what is left, if anything is.
    narrowed: Arc<BTreeMap<(CommandSurface, String), Option<Command>>>,
}

impl Catalog {
    /// The view of an operator or of anybody else, where nothing more is demanded of them.
    pub fn new(registry: Arc<Registry>, operator: bool) -> Self {
        Self::seen_by(registry, operator, |command, _| operator || !command.operators_only)
    }

    /// The view of somebody who may use what `allows` says.
    pub fn seen_by(registry: Arc<Registry>, operator: bool, allows: impl Fn(&Command, &CommandPath) -> bool) -> Self {
        let narrowed = registry.commands().chain(registry.menus()).filter_map(|command| {
            let denied: Vec<_> =
                command.leaves().into_iter().map(|(path, _)| path).filter(|path| !allows(command, path)).collect();
            (!denied.is_empty()).then(|| ((command.surface, command.name.clone()), command.without(&denied)))
        });
        let narrowed = Arc::new(narrowed.collect());
        Self { registry, operator, narrowed }
    }

    /// Whether this caller is an operator.
    pub fn is_operator(&self) -> bool {
        self.operator
    }

    /// The commands this caller may use, by name, each with what of it they may use and nothing else.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.registry.commands().filter_map(|command| self.narrow(command))
    }

    /// What this caller may use of the command of that name.
    pub fn usable(&self, name: &str) -> Option<&Command> {
        self.narrow(self.registry.command(name)?)
    }

    fn narrow<'a>(&'a self, command: &'a Command) -> Option<&'a Command> {
        self.narrowed.get(&(command.surface, command.name.clone())).map_or(Some(command), Option::as_ref)
    }

    /// The entries of menus this caller may use, by menu and name.
    pub fn menus(&self) -> impl Iterator<Item = &Command> {
        self.registry.menus().filter_map(|entry| self.narrow(entry))
    }

    /// The command of that name, whether this caller may use it or not.
    pub fn registered(&self, name: &str) -> Option<&Command> {
        self.registry.command(name)
    }

    /// The rejected module that would own this name.
    pub fn quarantined(&self, name: &str) -> Option<&str> {
        self.registry.quarantined.get(name).map(String::as_str)
    }

    /// The entry of that name in that menu, whether this caller may use it or not.
    pub fn menu(&self, menu: CommandSurface, name: &str) -> Option<&Command> {
        self.registry.menu(menu, name)
    }

    /// The rejected module that would own this entry.
    pub fn quarantined_menu(&self, menu: CommandSurface, name: &str) -> Option<&str> {
        self.registry.quarantined_menus.get(&(menu, name.to_owned())).map(String::as_str)
    }

    /// How many commands are in force, for the log.
    pub fn size(&self) -> usize {
        self.registry.commands.len()
    }
}
