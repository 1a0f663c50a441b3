//! The registration table: what is in force, as operators read it.

use crate::contract::{Command, CommandKind, OptionSpec, Owner};
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
    /// Not there as it should be: refused by Discord, or not written. The log says why.
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
                let option = |option: &OptionSpec| match option.required {
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

/// The whole table as text: totals first, then a line a command.
pub fn registration_table(registry: &Registry, reach: &Reach) -> String {
    let of_harness = registry.commands().filter(|command| command.owner == Owner::Harness);
    let n_harness: usize = of_harness.map(|command| command.leaves().len()).sum();
    let n_modules = registry.modules().keys().filter(|owner| **owner != Owner::Harness).count();
    // Of a rejected command only the name is known, not how many ways there are to call it.
    let rejected = match registry.quarantined().len() {
        0 => "0".to_owned(),
        1 => "1 whole command".to_owned(),
        n => format!("{n} whole commands"),
    };
    let total = format!(
        "{} commands of {n_modules} modules and {n_harness} of the harness: registered {}, reachable {}, rejected {rejected}",
        reach.registered - n_harness,
        reach.registered,
        reach.reachable,
    );
    let in_force =
        registry.commands().map(Registration::of).map(|line| [line.name, line.owner, line.description, line.takes]);
    let rejected = registry.quarantined().iter().map(|(name, module)| {
        let why = "unavailable: its module failed the start-up check".to_owned();
        [format!("/{name}"), module.clone(), why, String::new()]
    });
    [total].into_iter().chain(aligned(&in_force.chain(rejected).collect::<Vec<_>>())).collect::<Vec<_>>().join("\n")
}

/// The least width of the columns, so that short tables look alike from start to start.
const WIDTHS: [usize; 3] = [10, 9, 42];

/// Rows as lines with columns as wide as their widest entry.
fn aligned(rows: &[[String; 4]]) -> impl Iterator<Item = String> {
    let mut widths = WIDTHS;
    for row in rows {
        for (width, entry) in widths.iter_mut().zip(row) {
            *width = entry.chars().count().max(*width);
        }
    }
    let [name, owner, what] = widths;
    rows.iter()
        .map(move |[a, b, c, takes]| format!("  {a:<name$} {b:<owner$} {c:<what$} {takes}").trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Checked, RejectedModule};

    #[test]
    fn columns_are_as_wide_as_their_widest_entry() {
        let row = |row: [&str; 4]| row.map(str::to_owned);
        let rows = [row(["/a", "forecasting", "Grüße", "[x]"]), row(["/as-long-as-it-gets", "b", "Text", "one | two"])];
        let lines: Vec<_> = aligned(&rows).collect();
        let gap = " ".repeat(37);
        assert_eq!(lines[0], format!("  /a                  forecasting Grüße{gap} [x]"));
        assert_eq!(lines[1], format!("  /as-long-as-it-gets b           Text {gap} one | two"));
    }

    #[test]
    fn rejected_commands_are_counted_as_what_they_are() {
        let rejected = |names: &[&str]| {
            let commands = names.iter().map(|name| (*name).to_owned()).collect();
            let rejected = vec![RejectedModule { name: "clouds".to_owned(), commands }];
            let registry = Registry::build(Checked { rejected, ..Checked::default() });
            registration_table(&registry, &Reach::default())
        };
        for (names, wanted) in [
            (&[][..], "rejected 0"),
            (&["weather"], "rejected 1 whole command"),
            (&["sky", "weather"], "rejected 2 whole commands"),
        ] {
            let table = rejected(names);
            assert!(table.lines().next().is_some_and(|line| line.ends_with(wanted)), "{table}");
            assert_eq!(table.lines().count(), 1 + names.len(), "{table}");
        }
    }
}
