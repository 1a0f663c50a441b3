//! Walks down a command by name: command, group, subcommand.

use crate::contract::{Command, CommandKind, Group, Leaf, Subcommand, text_form};
use crate::inbound::CommandPath;
use crate::language::Language;
use crate::registry::NameLookup;

/// The result of a walk down a command.
pub(in crate::router) enum Reached<'a> {
    Leaf(CommandPath, &'a Leaf),
    /// A command or group, which is callable only through its subcommands.
    Level(Level<'a>),
}

/// A command or group with its subcommands.
pub(in crate::router) struct Level<'a> {
    path: CommandPath,
    subcommands: &'a [Subcommand],
    groups: &'a [Group],
}

impl<'a> Reached<'a> {
    /// Returns the top level of a slash command.
    pub(in crate::router) fn at(command: &'a Command) -> Self {
        let path = CommandPath::new(&command.name, None);
        match &command.kind {
            CommandKind::Leaf(leaf) => Self::Leaf(path, leaf),
            CommandKind::Parent { subcommands, groups } => Self::Level(Level { path, subcommands, groups }),
        }
    }
}

impl<'a> Level<'a> {
    pub(in crate::router) fn path(&self) -> &CommandPath {
        &self.path
    }

    /// Takes the next step by this name. Matching is exact.
    pub(in crate::router) fn step(&self, name: &str) -> Option<Reached<'a>> {
        if let Some(found) = self.subcommands.iter().find(|known| known.name == name) {
            return Some(Reached::Leaf(self.below(name), &found.leaf));
        }
        let group = self.groups.iter().find(|known| known.name == name)?;
        Some(Reached::Level(Level { path: self.below(name), subcommands: &group.subcommands, groups: &[] }))
    }

    /// Returns the part that this caller may use, if any.
    pub(in crate::router) fn usable<'n>(&self, names: &'n dyn NameLookup) -> Option<Level<'n>> {
        let mut step = Reached::at(names.usable().command(self.path.command())?);
        for name in self.path.below() {
            let Reached::Level(level) = step else { return None };
            step = level.step(name)?;
        }
        match step {
            Reached::Level(level) => Some(level),
            Reached::Leaf(..) => None,
        }
    }

    /// Returns the names one step below, as people write them.
    pub(in crate::router) fn exist(&self) -> Vec<String> {
        let groups = self.groups.iter().map(|known| &known.name);
        let names = self.subcommands.iter().map(|known| &known.name).chain(groups);
        names.map(|name| self.below(name).to_string()).collect()
    }

    /// Returns the usage lines: one per subcommand and one per group.
    pub(in crate::router) fn usage(&self, language: Language) -> Vec<String> {
        let direct = self.subcommands.iter().map(|known| text_form::usage(&known.leaf, language));
        let grouped = self.groups.iter().map(|group| {
            let names: Vec<_> = group.subcommands.iter().map(|known| known.name.as_str()).collect();
            format!("{} {}", self.below(&group.name), names.join("|"))
        });
        direct.chain(grouped).collect()
    }

    fn below(&self, name: &str) -> CommandPath {
        let names: Vec<_> = self.path.names().chain([name]).collect();
        CommandPath::at(self.path.command_type(), &names)
    }
}
