//! The full name of a callable command or subcommand.

use std::fmt;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandType {
    #[default]
    Slash,
    UserMenu,
    MessageMenu,
}

/// The full name of a callable command: a slash command with its group and subcommand, or a context-menu command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandPath {
    command_type: CommandType,
    /// One to three names: the command, then group and subcommand.
    names: Vec<Arc<str>>,
}

impl CommandPath {
    /// Builds the path of a slash command or of its subcommand, both without a slash.
    pub fn new(command: &str, subcommand: Option<&str>) -> Self {
        let names = [Some(command), subcommand].into_iter().flatten().map(Into::into).collect();
        Self { command_type: CommandType::Slash, names }
    }

    /// Builds the path with these names: the command, then group and subcommand if there are any.
    pub fn at(command_type: CommandType, names: &[&str]) -> Self {
        Self { command_type, names: names.iter().map(|&name| name.into()).collect() }
    }

    pub fn command_type(&self) -> CommandType {
        self.command_type
    }

    /// Returns the command's name without its slash.
    pub fn command(&self) -> &str {
        self.names.first().map_or("", |name| name)
    }

    /// Returns the names after the command's: group and subcommand, the subcommand alone, or none.
    pub fn below(&self) -> impl Iterator<Item = &str> {
        self.names.iter().skip(1).map(|name| &**name)
    }

    /// Returns every name, the command's first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }
}

impl fmt::Display for CommandPath {
    /// Writes the path as people write it: `/tasks add`; for a context-menu command its plain name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.command_type == CommandType::Slash { "/" } else { "" };
        write!(f, "{slash}{}", self.names.join(" "))
    }
}
