//! The registry as one caller sees it.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::contract::Command;
use crate::inbound::{CommandPath, CommandType};
use crate::registry::commands::Registry;

/// Commands by type and name, each with its usable part; `None` if the caller may use no part.
type Narrowed = BTreeMap<(CommandType, String), Option<Arc<Command>>>;

#[derive(Clone, Debug)]
pub struct Catalog {
    registry: Arc<Registry>,
    /// Only the commands that this caller may not use in full.
    narrowed: Arc<Narrowed>,
}

impl Catalog {
    /// Builds the view of an operator or another caller, with no other restrictions.
    pub fn new(registry: Arc<Registry>, operator: bool) -> Self {
        Self::seen_by(registry, |command, _| operator || !command.operators_only)
    }

    /// Builds the view of a caller who may use the paths that `allows` accepts.
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

    /// Returns the slash commands this caller may use, by name, each reduced to its usable part.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.registry.commands().filter_map(|command| self.narrow(command))
    }

    /// Returns the usable part of the slash command with that name.
    pub fn command(&self, name: &str) -> Option<&Command> {
        self.narrow(self.registry.command(name)?)
    }

    /// Returns the whole slash command with that name, even if this caller may not use it.
    pub fn in_force(&self, name: &str) -> Option<&Command> {
        self.registry.command(name)
    }

    fn narrow<'a>(&'a self, command: &'a Command) -> Option<&'a Command> {
        self.narrowed(command).map_or(Some(command), Option::as_deref)
    }

    /// Returns the usable part of a restricted command. The outer `None` means that all of it is usable.
    fn narrowed(&self, command: &Command) -> Option<&Option<Arc<Command>>> {
        // Most callers may use everything, and this runs for each name of their catalog.
        if self.narrowed.is_empty() {
            return None;
        }
        self.narrowed.get(&(command.command_type, command.name.clone()))
    }

    /// Returns the commands this caller may use, by name: slash commands, then context-menu commands. Fully usable
    /// commands are shared, not copied.
    pub fn usable(&self) -> Vec<Arc<Command>> {
        let narrow = |command: &Arc<Command>| self.narrowed(command).map_or(Some(command.clone()), Clone::clone);
        self.registry.shared().filter_map(narrow).collect()
    }

    /// Returns the tools that only the chat model may call, for this caller, by name.
    pub fn chat_only(&self) -> impl Iterator<Item = &Command> {
        self.registry.chat_only().filter_map(|command| self.narrow(command))
    }

    /// Returns the commands whose tools a chat model may call for this caller: slash commands, and tools of the model
    /// alone.
    pub fn callable(&self) -> impl Iterator<Item = &Command> {
        self.commands().chain(self.chat_only())
    }

    /// Returns the context-menu commands this caller may use, by menu and name.
    pub fn menus(&self) -> impl Iterator<Item = &Command> {
        self.registry.menus().filter_map(|command| self.narrow(command))
    }
}

/// Looks up names in the commands in force and in the part one caller may use. The latter is needed only for an unknown
/// name.
pub trait NameLookup {
    fn registry(&self) -> &Registry;
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

/// A lookup that builds its catalog on first use.
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
