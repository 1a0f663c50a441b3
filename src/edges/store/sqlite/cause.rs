//! Causes of storage errors, as far as they make a difference to people.

use candor_core::contract::ServiceError;

/// Why SQLite or sqlx failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// No room left on the disk.
    DiskFull,
    /// The disk or the file system failed.
    Disk,
    /// Another process holds the lock.
    Locked,
    /// Too many calls wait for a connection.
    Crowded,
    /// The store was closed.
    Closed,
    /// The file cannot be opened.
    CannotOpen,
    /// The file cannot be written.
    ReadOnly,
    /// The file is not a database.
    NotADatabase,
    /// The file's content is broken.
    Damaged,
    /// Anything else: a fault of this program.
    Other,
}

impl Cause {
    /// The cause of an error.
    pub(crate) fn of(error: &sqlx::Error) -> Self {
        match error {
            sqlx::Error::Database(error) => {
                error.code().and_then(|code| code.parse().ok()).map_or(Self::Other, Self::of_code)
            }
            sqlx::Error::Io(_) => Self::Disk,
            sqlx::Error::PoolTimedOut => Self::Crowded,
            sqlx::Error::PoolClosed => Self::Closed,
            _ => Self::Other,
        }
    }

    /// See SQLite's documentation, "Result and Error Codes": the low byte is the primary code.
    fn of_code(code: i32) -> Self {
        match code & 0xff {
            5 | 6 => Self::Locked,
            3 | 8 => Self::ReadOnly,
            10 => Self::Disk,
            11 => Self::Damaged,
            13 => Self::DiskFull,
            14 => Self::CannotOpen,
            26 => Self::NotADatabase,
            _ => Self::Other,
        }
    }
}

/// The error as the store's callers get it.
pub(crate) fn service_error(error: sqlx::Error) -> ServiceError {
    ServiceError::Store(match Cause::of(&error) {
        Cause::DiskFull => "the disk is full; nothing was written".to_owned(),
        Cause::Disk => format!("the disk failed, or is full: {error}"),
        Cause::Locked => "another process kept the database locked".to_owned(),
        Cause::Crowded => "too many calls are waiting for it".to_owned(),
        Cause::Closed => "it is closed".to_owned(),
        Cause::CannotOpen => "the database file cannot be opened any more".to_owned(),
        Cause::ReadOnly => "the database file is read-only".to_owned(),
        Cause::NotADatabase | Cause::Damaged => format!("the database file is damaged: {error}"),
        Cause::Other => error.to_string(),
    })
}
