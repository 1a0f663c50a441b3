//! The steps of an engine's format. A released step never changes; a change is a new one.

use sha2::{Digest as _, Sha384};

/// One step of the format.
pub(crate) struct Step {
    /// Its number.
    pub(crate) version: i64,
    /// Its name.
    pub(crate) name: &'static str,
    /// What it does.
    pub(crate) statements: &'static str,
}

impl Step {
    /// What tells whether a database was made with this very step.
    pub(crate) fn checksum(&self) -> Vec<u8> {
        Sha384::digest(self.statements).to_vec()
    }
}

/// How a database's format differs from this program's.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// It lacks this step.
    Older(i64),
    /// It has a step of a later version.
    Newer(i64),
    /// It has a step that this program has otherwise, or not at all.
    Other(i64),
}

/// The steps that a database still lacks. `taken` holds version and checksum of those it has.
pub(crate) fn missing<'a>(steps: &'a [Step], taken: &[(i64, Vec<u8>)]) -> Result<Vec<&'a Step>, Difference> {
    let last = steps.iter().map(|step| step.version).max().unwrap_or_default();
    for (version, checksum) in taken {
        match steps.iter().find(|step| step.version == *version) {
            Some(step) if step.checksum() == *checksum => {}
            None if last < *version => return Err(Difference::Newer(*version)),
            Some(_) | None => return Err(Difference::Other(*version)),
        }
    }
    Ok(steps.iter().filter(|step| taken.iter().all(|(version, _)| *version != step.version)).collect())
}
