//! The migrations of an engine. A released one never changes; a change is a new one.

use sha2::{Digest as _, Sha384};

/// One migration.
pub(crate) struct Migration {
    /// Its number.
    pub(crate) version: i64,
    /// Its name.
    pub(crate) name: &'static str,
    /// What it does.
    pub(crate) statements: &'static str,
}

impl Migration {
    /// What tells whether a database was made with this very migration.
    pub(crate) fn checksum(&self) -> Vec<u8> {
        Sha384::digest(self.statements).to_vec()
    }
}

/// How a database's format differs from this program's.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FormatMismatch {
    /// It lacks this migration.
    Older(i64),
    /// It has a migration of a later version.
    Newer(i64),
    /// It has a migration that this program has otherwise, or not at all.
    Other(i64),
}

/// The migrations that a database still lacks. `taken` holds version and checksum of those it has.
pub(crate) fn missing<'a>(
    migrations: &'a [Migration],
    taken: &[(i64, Vec<u8>)],
) -> Result<Vec<&'a Migration>, FormatMismatch> {
    let last = migrations.iter().map(|migration| migration.version).max().unwrap_or_default();
    for (version, checksum) in taken {
        match migrations.iter().find(|migration| migration.version == *version) {
            Some(migration) if migration.checksum() == *checksum => {}
            None if last < *version => return Err(FormatMismatch::Newer(*version)),
            Some(_) | None => return Err(FormatMismatch::Other(*version)),
        }
    }
    Ok(migrations.iter().filter(|migration| taken.iter().all(|(version, _)| *version != migration.version)).collect())
}
