//! The names that all modules declare: slash commands, context-menu commands, and chat tools.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::contract::spec::{Localized, Owner};
use crate::diagnostic::SourceFile;
use crate::inbound::CommandType;

#[derive(Default)]
pub(crate) struct DeclaredNames {
    pub(crate) tools: UniqueNames,
    slash: CommandNames,
    user_menu: CommandNames,
    message_menu: CommandNames,
}

/// Command names of one type, in every language.
#[derive(Default)]
pub(crate) struct CommandNames {
    /// Names as in the manifests, without a slash.
    pub(crate) names: UniqueNames,
    /// How many of them are `chat_only` and therefore not registered at Discord.
    pub(crate) n_chat_only: usize,
    /// Localized names, each with the unlocalized name that it translates.
    pub(crate) localized: Vec<(String, Localized, Declaration)>,
}

impl DeclaredNames {
    /// Returns the names of this type. They must be unique.
    pub(crate) fn commands(&mut self, command_type: CommandType) -> &mut CommandNames {
        match command_type {
            CommandType::Slash => &mut self.slash,
            CommandType::UserMenu => &mut self.user_menu,
            CommandType::MessageMenu => &mut self.message_menu,
        }
    }
}

/// Unique names, each with its first declaration.
#[derive(Default)]
pub(crate) struct UniqueNames(BTreeMap<String, Declaration>);

#[derive(Clone)]
pub(crate) struct Declaration {
    pub(crate) owner: Owner,
    pub(crate) file: Arc<SourceFile>,
    pub(crate) span: Range<usize>,
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.file.position(self.span.start).line;
        write!(f, "by `{}`, {}:{line}", self.owner, self.file.path)
    }
}

impl UniqueNames {
    /// Adds a name. Returns its first declaration if the name is taken.
    pub(crate) fn declare(&mut self, name: &str, declaration: Declaration) -> Result<(), Declaration> {
        match self.0.get(name) {
            Some(first) => Err(first.clone()),
            None => {
                self.0.insert(name.to_owned(), declaration);
                Ok(())
            }
        }
    }

    pub(crate) fn first(&self, name: &str) -> Option<&Declaration> {
        self.0.get(name)
    }

    /// Returns the number of names. Names of rejected modules count too: they return once the module is repaired.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
