//! Read access to the commands in force, for built-in commands.

use std::sync::Arc;

use crate::contract::spec::Command;
use crate::inbound::{Asking, CommandPath};

/// A service that lists the commands in force, as each caller may use them.
pub trait CommandBook: Send + Sync {
    /// Returns the commands that the caller may use, by name: slash commands, then context-menu commands. Each contains
    /// only the parts that the caller may use.
    fn usable(&self, asking: &Asking<'_>) -> Vec<Arc<Command>>;
    /// Returns whether the caller is an operator.
    fn is_operator(&self, asking: &Asking<'_>) -> bool;
    /// Returns whether this command is in force, even if the caller may not use it.
    fn has(&self, path: &CommandPath) -> bool;
}

/// The commands in force, as the caller may use them.
pub struct OwnCommands<'a> {
    pub(in crate::contract::services) book: &'a dyn CommandBook,
    pub(in crate::contract::services) asking: Asking<'a>,
}

impl OwnCommands<'_> {
    /// Returns [`CommandBook::usable`] for the caller. Computed on each call.
    pub fn usable(&self) -> Vec<Arc<Command>> {
        self.book.usable(&self.asking)
    }

    /// Returns [`CommandBook::is_operator`] for the caller.
    pub fn is_operator(&self) -> bool {
        self.book.is_operator(&self.asking)
    }
}
