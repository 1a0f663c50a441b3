//! The registry as one caller sees it.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::contract::Command;
use crate::inbound::{CommandPath, CommandType};
use crate::registry::commands::Registry;

/// The usable part of commands, if any.
type Narrowed = BTreeMap<(CommandType, String), Option<Arc<Command>>>;

/// The registry as one caller sees it.
#[derive(Clone, Debug)]
pub struct Catalog {
    registry: Arc<Registry>,
    /// Commands that this caller may use only in part: the usable part, if any.
    narrowed: Arc<Narrowed>,
}

impl Catalog {
    /// The view of an operator or of anybody else, with no other restrictions.
    pub fn new(registry: Arc<Registry>, operator: bool) -> Self {
        Self::seen_by(registry, |command, _| operator || !command.operators_only)
    }

    /// The view of a caller who may use the paths that `allows` accepts.
    pub fn seen_by(registry: Arc<Registry>, allows: impl Fn(&Command, &CommandPath) -> bool) -> Self {
        let narrowed = registry.all().filter_map(|command| {
            let denied: Vec<_> =
                command.leaves().map(|leaf| &leaf.path).filter(|path| !allows(command, path)).cloned().collect();
            let usable = || command.without(&denied).map(Arc::new);
            (!denied.is_empty()).then(|| ((command.command_type, command.name.clone()), usable()))
        });
        let narrowed = Arc::new(narrowed.collect());
        Self { registry, narrowed }
    }

    /// The slash commands this caller may use, by name, each reduced to its usable part.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.registry.commands().filter_map(|command| self.narrow(command))
    }

    /// The usable part of the slash command with that name.
    pub fn command(&self, name: &str) -> Option<&Command> {
        self.narrow(self.registry.command(name)?)
    }

    /// The slash command with that name as it is in force, whatever this caller may do with it.
    pub fn in_force(&self, name: &str) -> Option<&Command> {
        self.registry.command(name)
    }

    fn narrow<'a>(&'a self, command: &'a Command) -> Option<&'a Command> {
        self.narrowed(command).map_or(Some(command), Option::as_deref)
    }

    /// The usable part of a command, if that is not all of it.
    fn narrowed(&self, command: &Command) -> Option<&Option<Arc<Command>>> {
        // Most callers may use everything, and their catalog is read by each name.
        if self.narrowed.is_empty() {
            return None;
        }
        self.narrowed.get(&(command.command_type, command.name.clone()))
    }

    /// The commands this caller may use, by name: slash commands, then context-menu commands. Those that are usable as
    /// a whole are shared.
    pub fn usable(&self) -> Vec<Arc<Command>> {
        let narrow = |command: &Arc<Command>| self.narrowed(command).map_or(Some(command.clone()), Clone::clone);
        self.registry.shared().filter_map(narrow).collect()
    }

    /// The tools of the chat model alone that it may call for this caller, by name.
    pub fn chat_only(&self) -> impl Iterator<Item = &Command> {
        self.registry.chat_only().filter_map(|command| self.narrow(command))
    }

    /// Everything that a chat model may call for this caller, as far as it is a tool: slash commands, and tools of the
    /// model alone.
    pub fn callable(&self) -> impl Iterator<Item = &Command> {
        self.commands().chain(self.chat_only())
    }

    /// The context-menu commands this caller may use, by menu and name.
    pub fn menus(&self) -> impl Iterator<Item = &Command> {
        self.registry.menus().filter_map(|command| self.narrow(command))
    }
}

/// Where names are looked up: the commands in force, and the part one caller may use. The latter is needed only if a
/// name is unknown.
pub trait NameLookup {
    /// The commands in force.
    fn registry(&self) -> &Registry;
    /// The commands this caller may use.
    fn usable(&self) -> &Catalog;
}

impl NameLookup for Catalog {
    fn registry(&self) -> &Registry {
        &self.registry
    }

    fn usable(&self) -> &Catalog {
        self
    }
}

/// Names whose catalog is built on first use.
pub struct LazyNames<'a, F> {
    registry: &'a Registry,
    catalog: LazyCell<Catalog, F>,
}

impl<'a, F: FnOnce() -> Catalog> LazyNames<'a, F> {
    /// Looks names up in this registry, and in the catalog that `see` builds.
    pub fn new(registry: &'a Registry, see: F) -> Self {
        Self { registry, catalog: LazyCell::new(see) }
    }
}

impl<F: FnOnce() -> Catalog> NameLookup for LazyNames<'_, F> {
    fn registry(&self) -> &Registry {
        self.registry
    }

    fn usable(&self) -> &Catalog {
        &self.catalog
    }
}
