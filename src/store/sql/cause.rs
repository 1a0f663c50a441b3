//! Causes of failed database operations, common to both engines.

use candor_core::contract::ServiceError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    DiskFull,
    Disk,
    /// Another process holds the lock.
    Locked,
    Crowded,
    Closed,
    CannotOpen,
    ReadOnly,
    NotADatabase,
    Damaged,
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "a server's alone"))]
    /// The server took too long, or no connection to it became free in time.
    Late,
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "a server's alone"))]
    /// The server cannot be reached, or went away.
    Unreachable,
    /// Any other cause: a bug in this program.
    Other,
}

impl Cause {
    /// Returns the error for the store's callers. `problem` is the engine's message.
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
