//! Commands that failed the check, by the names that people type or choose.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::Owner;
use crate::diagnostic::FirstError;
use crate::inbound::{CommandPath, CommandType};
use crate::registry::commands::Registry;
use crate::registry::failed::NotInForce;

impl Registry {
    /// Returns the rejected module's slash command with this name, or the failed subcommand or group.
    pub fn quarantined_command(&self, name: &str) -> Option<&NotInForce> {
        let below = format!("{name} ");
        let of_group =
            || self.failed.commands.range(below.clone()..).next().filter(|(known, _)| known.starts_with(&below));
        self.failed.commands.get(name).or_else(|| of_group().map(|(_, command)| command))
    }

    /// Returns the rejected module's context-menu command with this name.
    pub fn quarantined_menu(&self, menu: CommandType, name: &str) -> Option<&NotInForce> {
        self.failed.menus.get(&(menu, name.to_owned()))
    }

    /// Returns everything that failed the check, by the names that people type or choose.
    pub fn not_in_force(&self) -> impl Iterator<Item = (CommandPath, &NotInForce)> {
        let slash = |name: &str| CommandPath::at(CommandType::Slash, &name.split(' ').collect::<Vec<_>>());
        let commands = self.failed.commands.iter().map(move |(name, command)| (slash(name), command));
        let menus = self.failed.menus.iter();
        commands.chain(menus.map(|((menu, name), command)| (CommandPath::at(*menu, &[name]), command)))
    }

    /// Returns the modules that failed the check at the last reload and kept their previous version, with their first
    /// error.
    pub fn kept(&self) -> &BTreeMap<Owner, Option<FirstError>> {
        &self.failed.kept
    }

    /// Returns the modules that failed the check, and those with a command that did.
    pub fn rejected_modules(&self) -> BTreeSet<&str> {
        let of_commands = self.not_in_force().map(|(_, command)| command.module.as_str());
        of_commands.chain(self.failed.nameless.keys().map(String::as_str)).collect()
    }

    /// Summarizes every failure of the check in one line: `not in force: /weather (command-missing-slash,
    /// modules/weather/module.toml:7)`. `None` if nothing failed.
    pub fn summary_of_failures(&self) -> Option<String> {
        let commands = self.not_in_force().map(|(path, command)| (path.to_string(), command.error.as_ref()));
        let nameless =
            self.failed.nameless.iter().map(|(module, error)| (format!("the module {module}"), error.as_ref()));
        let kept =
            self.failed.kept.iter().map(|(owner, error)| (format!("the new version of {owner}"), error.as_ref()));
        let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
        for (name, error) in commands.chain(nameless).chain(kept) {
            let reason = error.map_or("its manifest cannot be read".to_owned(), FirstError::to_string);
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, names)) => names.push(name),
                None => reasons.push((reason, vec![name])),
            }
        }
        let parts: Vec<_> = reasons.iter().map(|(reason, names)| format!("{} ({reason})", names.join(", "))).collect();
        (!parts.is_empty()).then(|| format!("not in force: {}", parts.join("; ")))
    }

    /// Returns the slash commands and subcommands that failed, without slashes, with their modules.
    pub fn quarantined(&self) -> BTreeMap<String, String> {
        self.failed.commands.iter().map(|(name, command)| (name.clone(), command.module.clone())).collect()
    }
}
