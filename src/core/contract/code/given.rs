//! What an operator gives a module in the settings file.

use std::collections::BTreeSet;

use crate::contract::manifest::CommandNames;
use crate::contract::services::SendPolicy;
use crate::contract::spec::ModuleSettings;

/// What an operator gives a module in the settings file; by default nothing.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The values of its settings, each of a kind that the setting takes.
    pub settings: ModuleSettings,
    /// What its commands are called.
    pub names: CommandNames,
    /// Where it may send.
    pub send_to: SendPolicy,
    /// What its program may do beyond its own folders.
    pub trusted: TrustedRights,
}

/// The rights that an operator grants the program of a module under `[modules.trusted]`; by default none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedRights {
    /// The TCP ports that it may connect to.
    pub ports: BTreeSet<u16>,
    /// The files and folders that it may read, with everything below them.
    pub reads: Vec<String>,
    /// Whether it may run without a sandbox.
    pub unconfined: bool,
}

impl TrustedRights {
    /// Says how an operator grants a right: `line` is written under the module's table.
    pub fn help(module: &str, line: &str) -> String {
        format!(
            "if you trust this module with it, write `{line}` under `[modules.trusted.{module}]` in the settings file; \
             otherwise take it out of the manifest"
        )
    }
}
