//! Reads the address of the PostgreSQL database from a separate file, because it may hold a password.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use sqlx::postgres::PgConnectOptions;

use super::open_error::ServerError;

/// Longer than any real address; a longer file was named by mistake.
const ADDRESS_LENGTH_MAX: u64 = 8 * 1024;

/// The parameters that an address may have. The driver ignores any other, and logs it with its value.
const PARAMETERS: [&str; 12] = [
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "options",
    "statement-cache-capacity",
];

/// The address of a PostgreSQL database. It implements neither `Debug` nor `Display`, so that no log can hold it.
#[derive(Clone)]
pub struct Address {
    pub(super) file: PathBuf,
    pub(super) options: PgConnectOptions,
}

impl Address {
    /// Reads the address from a file that contains nothing else.
    pub fn read(file: &Path) -> Result<Self, ServerError> {
        let mut text = String::new();
        File::open(file)
            .and_then(|opened| opened.take(ADDRESS_LENGTH_MAX).read_to_string(&mut text))
            .map_err(|problem| ServerError::Unreadable { file: file.to_owned(), problem: problem.to_string() })?;
        let text = text.trim();
        // The error quotes no part of the address, not even the name of an unknown parameter: if the password contains
        // a `?` or an `&`, that name is a part of it. The driver only receives checked parameters.
        let no_address = || ServerError::NoAddress { file: file.to_owned() };
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(no_address());
        }
        if !parameters(text).all(|name| PARAMETERS.contains(&name)) {
            return Err(ServerError::UnknownParameter { file: file.to_owned(), known: PARAMETERS.join(", ") });
        }
        let options = PgConnectOptions::from_str(text).map_err(|_| no_address())?;
        Ok(Self { file: file.to_owned(), options })
    }
}

fn parameters(address: &str) -> impl Iterator<Item = &str> {
    let parameters = address.split_once('?').map_or("", |(_, parameters)| parameters);
    let named = parameters.split('&').filter(|parameter| !parameter.is_empty());
    named.map(|parameter| parameter.split_once('=').map_or(parameter, |(name, _)| name))
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Address(…)")
    }
}
