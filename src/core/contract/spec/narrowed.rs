//! Narrows a command to the parts that a caller may use.

use crate::contract::spec::command::{Command, CommandKind, Group, Subcommand};
use crate::contract::spec::leaf::Leaf;
use crate::inbound::CommandPath;

impl Command {
    /// Removes these paths from the command. Returns `None` if nothing is left.
    pub(crate) fn without(&self, denied: &[CommandPath]) -> Option<Self> {
        let is_left = |leaf: &Leaf| !denied.contains(&leaf.path);
        let left = |subcommands: &[Subcommand]| -> Vec<_> {
            subcommands.iter().filter(|known| is_left(&known.leaf)).cloned().collect()
        };
        let kind = match &self.kind {
            CommandKind::Leaf(leaf) if is_left(leaf) => self.kind.clone(),
            CommandKind::Leaf(_) => return None,
            CommandKind::Parent { subcommands, groups } => {
                let subcommands = left(subcommands);
                let groups: Vec<_> = groups
                    .iter()
                    .map(|group| Group { subcommands: left(&group.subcommands), ..group.clone() })
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
