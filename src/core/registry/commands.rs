//! The registry: the checked, immutable commands in force.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::contract::outside::RunSpec;
use crate::contract::{
    Checked, Command, Completer, EventHook, Handler, HttpHosts, Leaf, ModuleCode, Owner, REPLY_MENUS, Schedule,
    SendPolicy, ServiceName, Withdrawn,
};
use crate::diagnostic::Code;
use crate::inbound::{CommandPath, CommandType};

/// The commands in force.
#[derive(Debug, Default)]
pub struct Registry {
    commands: BTreeMap<String, Arc<Command>>,
    menus: BTreeMap<(CommandType, String), Arc<Command>>,
    /// Tools of the chat model alone, by name. No slash command has the name of one.
    chat_only: BTreeMap<String, Arc<Command>>,
    modules: BTreeMap<Owner, ModuleFacts>,
    quarantined: BTreeMap<String, String>,
    quarantined_menus: BTreeMap<(CommandType, String), String>,
    /// What is wrong with rejected modules, and with subcommands that failed the check, by their names.
    faults: BTreeMap<String, Code>,
    left_out: BTreeSet<String>,
    switched_off: Vec<String>,
}

/// What is known about a module in force.
#[derive(Clone, Debug)]
pub struct ModuleFacts {
    /// A one-line summary.
    pub summary: String,
    /// The services its manifest asks for.
    pub services: Vec<ServiceName>,
    /// The hosts that it may read from, for the service `http`.
    pub http_hosts: HttpHosts,
    /// Its commands that run when something happens.
    pub events: Vec<EventHook>,
    /// Its commands that run at times.
    pub schedules: Vec<Schedule>,
    /// The code that its commands refer to.
    pub code: ModuleCode,
    /// What its manifest starts, and within which limits; `None` if it starts nothing.
    pub run: Option<Box<RunSpec>>,
}

impl Registry {
    /// Puts every accepted command in force. Commands of rejected modules, and subcommands that failed the check, are
    /// remembered by name, so that they are answered as unavailable rather than unknown. If two have one name, the first keeps it.
    pub fn build(checked: Checked) -> Self {
        let mut registry = Self { left_out: checked.left_out.into_iter().collect(), ..Self::default() };
        for module in checked.accepted {
            registry.switched_off.extend(module.switched_off);
            for Withdrawn { name, code } in module.withdrawn {
                let name = name.trim_start_matches('/').to_owned();
                registry.faults.insert(name.clone(), code);
                registry.quarantined.insert(name, module.owner.to_string());
            }
            let facts = ModuleFacts {
                summary: module.summary,
                services: module.services,
                http_hosts: module.http_hosts,
                events: module.events,
                schedules: module.schedules,
                code: module.code,
                run: module.run,
            };
            registry.modules.insert(module.owner, facts);
            // The names of a command are public fields, which may have changed since it was made.
            for command in module.commands.into_iter().map(|command| Arc::new(command.located())) {
                match command.command_type {
                    CommandType::Slash if command.chat_only => registry.chat_only.insert(command.name.clone(), command),
                    CommandType::Slash => registry.commands.insert(command.name.clone(), command),
                    menu => registry.menus.insert((menu, command.name.clone()), command),
                };
            }
        }
        for module in checked.rejected {
            registry.faults.extend(module.code.map(|code| (module.name.clone(), code)));
            let is_free =
                |name: &String| !registry.commands.contains_key(name) && !registry.chat_only.contains_key(name);
            for name in module.commands.into_iter().filter(is_free).collect::<Vec<_>>() {
                registry.quarantined.entry(name).or_insert_with(|| module.name.clone());
            }
            for menu in module.menus.into_iter().filter(|menu| !registry.menus.contains_key(menu)) {
                registry.quarantined_menus.entry(menu).or_insert_with(|| module.name.clone());
            }
        }
        registry
    }

    /// Every slash command, by name.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.commands.values().map(|command| &**command)
    }

    /// Every context-menu command, by menu and name.
    pub fn menus(&self) -> impl Iterator<Item = &Command> {
        self.menus.values().map(|command| &**command)
    }

    /// Every tool of the chat model alone, by name. Nobody can type them, and Discord does not know them.
    pub fn chat_only(&self) -> impl Iterator<Item = &Command> {
        self.chat_only.values().map(|command| &**command)
    }

    /// Everything in force: slash commands by name, context-menu commands by menu and name, and tools of the chat model
    /// alone.
    pub fn all(&self) -> impl Iterator<Item = &Command> {
        self.commands().chain(self.menus()).chain(self.chat_only())
    }

    /// Every slash command by name, then every context-menu command by menu and name, to be shared.
    pub(super) fn shared(&self) -> impl Iterator<Item = &Arc<Command>> {
        self.commands.values().chain(self.menus.values())
    }

    /// Whether this is the name, without slash, of a tool of the chat model alone.
    pub fn is_chat_only(&self, name: &str) -> bool {
        self.chat_only.contains_key(name)
    }

    /// The context-menu command with that name in that menu.
    pub fn menu(&self, menu: CommandType, name: &str) -> Option<&Command> {
        self.menus.get(&(menu, name.to_owned())).map(|command| &**command)
    }

    /// The slash command with that name, without slash.
    pub fn command(&self, name: &str) -> Option<&Command> {
        self.commands.get(name).map(|command| &**command)
    }

    /// The command and the leaf at a path: a slash command, one of a context menu, or a tool of the chat model alone.
    pub fn find(&self, path: &CommandPath) -> Option<(&Command, &Leaf)> {
        let command = match path.command_type() {
            CommandType::Slash => {
                self.command(path.command()).or_else(|| self.chat_only.get(path.command()).map(|command| &**command))?
            }
            menu => self.menu(menu, path.command())?,
        };
        Some((command, command.leaf(path)?))
    }

    /// The handler of one of this owner's leaves.
    pub fn handler(&self, owner: &Owner, leaf: &Leaf) -> Option<&Handler> {
        self.modules.get(owner)?.code.handler(&leaf.handler.name)
    }

    /// The completer for an option of one of this owner's leaves.
    pub fn completer(&self, owner: &Owner, leaf: &Leaf, option: &str) -> Option<&Completer> {
        self.modules.get(owner)?.code.completer(&leaf.handler.name, option)
    }

    /// The number of slash commands.
    pub fn size(&self) -> usize {
        self.commands.len()
    }

    /// The commands that run when something happens, each with its module and where the operator lets that say
    /// something. Where it may nowhere, nothing runs.
    pub fn hooks(&self) -> impl Iterator<Item = (&Owner, &EventHook, &Arc<SendPolicy>)> {
        self.modules.iter().flat_map(|(owner, facts)| {
            let policy = facts.code.send_to();
            let events = facts.events.iter().filter(|_| policy.is_open());
            events.map(move |hook| (owner, hook, policy))
        })
    }

    /// The commands that run at times, each with its module and where the operator lets that say something.
    pub fn schedules(&self) -> impl Iterator<Item = (&Owner, &Schedule, &Arc<SendPolicy>)> {
        self.modules.iter().flat_map(|(owner, facts)| {
            let policy = facts.code.send_to();
            let schedules = facts.schedules.iter().filter(|_| policy.is_open());
            schedules.map(move |schedule| (owner, schedule, policy))
        })
    }

    /// The modules that say something by themselves: that send messages, or run commands at events and times.
    pub fn senders(&self) -> BTreeSet<String> {
        let says = |facts: &ModuleFacts| {
            facts.services.contains(&ServiceName::Send) || !facts.events.is_empty() || !facts.schedules.is_empty()
        };
        self.modules.iter().filter(|(_, facts)| says(facts)).map(|(owner, _)| owner.to_string()).collect()
    }

    /// The modules in force.
    pub fn modules(&self) -> &BTreeMap<Owner, ModuleFacts> {
        &self.modules
    }

    /// The module that would own this command, or this subcommand (`tasks add`) or group of a command in force, which
    /// failed the check.
    pub fn quarantined_command(&self, name: &str) -> Option<&str> {
        let below = format!("{name} ");
        let of_group = || self.quarantined.range(below.clone()..).next().filter(|(known, _)| known.starts_with(&below));
        let module = self.quarantined.get(name).or_else(|| of_group().map(|(_, module)| module));
        module.map(String::as_str)
    }

    /// What is wrong with this subcommand or group of them, or else with this module, which failed the check.
    pub fn fault(&self, command: &str, module: &str) -> Option<Code> {
        let below = format!("{command} ");
        let of_group = || self.faults.range(below.clone()..).next().filter(|(known, _)| known.starts_with(&below));
        let of_command = self.faults.get(command).or_else(|| of_group().map(|(_, code)| code));
        of_command.or_else(|| self.faults.get(module)).copied()
    }

    /// The rejected module that would own this context-menu command.
    pub fn quarantined_menu(&self, menu: CommandType, name: &str) -> Option<&str> {
        self.quarantined_menus.get(&(menu, name.to_owned())).map(String::as_str)
    }

    /// The built-in slash commands that are left out because there is no chat model: names without slashes.
    pub fn left_out(&self) -> &BTreeSet<String> {
        &self.left_out
    }

    /// What the operator switched off in the settings: full names, as the modules' manifests declare them.
    pub fn switched_off(&self) -> &[String] {
        &self.switched_off
    }

    /// The built-in context-menu commands for the replies of a chat model: none where there is no such model.
    pub fn reply_menus(&self) -> impl Iterator<Item = &'static str> {
        REPLY_MENUS.into_iter().filter(|_| self.left_out.is_empty())
    }

    /// The commands of rejected modules and the subcommands that failed the check (`tasks add`), with their modules.
    pub fn quarantined(&self) -> &BTreeMap<String, String> {
        &self.quarantined
    }

    /// The context-menu commands of rejected modules, with their modules.
    pub fn quarantined_menus(&self) -> &BTreeMap<(CommandType, String), String> {
        &self.quarantined_menus
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{CommandKind, Leaf};
    use crate::testing::accepted;

    #[test]
    fn a_renamed_command_is_found_under_its_new_name_alone() {
        let leaf = CommandKind::Leaf(Leaf::new("unused", Vec::new(), None));
        let command = Command::new("list", "Lists", Owner::Builtin, leaf);
        let module = accepted(Owner::Builtin, vec![Command { name: "show".to_owned(), ..command }]);
        let registry = Registry::build(Checked { accepted: vec![module], ..Checked::default() });
        let found = |name| registry.find(&CommandPath::new(name, None)).map(|(_, leaf)| leaf.path().to_string());
        assert_eq!(found("show").as_deref(), Some("/show"));
        assert_eq!(found("list"), None);
    }
}
