//! Checks slash commands and context-menu commands: names, handlers, terms, and their use as tools of the chat model.

pub(crate) mod command;
mod leaf;
pub(crate) mod menu;
mod terms;
mod tool;
mod tree;
