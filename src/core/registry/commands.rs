//! The registry: the checked, immutable commands in force.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::contract::outside::RunSpec;
use crate::contract::{
    Command, Completer, EventHook, Handler, HttpHosts, Leaf, ModuleCode, Owner, REPLY_MENUS, Schedule, SendPolicy,
    ServiceName,
};
use crate::inbound::{CommandPath, CommandType};
use crate::record::CodeName;
use crate::registry::failed::Failed;

#[derive(Debug, Default)]
pub struct Registry {
    pub(super) commands: BTreeMap<String, Arc<Command>>,
    pub(super) menus: BTreeMap<(CommandType, String), Arc<Command>>,
    /// Tools of the chat model alone, by name. Slash commands have other names.
    pub(super) chat_only: BTreeMap<String, Arc<Command>>,
    pub(super) modules: BTreeMap<Owner, ModuleFacts>,
    pub(super) failed: Failed,
    pub(super) left_out: BTreeSet<String>,
}

/// The facts about a module in force.
#[derive(Clone, Debug)]
pub struct ModuleFacts {
    pub summary: String,
    pub services: Vec<ServiceName>,
    /// The hosts that it may read from, for the service `http`.
    pub http_hosts: HttpHosts,
    /// Its commands that events trigger.
    pub events: Vec<EventHook>,
    pub schedules: Vec<Schedule>,
    /// Its commands that the operator switched off: full names, as its manifest declares them.
    pub switched_off: Vec<String>,
    pub code: ModuleCode,
    pub code_name: Option<CodeName>,
    /// The program or MCP server that it starts, with limits; `None` if it starts nothing.
    pub run: Option<Box<RunSpec>>,
}

impl Registry {
    /// Returns every slash command, by name.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.commands.values().map(|command| &**command)
    }

    /// Returns every context-menu command, by menu and name.
    pub fn menus(&self) -> impl Iterator<Item = &Command> {
        self.menus.values().map(|command| &**command)
    }

    /// Returns every tool of the chat model alone, by name. People cannot type them, and Discord does not know them.
    pub fn chat_only(&self) -> impl Iterator<Item = &Command> {
        self.chat_only.values().map(|command| &**command)
    }

    /// Returns all commands in force: slash commands by name, context-menu commands by menu and name, and tools of the
    /// chat model alone.
    pub fn all(&self) -> impl Iterator<Item = &Command> {
        self.commands().chain(self.menus()).chain(self.chat_only())
    }

    /// Returns every slash command by name, then every context-menu command by menu and name.
    pub(super) fn shared(&self) -> impl Iterator<Item = &Arc<Command>> {
        self.commands.values().chain(self.menus.values())
    }

    /// `name` has no slash.
    pub fn is_chat_only(&self, name: &str) -> bool {
        self.chat_only.contains_key(name)
    }

    pub fn menu(&self, menu: CommandType, name: &str) -> Option<&Command> {
        self.menus.get(&(menu, name.to_owned())).map(|command| &**command)
    }

    /// `name` has no slash.
    pub fn command(&self, name: &str) -> Option<&Command> {
        self.commands.get(name).map(|command| &**command)
    }

    /// Returns the command and the leaf at a path: a slash command, one of a context menu, or a tool of the chat model
    /// alone.
    pub fn find(&self, path: &CommandPath) -> Option<(&Command, &Leaf)> {
        let command = match path.command_type() {
            CommandType::Slash => {
                self.command(path.command()).or_else(|| self.chat_only.get(path.command()).map(|command| &**command))?
            }
            menu => self.menu(menu, path.command())?,
        };
        Some((command, command.leaf(path)?))
    }

    pub fn handler(&self, owner: &Owner, leaf: &Leaf) -> Option<&Handler> {
        self.modules.get(owner)?.code.handler(&leaf.handler.name)
    }

    /// Returns the name that receipts have for this module's code.
    pub fn code_name(&self, owner: &Owner) -> Option<&CodeName> {
        self.modules.get(owner)?.code_name.as_ref()
    }

    pub fn completer(&self, owner: &Owner, leaf: &Leaf, option: &str) -> Option<&Completer> {
        self.modules.get(owner)?.code.completer(&leaf.handler.name, option)
    }

    /// Returns the number of slash commands.
    pub fn size(&self) -> usize {
        self.commands.len()
    }

    /// Returns the commands that events trigger, each with its module and the channels that the operator allows. Omits
    /// modules without an allowed channel.
    pub fn hooks(&self) -> impl Iterator<Item = (&Owner, &EventHook, &Arc<SendPolicy>)> {
        self.modules.iter().flat_map(|(owner, facts)| {
            let policy = facts.code.send_to();
            let events = facts.events.iter().filter(|_| policy.is_open());
            events.map(move |hook| (owner, hook, policy))
        })
    }

    /// Returns the scheduled commands, each with its module and the channels that the operator allows. Omits modules
    /// without an allowed channel.
    pub fn schedules(&self) -> impl Iterator<Item = (&Owner, &Schedule, &Arc<SendPolicy>)> {
        self.modules.iter().flat_map(|(owner, facts)| {
            let policy = facts.code.send_to();
            let schedules = facts.schedules.iter().filter(|_| policy.is_open());
            schedules.map(move |schedule| (owner, schedule, policy))
        })
    }

    /// Returns the modules that post unprompted: those that send messages, or run commands at events and times.
    pub fn senders(&self) -> BTreeSet<String> {
        let says = |facts: &ModuleFacts| {
            facts.services.contains(&ServiceName::Send) || !facts.events.is_empty() || !facts.schedules.is_empty()
        };
        self.modules.iter().filter(|(_, facts)| says(facts)).map(|(owner, _)| owner.to_string()).collect()
    }

    pub fn modules(&self) -> &BTreeMap<Owner, ModuleFacts> {
        &self.modules
    }

    /// Returns the built-in slash commands that are left out without a chat model: names without slashes.
    pub fn left_out(&self) -> &BTreeSet<String> {
        &self.left_out
    }

    /// Returns the commands that the operator switched off in the settings: full names, as the modules' manifests
    /// declare them.
    pub fn switched_off(&self) -> Vec<&str> {
        self.modules.values().flat_map(|facts| &facts.switched_off).map(String::as_str).collect()
    }

    /// Returns the built-in context-menu commands for the replies of a chat model. Empty without a chat model.
    pub fn reply_menus(&self) -> impl Iterator<Item = &'static str> {
        REPLY_MENUS.into_iter().filter(|_| self.left_out.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Checked, CommandKind, Leaf};
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
