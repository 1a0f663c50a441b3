//! Errors of opening the database, worded for the operator. None contains the address.

use std::path::{Path, PathBuf};

use super::connection::cause;
use super::migrations::{MigrationError, last_version};
use crate::sql::{Cause, FormatMismatch};

/// Reasons why the database cannot be used. Each message names the file that holds its address and tells the operator
/// what to do.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error(
        "the address file `{}` cannot be read ({problem}): check the path in `[store] url_file` and who may read the \
         file",
        file.display()
    )]
    Unreadable { file: PathBuf, problem: String },
    #[error(
        "the address file `{}` holds no address of a PostgreSQL database: write one line into it, such as \
         `postgres://USER:PASSWORD@HOST/DATABASE`",
        file.display()
    )]
    NoAddress { file: PathBuf },
    /// The address has a parameter that the driver would ignore.
    #[error(
        "the address in the file `{}` has a parameter that is not known. Known are {known}; in a user or a password, write \
         `?` as `%3F` and `&` as `%26`",
        file.display()
    )]
    UnknownParameter { file: PathBuf, known: String },
    #[error(
        "the database of `{}` does not let this program in: {problem}. Check user, password and database in the \
         address, and what this user may do there",
        file.display()
    )]
    Refused { file: PathBuf, problem: String },
    #[error(
        "the database of `{}` was made by a newer version of candor: it has format {found}, and this version knows \
         formats up to {known}. Run the newer version, or restore a backup from before the update",
        file.display()
    )]
    Newer {
        file: PathBuf,
        /// The first format that this version does not know.
        found: i64,
        /// The last format that this version knows.
        known: i64,
    },
    /// The database is empty or was made by an older version of candor, and only a start changes its format.
    #[error(
        "the database of `{}` is empty or was made by an older version of candor: it lacks format {lacks}. Start the bot \
         of this version once, which brings it up to date",
        file.display()
    )]
    Older { file: PathBuf, lacks: i64 },
    /// The database was made by another build of candor, with a different format.
    #[error(
        "the database of `{}` was made by a different build of candor: its format {found} is not this version's. Run \
         the build that made it, or name another database in the address",
        file.display()
    )]
    OtherBuild { file: PathBuf, found: i64 },
    #[error(
        "the database of `{}` has tables of another program: {problem}. Nothing in it was changed. Name a database of \
         its own in the address",
        file.display()
    )]
    AnotherProgram { file: PathBuf, problem: String },
    /// The server cannot be reached, or failed.
    #[error(
        "the database of `{}` cannot be used: {problem}. Check that the server runs and can be reached from here, and \
         start again",
        file.display()
    )]
    Failed { file: PathBuf, problem: String },
}

impl ServerError {
    /// Returns the exit code of `sysexits.h`: 78 if only the operator can repair the problem, 69 if the same start may
    /// succeed later.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Unreadable { .. }
            | Self::NoAddress { .. }
            | Self::UnknownParameter { .. }
            | Self::Refused { .. }
            | Self::Older { .. }
            | Self::Newer { .. }
            | Self::OtherBuild { .. }
            | Self::AnotherProgram { .. } => 78,
            Self::Failed { .. } => 69,
        }
    }

    /// Converts an error of a connection or a statement during opening. The codes are in PostgreSQL's documentation,
    /// appendix A: 28 is authorization, 3D000 a database that does not exist, 42501 a missing right, 42P07 a table that
    /// exists.
    pub(super) fn of(file: &Path, error: &sqlx::Error) -> Self {
        let file = file.to_owned();
        let sqlx::Error::Database(told) = error else {
            let problem = if cause(error) == Cause::Late { "it does not answer".to_owned() } else { error.to_string() };
            return Self::Failed { file, problem };
        };
        let problem = told.message().to_owned();
        match told.code().as_deref() {
            Some("3D000" | "42501") => Self::Refused { file, problem },
            Some(code) if code.starts_with("28") => Self::Refused { file, problem },
            Some("42P07") => Self::AnotherProgram { file, problem },
            _ => Self::Failed { file, problem },
        }
    }

    pub(super) fn of_migration(file: &Path, error: MigrationError) -> Self {
        let named = file.to_owned();
        match error {
            MigrationError::Server(error) => Self::of(file, &error),
            MigrationError::Format(FormatMismatch::Older(lacks)) => Self::Older { file: named, lacks },
            MigrationError::Format(FormatMismatch::Newer(found)) => {
                Self::Newer { file: named, found, known: last_version() }
            }
            MigrationError::Format(FormatMismatch::Other(found)) => Self::OtherBuild { file: named, found },
        }
    }
}
