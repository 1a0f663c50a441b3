//! The owner of a command: the bot or a module.

use std::fmt;

/// The provider of a command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// The bot: a built-in command.
    Builtin,
    /// The module with this name.
    Module(String),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin => f.write_str("builtin"),
            Self::Module(name) => f.write_str(name),
        }
    }
}
