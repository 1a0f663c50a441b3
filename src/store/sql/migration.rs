//! The migrations of an engine. A released migration never changes; a change is a new migration.

use sha2::{Digest as _, Sha384};

pub(crate) struct Migration {
    pub(crate) version: i64,
    pub(crate) name: &'static str,
    pub(crate) statements: &'static str,
}

impl Migration {
    /// Returns the digest that shows whether a database was made with exactly this migration.
    pub(crate) fn checksum(&self) -> Vec<u8> {
        Sha384::digest(self.statements).to_vec()
    }
}

/// The difference between a database's format and this program's.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FormatMismatch {
    Older(i64),
    /// The database has this migration, of a later version.
    Newer(i64),
    /// The database has this migration, but this program has a different one of that number, or does not have it.
    Other(i64),
}

/// Returns the migrations that a database still lacks. `taken` holds the version and checksum of those that it has.
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
