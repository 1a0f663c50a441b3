//! Builds a registry from the result of the check.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::contract::limits::{COMMANDS_MAX, MENU_COMMANDS_MAX};
use crate::contract::{AcceptedModule, Checked, Command, Owner, RejectedModule, Withdrawn, n_reserved_menus};
use crate::diagnostic::FirstError;
use crate::inbound::CommandType;
use crate::registry::commands::{ModuleFacts, Registry};
use crate::registry::failed::NotInForce;

impl Registry {
    /// Puts every accepted command in force. Keeps the names of rejected modules' commands and of rejected subcommands,
    /// so that the bot answers them as unavailable and not as unknown. If two commands share a name, the first keeps
    /// it.
    pub fn build(checked: Checked) -> Self {
        Self::after(&Self::default(), checked)
    }

    /// Builds the registry after a reload. A module that worked and now fails the check keeps its entire previous
    /// version.
    pub fn after(before: &Self, checked: Checked) -> Self {
        let mut registry = Self { left_out: checked.left_out.into_iter().collect(), ..Self::default() };
        let mut broken = BTreeMap::new();
        for module in checked.accepted {
            match module.withdrawn.iter().find(|withdrawn| before.has(&module.owner, &withdrawn.name)) {
                Some(withdrawn) => drop(broken.insert(module.owner, Some(withdrawn.error.clone()))),
                None => registry.accept(module),
            }
        }
        let rejected = checked.rejected.iter().map(|module| (Owner::Module(module.name.clone()), module.error.clone()));
        broken.extend(rejected.filter(|(owner, _)| before.modules.contains_key(owner)));
        for (owner, error) in broken {
            registry.keep(before, owner, error);
        }
        checked.rejected.into_iter().for_each(|module| registry.reject(module));
        registry
    }

    fn accept(&mut self, module: AcceptedModule) {
        for Withdrawn { name, error } in module.withdrawn {
            let command = NotInForce { module: module.owner.to_string(), error: Some(error), is_at_fault: true };
            self.failed.commands.insert(name.trim_start_matches('/').to_owned(), command);
        }
        let facts = ModuleFacts {
            summary: module.summary,
            services: module.services,
            http_hosts: module.http_hosts,
            events: module.events,
            schedules: module.schedules,
            switched_off: module.switched_off,
            code: module.code,
            code_name: module.code_name,
            run: module.run,
        };
        self.modules.insert(module.owner, facts);
        // A command's names are public fields, which may have changed after its creation.
        module.commands.into_iter().for_each(|command| self.insert(Arc::new(command.located())));
    }

    fn insert(&mut self, command: Arc<Command>) {
        match command.command_type {
            CommandType::Slash if command.chat_only => self.chat_only.insert(command.name.clone(), command),
            CommandType::Slash => self.commands.insert(command.name.clone(), command),
            menu => self.menus.insert((menu, command.name.clone()), command),
        };
    }

    /// Keeps the previous version of a module, except names that another module now has. A command that no longer fits
    /// beside the other modules is not in force.
    fn keep(&mut self, before: &Self, owner: Owner, error: Option<FirstError>) {
        let commands = before.commands.values().chain(before.menus.values()).chain(before.chat_only.values());
        for command in commands.filter(|command| command.owner == owner) {
            if self.is_taken(command.command_type, &command.name) {
                continue;
            }
            if self.has_room_for(command) {
                self.insert(Arc::clone(command));
                continue;
            }
            let name = command.name.clone();
            let left = NotInForce::of(owner.to_string(), error.clone());
            match command.command_type {
                CommandType::Slash => drop(self.failed.commands.insert(name, left)),
                menu => drop(self.failed.menus.insert((menu, name), left)),
            }
        }
        self.modules.extend(before.modules.get(&owner).map(|facts| (owner.clone(), facts.clone())));
        self.failed.kept.insert(owner, error);
    }

    /// Records the names of a module that failed the check.
    fn reject(&mut self, module: RejectedModule) {
        let RejectedModule { name: module, commands, menus, at_fault, error } = module;
        let mut is_named = self.failed.kept.contains_key(&Owner::Module(module.clone()));
        for name in commands.into_iter().filter(|name| !self.is_taken(CommandType::Slash, name)).collect::<Vec<_>>() {
            let own = at_fault.get(&name);
            let module = module.clone();
            let command = NotInForce { module, error: own.or(error.as_ref()).cloned(), is_at_fault: own.is_some() };
            self.failed.commands.entry(name).or_insert(command);
            is_named = true;
        }
        for (menu, name) in menus.into_iter().filter(|(menu, name)| !self.is_taken(*menu, name)).collect::<Vec<_>>() {
            let command = NotInForce::of(module.clone(), error.clone());
            self.failed.menus.entry((menu, name)).or_insert(command);
            is_named = true;
        }
        if !is_named {
            self.failed.nameless.insert(module, error);
        }
    }

    /// Returns whether Discord accepts one more command of this type, and the names of its tools are unused.
    fn has_room_for(&self, command: &Command) -> bool {
        let (n, max) = match command.command_type {
            CommandType::Slash if command.chat_only => (0, 1),
            CommandType::Slash => (self.commands.len(), COMMANDS_MAX),
            menu => {
                let n_known = self.menus.keys().filter(|(known, _)| *known == menu).count();
                (n_known + n_reserved_menus(menu), MENU_COMMANDS_MAX)
            }
        };
        let tools = |command: &Command| {
            command
                .leaves()
                .filter_map(|leaf| leaf.tool.as_ref())
                .map(|tool| tool.name.clone())
                .collect::<BTreeSet<_>>()
        };
        let own = tools(command);
        n < max && self.all().all(|other| tools(other).is_disjoint(&own))
    }

    fn is_taken(&self, command_type: CommandType, name: &str) -> bool {
        match command_type {
            CommandType::Slash => self.commands.contains_key(name) || self.chat_only.contains_key(name),
            menu => self.menu(menu, name).is_some(),
        }
    }

    fn has(&self, owner: &Owner, name: &str) -> bool {
        let below = format!("{name} ");
        let of_module = self.all().filter(|command| command.owner == *owner);
        let mut paths = of_module.flat_map(Command::leaves).map(|leaf| leaf.path().to_string());
        paths.any(|path| path == name || path.starts_with(&below))
    }
}
