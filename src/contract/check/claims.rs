//! Who claims which name, over all modules: a command's, or a tool's of the chat model.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::contract::spec::Owner;
use crate::diagnostic::File;

/// Every name that is claimed.
#[derive(Default)]
pub(super) struct Claims {
    /// Of commands, without slashes.
    pub(super) commands: Names,
    /// Of tools, as the model calls them.
    pub(super) tools: Names,
}

/// The first claim of every name.
#[derive(Default)]
pub(super) struct Names(BTreeMap<String, Claim>);

/// Where a name was claimed first.
#[derive(Clone)]
pub(super) struct Claim {
    pub(super) owner: Owner,
    pub(super) file: Arc<File>,
    pub(super) span: Range<usize>,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.file.position(self.span.start).line;
        write!(f, "by `{}`, {}:{line}", self.owner, self.file.path)
    }
}

impl Names {
    /// Claims a name, or returns who has it.
    pub(super) fn claim(&mut self, name: &str, claim: Claim) -> Result<(), Claim> {
        match self.0.get(name) {
            Some(first) => Err(first.clone()),
            None => {
                self.0.insert(name.to_owned(), claim);
                Ok(())
            }
        }
    }

    /// How many names are claimed. Those of modules that fail count too: they come back once repaired.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
