//! The differences of two registries, which a reload logs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::contract::{Command, Leaf};
use crate::registry::{CommandRow, NotInForce, Registry};
use crate::text::names;

/// A command that differs between two registries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandChange {
    /// The name, as in the registration table.
    pub name: String,
    /// Its owner: after the change if it still exists, else before.
    pub owner: String,
    pub kind: ChangeKind,
}

names! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ChangeKind {
        Added = "added",
        Removed = "removed",
        /// Its description, options or provider changed.
        Changed = "changed",
        /// Its module failed the check: its name stays, and is answered as unavailable.
        Withdrawn = "withdrawn",
    }
}

impl fmt::Display for CommandChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.kind.name(), self.name, self.owner)
    }
}

impl Registry {
    /// Returns the commands that differ in `next`, by name. A change of only the code behind a command does not count.
    pub fn changes_to(&self, next: &Self) -> Vec<CommandChange> {
        let before = shown(self);
        let after = shown(next);
        let names: BTreeSet<_> = before.keys().chain(after.keys()).collect();
        let change = |name: &String| {
            let (kind, row) = match (before.get(name), after.get(name)) {
                (None, Some(row)) => (ChangeKind::Added, row),
                (Some(row), None) if next.withdrawn(name).is_some() => (ChangeKind::Withdrawn, row),
                (Some(row), None) => (ChangeKind::Removed, row),
                (Some(old), Some(row)) if old != row => (ChangeKind::Changed, row),
                (Some(_), Some(_)) | (None, None) => return None,
            };
            Some(CommandChange { name: name.clone(), owner: row.0.owner.clone(), kind })
        };
        names.into_iter().filter_map(change).collect()
    }

    /// Returns the command that failed the check and would have this name, with its slash.
    pub fn withdrawn(&self, name: &str) -> Option<&NotInForce> {
        self.not_in_force().find(|(path, _)| path.to_string() == name).map(|(_, command)| command)
    }
}

/// Returns the visible parts of each command.
fn shown(registry: &Registry) -> BTreeMap<String, (CommandRow, Vec<String>)> {
    let of_leaf = |leaf: &Leaf| format!("{:?} {:?} {:?}", leaf.path, leaf.tool, options(leaf));
    let of_command = |command: &Command| {
        let row = CommandRow::of(command);
        let terms = format!("{:?} {:?}", command.ephemeral, command.localized);
        (row.name.clone(), (row, std::iter::once(terms).chain(command.leaves().map(of_leaf)).collect()))
    };
    registry.all().map(of_command).collect()
}

fn options(leaf: &Leaf) -> Vec<String> {
    let options = leaf.options.iter();
    options
        .map(|option| format!("{} {} {:?} {}", option.name, option.description, option.kind, option.required))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Checked, NativeModule, NoArguments, RejectedModule};
    use crate::reply::Reply;
    use crate::testing::checked;

    fn registry(commands: &[(&str, &str)]) -> Registry {
        let command = |(name, description): &(&str, &str)| {
            format!("[commands.\"/{name}\"]\ndescription = \"{description}\"\nhandler = \"any\"\n")
        };
        let commands: String = commands.iter().map(command).collect();
        let manifest = format!("[module]\nname = \"club\"\nsummary = \"A club\"\n{commands}");
        let module =
            NativeModule::new("club", &manifest).handler("any", async |_: NoArguments, _| Ok(Reply::default()));
        Registry::build(checked(vec![module]))
    }

    #[test]
    fn a_reload_tells_what_it_did() {
        let before = registry(&[("join", "Join"), ("leave", "Leave"), ("list", "List")]);
        let after = registry(&[("join", "Join"), ("list", "List the members"), ("rules", "The rules")]);
        let told = |changes: Vec<CommandChange>| changes.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            told(before.changes_to(&after)),
            ["removed /leave (club)", "changed /list (club)", "added /rules (club)"]
        );
        assert_eq!(told(before.changes_to(&before)), [""; 0]);

        let rejected =
            RejectedModule { name: "club".to_owned(), commands: vec!["join".to_owned()], ..RejectedModule::default() };
        let withdrawn = Registry::build(Checked { rejected: vec![rejected], ..checked(Vec::new()) });
        assert!(told(before.changes_to(&withdrawn)).contains(&"withdrawn /join (club)".to_owned()));
    }
}
