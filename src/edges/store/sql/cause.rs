//! Why a database operation failed, in terms that both engines share.

use candor_core::contract::ServiceError;

/// Why an engine failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// No room left on the disk.
    DiskFull,
    /// The disk or the file system failed.
    Disk,
    /// Another process holds the lock.
    Locked,
    /// Too many calls wait for it.
    Crowded,
    /// The store was closed.
    Closed,
    /// The file cannot be opened.
    CannotOpen,
    /// The file cannot be written.
    ReadOnly,
    /// The file is not a database.
    NotADatabase,
    /// The content is broken.
    Damaged,
    /// The server took too long, or no connection to it became free in time.
    Late,
    /// The server cannot be reached, or went away.
    Unreachable,
    /// Anything else: a fault of this program.
    Other,
}

impl Cause {
    /// The error as the store's callers get it. `problem` is what the engine says.
    pub(crate) fn told(self, problem: &str) -> ServiceError {
        ServiceError::Store(match self {
            Self::DiskFull => return ServiceError::DiskFull,
            Self::Disk => format!("the disk failed, or is full: {problem}"),
            Self::Locked => "another process kept the database locked".to_owned(),
            Self::Crowded => "too many calls are waiting for it".to_owned(),
            Self::Closed => "it is closed".to_owned(),
            Self::CannotOpen => "the database file can no longer be opened".to_owned(),
            Self::ReadOnly => "the database is read-only".to_owned(),
            Self::NotADatabase | Self::Damaged => format!("the database is damaged: {problem}"),
            Self::Late => {
                "the database server did not answer in time: it is down, or too many calls are waiting for it"
                    .to_owned()
            }
            Self::Unreachable => format!("the database server cannot be reached: {problem}"),
            Self::Other => problem.to_owned(),
        })
    }
}
