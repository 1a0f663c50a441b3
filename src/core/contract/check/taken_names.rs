//! Tracks which names are taken across all modules: commands, context-menu commands, and tools of the chat model.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::contract::spec::{Localized, Owner};
use crate::diagnostic::File;
use crate::inbound::CommandType;

/// All claimed names.
#[derive(Default)]
pub(crate) struct TakenNames {
    /// Command names, without slashes.
    pub(crate) commands: Shown,
    /// Tool names, as the model calls them.
    pub(crate) tools: Names,
    user_menu: Shown,
    message_menu: Shown,
}

/// Names shown on Discord, in every language.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) names: Names,
    /// Localized names.
    pub(crate) localized: Vec<(String, Localized, TakenName)>,
}

impl TakenNames {
    /// The names of the same kind of command, which must be unique.
    pub(crate) fn menu(&mut self, surface: CommandType) -> &mut Shown {
        match surface {
            CommandType::Slash => &mut self.commands,
            CommandType::UserMenu => &mut self.user_menu,
            CommandType::MessageMenu => &mut self.message_menu,
        }
    }
}

/// The first claim of every name.
#[derive(Default)]
pub(crate) struct Names(BTreeMap<String, TakenName>);

/// Where a name was first claimed.
#[derive(Clone)]
pub(crate) struct TakenName {
    pub(crate) owner: Owner,
    pub(crate) file: Arc<File>,
    pub(crate) span: Range<usize>,
}

impl fmt::Display for TakenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.file.position(self.span.start).line;
        write!(f, "by `{}`, {}:{line}", self.owner, self.file.path)
    }
}

impl Names {
    /// Claims a name, or returns who already has it.
    pub(crate) fn claim(&mut self, name: &str, claim: TakenName) -> Result<(), TakenName> {
        match self.0.get(name) {
            Some(first) => Err(first.clone()),
            None => {
                self.0.insert(name.to_owned(), claim);
                Ok(())
            }
        }
    }

    /// The first claim of a name.
    pub(crate) fn first(&self, name: &str) -> Option<&TakenName> {
        self.0.get(name)
    }

    /// The number of claimed names. Names of rejected modules count too: they return once the module is repaired.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
