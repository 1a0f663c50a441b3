//! Who claims which command name, over all modules.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::contract::spec::Owner;
use crate::diagnostic::File;

/// The first claim of every name.
#[derive(Default)]
pub(super) struct Claims(BTreeMap<String, Claim>);

/// Where a name was claimed first.
#[derive(Clone)]
pub(super) struct Claim {
    pub(super) owner: Owner,
    pub(super) file: Arc<File>,
    pub(super) span: Range<usize>,
}

impl Claims {
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
