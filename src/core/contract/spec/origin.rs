//! The origin of a command: its owner and its position in a manifest.

use std::fmt;
use std::sync::Arc;

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

/// A position in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenAt {
    /// The manifest: `modules/tasks/module.toml`.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for WrittenAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}
