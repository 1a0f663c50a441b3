//! The result of the check: the accepted and the rejected modules, and every problem.

use std::collections::BTreeMap;

use crate::contract::code::module_code::ModuleCode;
use crate::contract::outside::RunSpec;
use crate::contract::reserved::OF_CHAT;
use crate::contract::services::{HttpHosts, ServiceName};
use crate::contract::spec::{Command, EventHook, Owner, Schedule};
use crate::diagnostic::{Diagnostics, FirstError};
use crate::inbound::CommandType;

/// The result of the check.
#[derive(Debug, Default)]
pub struct Checked {
    /// Modules without an error beyond single subcommands, with their commands.
    pub accepted: Vec<AcceptedModule>,
    /// Modules with errors.
    pub rejected: Vec<RejectedModule>,
    /// Every problem: module by module, each from the top of its manifest down.
    pub diagnostics: Diagnostics,
    /// The built-in slash commands that were left out because there is no chat model: names without slashes.
    pub left_out: Vec<String>,
}

impl Checked {
    /// The same for a bot without a chat model: without the built-in commands that would have nothing to do.
    pub fn without_chat(mut self) -> Self {
        let builtin = self.accepted.iter_mut().filter(|module| module.owner == Owner::Builtin);
        for module in builtin {
            let (of_chat, others) =
                module.commands.drain(..).partition(|command| OF_CHAT.contains(&command.name.as_str()));
            module.commands = others;
            self.left_out.extend(Vec::into_iter(of_chat).map(|command| command.name));
        }
        self
    }
}

/// A module that passed the check.
#[derive(Debug)]
pub struct AcceptedModule {
    /// Its name.
    pub owner: Owner,
    /// A one-line summary.
    pub summary: String,
    /// The services its manifest asks for.
    pub services: Vec<ServiceName>,
    /// The hosts that it may read from, for the service `http`.
    pub http_hosts: HttpHosts,
    /// Its commands.
    pub commands: Vec<Command>,
    /// Which of them run when something happens.
    pub events: Vec<EventHook>,
    /// What runs at times.
    pub schedules: Vec<Schedule>,
    /// Its subcommands that failed the check, and are not in force.
    pub withdrawn: Vec<Withdrawn>,
    /// What the operator switched off of it: full names, as its manifest declares them.
    pub switched_off: Vec<String>,
    /// The code that its commands refer to.
    pub code: ModuleCode,
    /// What its manifest starts, and within which limits; `None` if it starts nothing.
    pub run: Option<Box<RunSpec>>,
}

/// A subcommand that failed the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    /// Its full name with a slash.
    pub name: String,
    /// Its first error.
    pub error: FirstError,
}

/// A module that failed the check.
#[derive(Debug, Default)]
pub struct RejectedModule {
    /// Its folder name.
    pub name: String,
    /// The slash commands that its manifest declares, as far as they can be read: names without slashes.
    pub commands: Vec<String>,
    /// The context-menu commands that its manifest declares.
    pub menus: Vec<(CommandType, String)>,
    /// The first error of each command that is itself at fault: names without slashes.
    pub at_fault: BTreeMap<String, FirstError>,
    /// Its first error. `None`: its manifest could not be read at all.
    pub error: Option<FirstError>,
}
