//! The registration table: what is in force, as operators read it.

use std::fmt;

use crate::contract::{Command, CommandKind};
use crate::registry::{Reach, Registry};

/// One command of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The name with its slash.
    pub name: String,
    /// Whose it is.
    pub owner: String,
    /// What it does.
    pub description: String,
    /// How its handlers are provided.
    pub kind: &'static str,
    /// What it takes: `[metric]` or `add | list`.
    pub takes: String,
}

/// What became of a command at Discord.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistrationState {
    /// New there.
    Created,
    /// There as it should be.
    Unchanged,
    /// There, and changed.
    Updated,
    /// There, and no longer in force: taken away.
    Removed,
    /// Not taken by Discord, or never sent to it.
    Rejected,
}

impl RegistrationState {
    /// The word for it in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Unchanged => "unchanged",
            Self::Updated => "updated",
            Self::Removed => "removed",
            Self::Rejected => "rejected",
        }
    }
}

impl Registration {
    /// The line of a command.
    pub fn of(command: &Command) -> Self {
        let (kind, takes) = match &command.kind {
            CommandKind::Leaf(leaf) => {
                let option = |option: &crate::contract::OptionSpec| match option.required {
                    true => option.name.clone(),
                    false => format!("[{}]", option.name),
                };
                (leaf.handler.kind().name(), leaf.options.iter().map(option).collect::<Vec<_>>().join(" "))
            }
            CommandKind::Parent(subcommands) => (
                subcommands.first().map_or("none", |first| first.leaf.handler.kind().name()),
                subcommands.iter().map(|subcommand| subcommand.name.as_str()).collect::<Vec<_>>().join(" | "),
            ),
        };
        Self {
            name: format!("/{}", command.name),
            owner: command.owner.to_string(),
            description: command.description.clone(),
            kind,
            takes,
        }
    }
}

impl fmt::Display for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = format!("{:<10} {:<9} {:<42} {}", self.name, self.owner, self.description, self.takes);
        f.write_str(line.trim_end())
    }
}

/// The whole table as text: totals first, then a line a command.
pub fn registration_table(registry: &Registry, reach: &Reach) -> String {
    let of_harness = registry.commands().filter(|command| command.owner == crate::contract::Owner::Harness);
    let n_harness: usize = of_harness.map(|command| command.leaves().len()).sum();
    let n_modules = registry.modules().keys().filter(|owner| **owner != crate::contract::Owner::Harness).count();
    let n_rejected = registry.quarantined().len();
    let mut lines = vec![format!(
        "{} commands of {n_modules} modules and {n_harness} of the harness: registered {}, reachable {}, rejected {n_rejected}",
        reach.registered - n_harness,
        reach.registered,
        reach.reachable,
    )];
    lines.extend(registry.commands().map(|command| format!("  {}", Registration::of(command))));
    lines.extend(registry.quarantined().iter().map(|(name, module)| {
        format!("  {:<10} {module:<9} unavailable: its module failed the start-up check", format!("/{name}"))
    }));
    lines.join("\n")
}
