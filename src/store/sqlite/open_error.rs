//! Errors of opening the store, worded for the operator.

use std::io;
use std::path::{Path, PathBuf};

use super::connection::cause;
use super::migrations::{MigrationError, last_version};
use crate::sql::{Cause, FormatMismatch};

/// Reasons why the store cannot be opened. Each message names the file and tells the operator what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(
        "there is no store `{}`: the first start of the bot makes it. Check `[store] path`, and the folder this was \
         started in",
        path.display()
    )]
    Missing {
        /// The file, as the operator wrote it.
        path: PathBuf,
    },
    /// The file was made by an older version of candor, and only a start changes its format.
    #[error(
        "the store `{}` was made by an older version of candor: it lacks format {lacks}. Start the bot of this version \
         once, which brings it up to date",
        path.display()
    )]
    Older { path: PathBuf, lacks: i64 },
    #[error(
        "cannot create the folder of the store `{}`: {problem}. Let `[store] path` name a file in a folder that \
         this process may write",
        path.display()
    )]
    Folder { path: PathBuf, problem: String },
    #[error(
        "cannot write the store `{}`: {problem}. Give this process the right to write the file and its folder, or \
         let `[store] path` name another file",
        path.display()
    )]
    File { path: PathBuf, problem: String },
    #[error(
        "the store `{}` is not a SQLite database. Let `[store] path` name another file, or move this one away",
        path.display()
    )]
    NotADatabase { path: PathBuf },
    #[error(
        "the store `{}` is a database of another program. Nothing in it was changed. Let `[store] path` name \
         another file",
        path.display()
    )]
    AnotherProgram { path: PathBuf },
    #[error(
        "the store `{}` was made by a newer version of candor: it has format {found}, and this version knows \
         formats up to {known}. Run the newer version, or restore a backup from before the update",
        path.display()
    )]
    Newer {
        path: PathBuf,
        /// The first format in the file that this version does not know.
        found: i64,
        /// The last format that this version knows.
        known: i64,
    },
    /// The file was made by another build of candor, with a different format.
    #[error(
        "the store `{}` was made by a different build of candor: its format {found} is not this version's. Run the \
         build that made it, or let `[store] path` name another file",
        path.display()
    )]
    OtherBuild { path: PathBuf, found: i64 },
    /// The file's schema differs from the one that this program makes.
    #[error(
        "the store `{}` was changed by somebody: {what}, which no version of candor makes or leaves so. Nothing in it \
         was changed. Restore a backup, or put that right with `sqlite3`",
        path.display()
    )]
    Strange {
        path: PathBuf,
        /// The unexpected or missing part.
        what: String,
    },
    #[error(
        "the store `{0}` is damaged: {problem}. Stop what uses it and restore a backup, or save what can be read \
         with `sqlite3 {0} .recover`",
        path.display()
    )]
    Damaged { path: PathBuf, problem: String },
    #[error(
        "the store `{}` cannot keep a write-ahead log: its file system does not support one, as is common for \
         network shares. Let `[store] path` name a file on a local disk",
        path.display()
    )]
    NoWriteAheadLog { path: PathBuf },
    #[error("the disk of the store `{}` is full. Make room on it and start again", path.display())]
    DiskFull { path: PathBuf },
    #[error(
        "the store `{}` is locked by another process. Stop that process, or wait for it, and start again",
        path.display()
    )]
    Locked { path: PathBuf },
    /// The disk, the file system or SQLite failed.
    #[error(
        "the store `{}` cannot be opened: {problem}. Check its disk, also for free room, and start again",
        path.display()
    )]
    Failed { path: PathBuf, problem: String },
}

impl OpenError {
    /// Returns the exit code of `sysexits.h`: 78 if only the operator can repair the problem, 69 if the same start may
    /// succeed later.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Missing { .. }
            | Self::Older { .. }
            | Self::Folder { .. }
            | Self::File { .. }
            | Self::NotADatabase { .. }
            | Self::AnotherProgram { .. }
            | Self::Newer { .. }
            | Self::OtherBuild { .. }
            | Self::Strange { .. }
            | Self::Damaged { .. }
            | Self::NoWriteAheadLog { .. } => 78,
            Self::DiskFull { .. } | Self::Locked { .. } | Self::Failed { .. } => 69,
        }
    }

    pub(super) fn of_folder(path: &Path, problem: &io::Error) -> Self {
        // The system only reports that something of that name exists.
        let file = path.ancestors().skip(1).find(|above| above.is_file());
        let problem_text = file.map(|file| format!("`{}` is a file, not a folder", file.display()));
        Self::passing(path, problem).unwrap_or_else(|| Self::Folder {
            path: path.to_owned(),
            problem: problem_text.unwrap_or_else(|| problem.to_string()),
        })
    }

    pub(super) fn of_file(path: &Path, problem: &io::Error) -> Self {
        Self::passing(path, problem)
            .unwrap_or_else(|| Self::File { path: path.to_owned(), problem: problem.to_string() })
    }

    /// Returns the error if the problem may be gone by the next start.
    fn passing(path: &Path, problem: &io::Error) -> Option<Self> {
        let path = path.to_owned();
        match problem.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(Self::DiskFull { path }),
            io::ErrorKind::Other | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted => {
                Some(Self::Failed { path, problem: problem.to_string() })
            }
            _ => None,
        }
    }

    pub(super) fn of(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_owned();
        let problem = error.to_string();
        match cause(error) {
            Cause::DiskFull => Self::DiskFull { path },
            Cause::Locked => Self::Locked { path },
            Cause::CannotOpen | Cause::ReadOnly => Self::File { path, problem },
            Cause::NotADatabase => Self::NotADatabase { path },
            Cause::Damaged => Self::Damaged { path, problem },
            Cause::Disk | Cause::Crowded | Cause::Closed | Cause::Late | Cause::Unreachable | Cause::Other => {
                Self::Failed { path, problem }
            }
        }
    }

    /// Converts a failure of this process.
    pub(super) fn failed(path: &Path, problem: &dyn std::error::Error) -> Self {
        Self::Failed { path: path.to_owned(), problem: problem.to_string() }
    }

    pub(super) fn of_migration(path: &Path, error: MigrationError) -> Self {
        match error {
            MigrationError::Sqlite(error) => Self::of(path, &error),
            MigrationError::Schema(what) => Self::Strange { path: path.to_owned(), what },
            MigrationError::Format(FormatMismatch::Older(lacks)) => Self::Older { path: path.to_owned(), lacks },
            MigrationError::Format(FormatMismatch::Newer(found)) => {
                Self::Newer { path: path.to_owned(), found, known: last_version() }
            }
            MigrationError::Format(FormatMismatch::Other(found)) => Self::OtherBuild { path: path.to_owned(), found },
        }
    }
}
