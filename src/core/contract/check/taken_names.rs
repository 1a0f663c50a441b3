//! Who claims which name, over all modules: a command's, that of an entry of a menu, or a tool's of the chat model.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::contract::spec::{Localized, Owner};
use crate::diagnostic::File;
use crate::inbound::CommandType;

/// Every name that is claimed.
#[derive(Default)]
pub(super) struct TakenNames {
    /// Of commands, without slashes.
    pub(super) commands: Shown,
    /// Of tools, as the model calls them.
    pub(super) tools: Names,
    user_menu: Shown,
    message_menu: Shown,
}

/// Names that Discord shows, in every language.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) names: Names,
    /// The same in other languages.
    pub(super) localized: Vec<(String, Localized, TakenName)>,
}

impl TakenNames {
    /// The names beside which one stands.
    pub(super) fn menu(&mut self, surface: CommandType) -> &mut Shown {
        match surface {
            CommandType::Slash => &mut self.commands,
            CommandType::UserMenu => &mut self.user_menu,
            CommandType::MessageMenu => &mut self.message_menu,
        }
    }
}

/// The first claim of every name.
#[derive(Default)]
pub(super) struct Names(BTreeMap<String, TakenName>);

/// Where a name was claimed first.
#[derive(Clone)]
pub(super) struct TakenName {
    pub(super) owner: Owner,
    pub(super) file: Arc<File>,
    pub(super) span: Range<usize>,
}

impl fmt::Display for TakenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.file.position(self.span.start).line;
        write!(f, "by `{}`, {}:{line}", self.owner, self.file.path)
    }
}

impl Names {
    /// TakenNames a name, or returns who has it.
    pub(super) fn claim(&mut self, name: &str, claim: TakenName) -> Result<(), TakenName> {
        match self.0.get(name) {
            Some(first) => Err(first.clone()),
            None => {
                self.0.insert(name.to_owned(), claim);
                Ok(())
            }
        }
    }

    /// Who has a name.
    pub(super) fn first(&self, name: &str) -> Option<&TakenName> {
        self.0.get(name)
    }

    /// How many names are claimed. Those of modules that fail count too: they come back once repaired.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
