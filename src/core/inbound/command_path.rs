//! The full name of something that can be called.

use std::fmt;
use std::sync::Arc;

/// Where a command is found on Discord.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandType {
    /// It is a slash command.
    #[default]
    Slash,
    /// It is an entry in the menu of a user.
    UserMenu,
    /// It is an entry in the menu of a message.
    MessageMenu,
}

/// The full name of something that can be called: a command, its group and its subcommand, or an entry of a menu.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandPath {
    surface: CommandType,
    /// One to three names: the command, then group and subcommand.
    names: Vec<Arc<str>>,
}

impl CommandPath {
    /// The path of a slash command or of its subcommand, both without a slash.
    pub fn new(command: &str, subcommand: Option<&str>) -> Self {
        let names = [Some(command), subcommand].into_iter().flatten().map(Into::into).collect();
        Self { surface: CommandType::Slash, names }
    }

    /// The path by its names: the command, then, where there are any, group and subcommand.
    pub fn at(surface: CommandType, names: &[&str]) -> Self {
        Self { surface, names: names.iter().map(|&name| name.into()).collect() }
    }

    /// Where the command is found.
    pub fn surface(&self) -> CommandType {
        self.surface
    }

    /// The command's name without its slash.
    pub fn command(&self) -> &str {
        self.names.first().map_or("", |name| name)
    }

    /// The names behind the command's: group and subcommand, or the subcommand alone, or nothing.
    pub fn below(&self) -> impl Iterator<Item = &str> {
        self.names.iter().skip(1).map(|name| &**name)
    }

    /// Every name, the command's first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }
}

impl fmt::Display for CommandPath {
    /// As people write it: `/tasks add`; an entry of a menu as it stands there.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.surface == CommandType::Slash { "/" } else { "" };
        write!(f, "{slash}{}", self.names.join(" "))
    }
}
