//! The commands and modules that are switched off in a guild.

use std::collections::BTreeSet;
use std::fmt;

use crate::guild::unfit::Unfit;
use crate::inbound::{CommandPath, CommandType};
use crate::text::{excerpt, nearest};

const NAMES_MAX: usize = 50;

/// Commands that can never be switched off: the way to switch others on again, and those that people have a right to.
const STAY: [&str; 4] = ["help", "privacy", "receipt", "settings"];

/// The switched-off commands that apply to a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OffHere {
    #[default]
    Nothing,
    These(SwitchedOff),
    /// The guild's settings cannot be read at the moment. Only exempt commands may run.
    NotKnown,
}

impl OffHere {
    /// Returns whether this command can never be switched off.
    pub fn is_exempt(path: &CommandPath) -> bool {
        path.command_type() == CommandType::Slash && STAY.contains(&path.command())
    }
}

/// Names of commands, `/tasks` or `/tasks add`, and of modules, `tasks`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchedOff(BTreeSet<String>);

impl SwitchedOff {
    /// Parses comma-separated names. With `known`, each must be one of these.
    ///
    /// # Errors
    /// The first problem of the text.
    pub(super) fn parse(text: &str, known: Option<&BTreeSet<String>>) -> Result<Self, Unfit> {
        let names = text.split(',').map(|name| name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase());
        let mut off = BTreeSet::new();
        for name in names.filter(|name| !name.is_empty()) {
            let first = name.trim_start_matches('/').split(' ').next().unwrap_or_default();
            if STAY.contains(&first) {
                match known {
                    Some(_) => return Err(Unfit::Stays(format!("/{first}"))),
                    // Stored by a version that allowed this name: keep the others.
                    None => continue,
                }
            }
            if let Some(known) = known.filter(|known| !known.contains(&name)) {
                let near = nearest(&name, known.iter().map(String::as_str), 1).first().map(|&near| near.to_owned());
                return Err(Unfit::Command { name: excerpt(&name), near });
            }
            off.insert(name);
        }
        match off.len() {
            0 => Err(Unfit::Empty),
            n if NAMES_MAX < n && known.is_some() => Err(Unfit::TooMany(NAMES_MAX)),
            _ => Ok(Self(off)),
        }
    }

    /// Returns whether this command of this owner is switched off: itself, its parent command, or its module.
    pub fn covers(&self, owner: &str, path: &CommandPath) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let names: Vec<_> = path.names().collect();
        let is_off = |n: usize| {
            names.get(..n).is_some_and(|names| self.0.contains(&CommandPath::at(CommandType::Slash, names).to_string()))
        };
        self.0.contains(owner) || path.command_type() == CommandType::Slash && (1..=names.len()).any(is_off)
    }
}

impl fmt::Display for SwitchedOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(String::as_str).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_covers_all_below_it_and_nothing_beside_it() {
        let off = SwitchedOff::parse("/tasks add, memory,/Files", None).unwrap();
        assert_eq!(off.to_string(), "/files, /tasks add, memory");
        let path = |names: &[&str]| CommandPath::at(CommandType::Slash, names);
        let cases = [
            ("tasks", path(&["tasks", "add"]), true),
            ("tasks", path(&["tasks", "list"]), false),
            ("files", path(&["files", "write"]), true),
            ("memory", path(&["memory", "save"]), true),
            ("memory", CommandPath::at(CommandType::MessageMenu, &["Remember"]), true),
            ("notes", CommandPath::at(CommandType::MessageMenu, &["files"]), false),
            ("builtin", path(&["memory"]), false),
        ];
        for (owner, path, expected) in cases {
            assert_eq!(off.covers(owner, &path), expected, "{owner} {path}");
        }
        assert!(!SwitchedOff::default().covers("tasks", &path(&["tasks"])));
    }

    #[test]
    fn what_is_no_command_or_must_stay_is_refused() {
        let known: BTreeSet<_> = ["/tasks", "/tasks add", "tasks"].map(str::to_owned).into();
        let too_many: BTreeSet<_> = (0..=NAMES_MAX).map(|n| format!("/x{n}")).collect();
        let many = too_many.iter().map(String::as_str).collect::<Vec<_>>().join(",");
        let unknown = |name: &str, near: Option<&str>| {
            Err(Unfit::Command { name: name.to_owned(), near: near.map(str::to_owned) })
        };
        let cases = [
            ("/tasks", Some(&known), Ok("/tasks")),
            (" tasks , /tasks  add ", Some(&known), Ok("/tasks add, tasks")),
            ("/taks", Some(&known), unknown("/taks", Some("/tasks"))),
            ("", None, Err(Unfit::Empty)),
            (" , ", None, Err(Unfit::Empty)),
            ("/settings set", Some(&known), Err(Unfit::Stays("/settings".to_owned()))),
            ("privacy", Some(&known), Err(Unfit::Stays("/privacy".to_owned()))),
            (&many, Some(&too_many), Err(Unfit::TooMany(NAMES_MAX))),
        ];
        for (text, known, expected) in cases {
            let found = SwitchedOff::parse(text, known).map(|off| off.to_string());
            assert_eq!(found, expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn what_was_stored_by_another_version_is_read_without_what_may_not_be_off() {
        let stored = |text: &str| SwitchedOff::parse(text, None).map(|off| off.to_string());
        assert_eq!(stored("/settings set, /gone, tasks"), Ok("/gone, tasks".to_owned()));
        assert_eq!(stored("privacy"), Err(Unfit::Empty));
        let many: Vec<_> = (0..=NAMES_MAX).map(|n| format!("/x{n}")).collect();
        assert!(stored(&many.join(",")).is_ok());
    }
}
