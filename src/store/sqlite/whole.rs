//! Operations on the whole file: copy, check, lock.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::connection::cause;
use super::file::{check_header, check_owner};
use super::migrations;
use super::open_error::OpenError;
use crate::sql::Cause;

/// Opens a store to copy it. Its format may be older. Creates nothing.
pub(crate) fn open_source(path: &Path) -> Result<rusqlite::Connection, OpenError> {
    let absolute = std::path::absolute(path).map_err(|problem| OpenError::of_file(path, &problem))?;
    if !absolute.try_exists().map_err(|problem| OpenError::of_file(path, &problem))? {
        return Err(OpenError::Missing { path: path.to_owned() });
    }
    check_header(path, &absolute)?;
    let source = super::connection::FileConnection::open(&absolute, true);
    let source = source.map_err(|problem| OpenError::of(path, &problem))?;
    check_owner(path, &source)?;
    Ok(source.connection)
}

/// Copies all committed data into an empty file. Writers continue meanwhile.
pub(crate) fn copy(source: &rusqlite::Connection, to: &Path) -> io::Result<()> {
    let to = std::path::absolute(to)?;
    let to = to.to_str().ok_or_else(|| io::Error::other("its path is not UTF-8"))?;
    source.execute("VACUUM INTO ?1", [to]).map(drop).map_err(io::Error::other)
}

/// Checks that a file is a store of this program and not empty. Does not change it.
pub(crate) fn check_is_store(path: &Path) -> io::Result<()> {
    let absolute = std::path::absolute(path)?;
    check_header(path, &absolute).map_err(io::Error::other)?;
    // Reads the header itself: opening the database would create a log beside it.
    let mut header = [0; 72];
    io::Read::read_exact(&mut std::fs::File::open(&absolute)?, &mut header)
        .map_err(|_| io::Error::other("it is empty"))?;
    match header {
        [.., a, b, c, d] if i64::from(i32::from_be_bytes([a, b, c, d])) == migrations::APPLICATION_ID => Ok(()),
        _ => Err(io::Error::other("it is a database of another program")),
    }
}

/// Locks a file against all other processes for as long as the connection lives. A damaged file is not locked: no bot
/// starts with it.
pub(crate) fn lock_alone(path: &Path) -> Result<Option<rusqlite::Connection>, rusqlite::Error> {
    let lock = || {
        let connection = rusqlite::Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(Duration::ZERO)?;
        // A process that has the file open in WAL mode holds a lock on it. The mode only changes without such a lock.
        connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
        connection.execute_batch("BEGIN EXCLUSIVE")?;
        Ok(connection)
    };
    match lock() {
        Ok(connection) => Ok(Some(connection)),
        Err(problem) if cause(&problem) == Cause::Locked => Err(problem),
        Err(_) => Ok(None),
    }
}
