//! The names declared by all modules: slash commands, context-menu commands, and tools of the chat model.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::contract::spec::{Localized, Owner};
use crate::diagnostic::SourceFile;
use crate::inbound::CommandType;

/// The names declared so far.
#[derive(Default)]
pub(crate) struct DeclaredNames {
    /// Tool names, as the model calls them.
    pub(crate) tools: UniqueNames,
    slash: CommandNames,
    user_menu: CommandNames,
    message_menu: CommandNames,
}

/// The names of one type of command, in every language.
#[derive(Default)]
pub(crate) struct CommandNames {
    /// Names as in the manifests; those of slash commands are without their slash.
    pub(crate) names: UniqueNames,
    /// How many of them Discord is not told of, since the chat model alone calls them.
    pub(crate) n_chat_only: usize,
    /// Localized names, each with the name that it translates.
    pub(crate) localized: Vec<(String, Localized, Declaration)>,
}

impl DeclaredNames {
    /// The names of the commands of this type, which must be unique.
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

/// Where a name is declared.
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
    /// Adds a name, or returns its first declaration if it is there already.
    pub(crate) fn declare(&mut self, name: &str, declaration: Declaration) -> Result<(), Declaration> {
        match self.0.get(name) {
            Some(first) => Err(first.clone()),
            None => {
                self.0.insert(name.to_owned(), declaration);
                Ok(())
            }
        }
    }

    /// The first declaration of a name.
    pub(crate) fn first(&self, name: &str) -> Option<&Declaration> {
        self.0.get(name)
    }

    /// The number of names. Those of rejected modules count too: they return once the module is repaired.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
