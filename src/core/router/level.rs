//! The way down a command: by its name, then a group's and a subcommand's.

use crate::contract::{Command, CommandKind, Group, Leaf, Subcommand, text_form};
use crate::inbound::CommandPath;
use crate::registry::Names;

/// Where names have led so far.
pub(super) enum Step<'a> {
    /// To something that can be called.
    Leaf(CommandPath, &'a Leaf),
    /// To a command or a group, which is called by what it has below.
    Level(Level<'a>),
}

/// A command or a group, with what it has below.
pub(super) struct Level<'a> {
    path: CommandPath,
    subcommands: &'a [Subcommand],
    groups: &'a [Group],
}

impl<'a> Step<'a> {
    /// The beginning: a slash command.
    pub(super) fn at(command: &'a Command) -> Self {
        let path = CommandPath::new(&command.name, None);
        match &command.kind {
            CommandKind::Leaf(leaf) => Self::Leaf(path, leaf),
            CommandKind::Parent { subcommands, groups } => Self::Level(Level { path, subcommands, groups }),
        }
    }
}

impl<'a> Level<'a> {
    /// The command or the group.
    pub(super) fn path(&self) -> &CommandPath {
        &self.path
    }

    /// One name further. Matching is exact.
    pub(super) fn step(&self, name: &str) -> Option<Step<'a>> {
        if let Some(found) = self.subcommands.iter().find(|known| known.name == name) {
            return Some(Step::Leaf(self.below(name), &found.leaf));
        }
        let group = self.groups.iter().find(|known| known.name == name)?;
        Some(Step::Level(Level { path: self.below(name), subcommands: &group.subcommands, groups: &[] }))
    }

    /// What of it this caller may use, if anything.
    pub(super) fn usable<'n>(&self, names: &'n dyn Names) -> Option<Level<'n>> {
        let mut step = Step::at(names.usable().command(self.path.command())?);
        for name in self.path.below() {
            let Step::Level(level) = step else { return None };
            step = level.step(name)?;
        }
        match step {
            Step::Level(level) => Some(level),
            Step::Leaf(..) => None,
        }
    }

    /// Everything one name further, as people write it.
    pub(super) fn exist(&self) -> Vec<String> {
        let groups = self.groups.iter().map(|known| &known.name);
        let names = self.subcommands.iter().map(|known| &known.name).chain(groups);
        names.map(|name| self.below(name).to_string()).collect()
    }

    /// How what is below is written: a line for each subcommand, and one for each group.
    pub(super) fn usage(&self) -> Vec<String> {
        let direct = self.subcommands.iter().map(|known| text_form::usage(&known.leaf));
        let grouped = self.groups.iter().map(|group| {
            let names: Vec<_> = group.subcommands.iter().map(|known| known.name.as_str()).collect();
            format!("{} {}", self.below(&group.name), names.join("|"))
        });
        direct.chain(grouped).collect()
    }

    fn below(&self, name: &str) -> CommandPath {
        let names: Vec<_> = self.path.names().chain([name]).collect();
        CommandPath::at(self.path.surface(), &names)
    }
}
