//! A connection to the file, and the meaning of its errors.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{ErrorCode, OpenFlags, params_from_iter};

use crate::sql::{Cause, Cell, Connection, Param, Row};
use candor_core::contract::ServiceError;

/// How long a statement waits for another process to release the lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long emptying the log waits for readers. Writers wait as long.
const LOG_TIMEOUT: Duration = Duration::from_millis(100);

/// Size of the cache of prepared statements: more than there are different ones.
const STATEMENTS_KEPT: usize = 128;

/// One connection to the file. Only its own thread uses it.
pub(crate) struct FileConnection {
    pub(super) connection: rusqlite::Connection,
    pub(super) is_undone: bool,
}

impl FileConnection {
    pub(super) fn open(absolute: &Path, may_write: bool) -> rusqlite::Result<Self> {
        let access = if may_write { OpenFlags::SQLITE_OPEN_READ_WRITE } else { OpenFlags::SQLITE_OPEN_READ_ONLY };
        let connection = rusqlite::Connection::open_with_flags(absolute, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
        // `secure_delete` overwrites data in the file that `/clear` deletes, instead of only marking it as free.
        // Without `trusted_schema`, the schema of a malicious file cannot run functions.
        let pragmas = "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; \
                       PRAGMA secure_delete = ON";
        connection.execute_batch(pragmas)?;
        Ok(Self { connection, is_undone: false })
    }

    /// Replaces a broken connection by a new one to the same file.
    pub(super) fn open_anew(&mut self) -> rusqlite::Result<()> {
        let path = self.connection.path().map(std::path::PathBuf::from).unwrap_or_default();
        let is_read_only: bool = self.connection.pragma_query_value(None, "query_only", |row| row.get(0))?;
        let fresh = Self::open(&path, true)?;
        fresh.connection.pragma_update(None, "query_only", is_read_only)?;
        *self = fresh;
        Ok(())
    }

    /// Runs a statement that has neither values nor rows.
    pub(super) fn command(&self, statement: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(statement)?.execute([]).map(drop)
    }

    /// Writes the write-ahead log into the file and truncates it. Returns false if another connection reads from it.
    pub(super) fn empty_log(&self) -> rusqlite::Result<bool> {
        self.connection.busy_timeout(LOG_TIMEOUT)?;
        let is_busy = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        self.connection.busy_timeout(BUSY_TIMEOUT)?;
        Ok(is_busy? == 0)
    }

    /// Whether a transaction is open. SQLite itself ends a transaction when the disk is full.
    pub(super) fn is_in_transaction(&self) -> bool {
        !self.connection.is_autocommit()
    }

    fn changed(&self, statement: &str, values: &[Param]) -> rusqlite::Result<usize> {
        self.connection.prepare_cached(statement)?.execute(params_from_iter(values))
    }

    fn read(&self, statement: &str, values: &[Param]) -> rusqlite::Result<Vec<Row>> {
        let mut statement = self.connection.prepare_cached(statement)?;
        let n_columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            let cells: rusqlite::Result<Vec<_>> = (0..n_columns).map(|column| cell(row.get_ref(column)?)).collect();
            cells.map(Row::new)
        };
        // Steps to the end, because only there an insert with `RETURNING` is done and a full disk shows.
        statement.query_map(params_from_iter(values), row)?.collect()
    }
}

#[async_trait]
impl Connection for FileConnection {
    async fn execute(&mut self, statement: &'static str, values: &[Param]) -> Result<u64, ServiceError> {
        self.changed(statement, values).map(|changed| changed as u64).map_err(|error| service_error(&error))
    }

    async fn rows(&mut self, statement: &'static str, values: &[Param]) -> Result<Vec<Row>, ServiceError> {
        self.read(statement, values).map_err(|error| service_error(&error))
    }

    async fn lock(&mut self, _: &str) -> Result<(), ServiceError> {
        // A writer holds the lock of the whole file.
        Ok(())
    }

    fn undo(&mut self) {
        self.is_undone = true;
    }

    fn is_shared(&self) -> bool {
        false
    }
}

impl ToSql for Param {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self {
            Self::Integer(Some(number)) => ValueRef::Integer(*number),
            Self::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(Some(bytes)) => ValueRef::Blob(bytes),
            Self::Integer(None) | Self::Text(None) | Self::Bytes(None) => ValueRef::Null,
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

fn cell(value: ValueRef<'_>) -> rusqlite::Result<Cell> {
    Ok(match value {
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Text(_) => Cell::Text(value.as_str()?.to_owned()),
        ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_owned()),
        // The tables are strict and have no column of real numbers.
        ValueRef::Null | ValueRef::Real(_) => Cell::Null,
    })
}

pub(crate) fn cause(error: &rusqlite::Error) -> Cause {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Cause::Locked,
        Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => Cause::ReadOnly,
        Some(ErrorCode::SystemIoFailure) => Cause::Disk,
        Some(ErrorCode::DatabaseCorrupt) => Cause::Damaged,
        Some(ErrorCode::DiskFull) => Cause::DiskFull,
        Some(ErrorCode::CannotOpen) => Cause::CannotOpen,
        Some(ErrorCode::NotADatabase) => Cause::NotADatabase,
        _ => Cause::Other,
    }
}

/// Returns the error for the store's callers.
pub(crate) fn service_error(error: &rusqlite::Error) -> ServiceError {
    cause(error).told(&error.to_string())
}
