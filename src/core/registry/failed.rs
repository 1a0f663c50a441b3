//! Commands and modules that failed the check, with their errors.

use std::collections::BTreeMap;

use crate::contract::Owner;
use crate::diagnostic::{Code, FirstError};
use crate::inbound::CommandType;

/// A command that is not in force, because it failed the check or its module did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotInForce {
    pub module: String,
    /// Its first error, or else its module's. `None`: the manifest could not be read at all.
    pub error: Option<FirstError>,
    /// Whether the command itself has the error, and not another part of its module.
    pub is_at_fault: bool,
}

impl NotInForce {
    /// Builds the entry of a command that fails with its module.
    pub(super) fn of(module: String, error: Option<FirstError>) -> Self {
        Self { module, error, is_at_fault: false }
    }

    pub fn code(&self) -> Option<Code> {
        self.error.as_ref().map(|error| error.code)
    }

    /// Returns its state in the log.
    pub fn state(&self) -> &'static str {
        if self.is_at_fault { "rejected" } else { "unavailable" }
    }
}

#[derive(Debug, Default)]
pub(super) struct Failed {
    /// Slash commands of rejected modules, and subcommands (`tasks add`).
    pub(super) commands: BTreeMap<String, NotInForce>,
    pub(super) menus: BTreeMap<(CommandType, String), NotInForce>,
    /// Modules without a readable command name.
    pub(super) nameless: BTreeMap<String, Option<FirstError>>,
    /// Modules that keep their previous version.
    pub(super) kept: BTreeMap<Owner, Option<FirstError>>,
}
