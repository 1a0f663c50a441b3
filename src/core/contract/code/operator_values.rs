//! The operator's settings for a module.

use std::collections::BTreeSet;

use crate::contract::manifest::CommandNames;
use crate::contract::services::SendPolicy;
use crate::contract::spec::ModuleSettings;

/// The operator's settings for a module; empty by default.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The values of its settings. Each fits its setting's kind.
    pub settings: ModuleSettings,
    /// The names of its commands.
    pub names: CommandNames,
    /// The channels that it may send to.
    pub send_to: SendPolicy,
    /// The rights of its program beyond its own folders.
    pub trusted: TrustedRights,
}

/// The rights that an operator grants a module's program under `[modules.trusted]`; none by default.
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
    /// Returns a help text on how an operator grants a right. `line` goes under the module's table.
    pub fn help(module: &str, line: &str) -> String {
        format!(
            "if you trust this module with it, write `{line}` under `[modules.trusted.{module}]` in the settings file; \
             otherwise take it out of the manifest"
        )
    }
}
