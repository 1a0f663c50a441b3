//! The result of the check: accepted modules, rejected modules and diagnostics.

use std::collections::BTreeMap;

use crate::contract::code::ModuleCode;
use crate::contract::outside::RunSpec;
use crate::contract::reserved::OF_CHAT;
use crate::contract::services::{HttpHosts, ServiceName};
use crate::contract::spec::{Command, EventHook, Owner, Schedule};
use crate::diagnostic::{Diagnostics, FirstError};
use crate::inbound::CommandType;
use crate::record::{CodeName, Digest};

/// The result of the check.
#[derive(Debug, Default)]
pub struct Checked {
    /// Modules whose errors, if any, concern only single subcommands.
    pub accepted: Vec<AcceptedModule>,
    /// Modules rejected because of errors.
    pub rejected: Vec<RejectedModule>,
    /// All diagnostics, module by module, each in file order.
    pub diagnostics: Diagnostics,
    /// The built-in slash commands left out because no chat model is configured. Names have no slash.
    pub left_out: Vec<String>,
}

impl Checked {
    /// Names the code of compiled-in modules: the bot's program, of this version and with this digest.
    pub fn of_program(mut self, version: &str, digest: Digest) -> Self {
        for module in self.accepted.iter_mut().filter(|module| module.code_name.is_none() && module.run.is_none()) {
            module.code_name = Some(CodeName::new(&module.owner.to_string(), Some(version), digest));
        }
        self
    }

    /// Removes the built-in commands that need a chat model, for a bot without one.
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
    /// The services that its manifest asks for.
    pub services: Vec<ServiceName>,
    /// The hosts that it may read with the service `http`.
    pub http_hosts: HttpHosts,
    /// Its commands.
    pub commands: Vec<Command>,
    /// Commands that run on Discord events.
    pub events: Vec<EventHook>,
    /// Commands that run at set times.
    pub schedules: Vec<Schedule>,
    /// Subcommands that failed the check and are not in force.
    pub withdrawn: Vec<Withdrawn>,
    /// Commands that the operator switched off, by the full names in its manifest.
    pub switched_off: Vec<String>,
    /// The code that its commands refer to by name.
    pub code: ModuleCode,
    /// The name of this code in receipts. `None` for a compiled-in module until its program is known.
    pub code_name: Option<CodeName>,
    /// The program or server to start, and its limits. `None` if it starts nothing.
    pub run: Option<Box<RunSpec>>,
}

/// A subcommand left out because it failed the check.
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
    /// The slash commands in its manifest, as far as they can be read. Names have no slash.
    pub commands: Vec<String>,
    /// The context-menu commands in its manifest.
    pub menus: Vec<(CommandType, String)>,
    /// The first error of each command that is itself invalid. Names have no slash.
    pub at_fault: BTreeMap<String, FirstError>,
    /// Its first error. `None` if its manifest could not be read at all.
    pub error: Option<FirstError>,
}
