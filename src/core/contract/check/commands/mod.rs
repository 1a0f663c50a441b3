//! Checks slash commands and context-menu commands: names, handlers, terms, and use as chat tools.

pub(crate) mod command;
mod leaf;
pub(crate) mod menu;
mod terms;
mod tool;
mod tree;
