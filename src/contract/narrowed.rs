//! What is left of a command for somebody who may not use all of it.

use crate::contract::{Command, CommandKind, CommandPath, Group, Subcommand};

impl Command {
    /// The command without these paths; `None` if nothing is left of it.
    pub(crate) fn without(&self, denied: &[CommandPath]) -> Option<Self> {
        let is_left = |names: &[&str]| !denied.contains(&CommandPath::at(self.surface, names));
        let kind = match &self.kind {
            CommandKind::Leaf(_) if is_left(&[&self.name]) => self.kind.clone(),
            CommandKind::Leaf(_) => return None,
            CommandKind::Parent { subcommands, groups } => {
                let left = |subcommands: &[Subcommand], is_left: &dyn Fn(&str) -> bool| -> Vec<_> {
                    subcommands.iter().filter(|known| is_left(&known.name)).cloned().collect()
                };
                let subcommands = left(subcommands, &|name| is_left(&[&self.name, name]));
                let groups: Vec<_> = groups
                    .iter()
                    .map(|group| Group {
                        subcommands: left(&group.subcommands, &|name| is_left(&[&self.name, &group.name, name])),
                        ..group.clone()
                    })
                    .filter(|group| !group.subcommands.is_empty())
                    .collect();
                if subcommands.is_empty() && groups.is_empty() {
                    return None;
                }
                CommandKind::Parent { subcommands, groups }
            }
        };
        Some(Self { kind, ..self.clone() })
    }
}
