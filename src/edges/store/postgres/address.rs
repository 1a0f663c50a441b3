//! The address of the database, in a file of its own: it may hold a password.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use sqlx::postgres::PgConnectOptions;

use super::open_error::ServerError;

/// Longer than any address in use; a longer file was named by mistake.
const ADDRESS_LENGTH_MAX: u64 = 8 * 1024;

/// The address of a PostgreSQL database. It has no text form, so no log can hold it.
#[derive(Clone)]
pub struct Address {
    /// The file that holds it.
    pub(super) file: PathBuf,
    pub(super) options: PgConnectOptions,
}

impl Address {
    /// Reads the address from a file that holds nothing else.
    pub fn read(file: &Path) -> Result<Self, ServerError> {
        let mut text = String::new();
        File::open(file)
            .and_then(|opened| opened.take(ADDRESS_LENGTH_MAX).read_to_string(&mut text))
            .map_err(|problem| ServerError::Unreadable { file: file.to_owned(), problem: problem.to_string() })?;
        let text = text.trim();
        let is_postgres = ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme));
        // What is wrong with it is not said: the words would quote it.
        let options = PgConnectOptions::from_str(text).ok().filter(|_| is_postgres);
        let options = options.ok_or_else(|| ServerError::NoAddress { file: file.to_owned() })?;
        Ok(Self { file: file.to_owned(), options })
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Address(…)")
    }
}
