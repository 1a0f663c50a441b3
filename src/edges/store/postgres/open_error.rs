//! Why the database cannot be used, in sentences for the operator. None holds the address.

use std::path::{Path, PathBuf};

use super::cause::cause;
use super::migrations::{MigrationError, last_version};
use crate::edges::store::sql::{Cause, FormatMismatch};

/// Why the database cannot be used. Each message names the file that holds its address and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The file cannot be read.
    #[error(
        "the address file `{}` cannot be read ({problem}): check the path in `[store] url_file` and who may read the \
         file",
        file.display()
    )]
    Unreadable {
        /// The file that holds the address.
        file: PathBuf,
        /// What the operating system says.
        problem: String,
    },
    /// The file holds no address.
    #[error(
        "the address file `{}` holds no address of a PostgreSQL database: write one line into it, such as \
         `postgres://USER:PASSWORD@HOST/DATABASE`",
        file.display()
    )]
    NoAddress {
        /// The file that holds the address.
        file: PathBuf,
    },
    /// The address has a parameter that nothing would read.
    #[error(
        "the address in the file `{}` has a parameter that is not known. Known are {known}; in a user or a password, write \
         `?` as `%3F` and `&` as `%26`",
        file.display()
    )]
    UnknownParameter {
        /// The file that holds the address.
        file: PathBuf,
        /// The parameters that are known.
        known: String,
    },
    /// The server does not let this program in.
    #[error(
        "the database of `{}` does not let this program in: {problem}. Check user, password and database in the \
         address, and what this user may do there",
        file.display()
    )]
    Refused {
        /// The file that holds the address.
        file: PathBuf,
        /// What the server says.
        problem: String,
    },
    /// The database was made by a newer version of candor.
    #[error(
        "the database of `{}` was made by a newer version of candor: it has format {found}, and this version knows \
         formats up to {known}. Run the newer version, or restore a backup from before the update",
        file.display()
    )]
    Newer {
        /// The file that holds the address.
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
    Older {
        /// The file that holds the address.
        file: PathBuf,
        /// The first format that it lacks.
        lacks: i64,
    },
    /// The database was made by another build of candor, with a different format.
    #[error(
        "the database of `{}` was made by a different build of candor: its format {found} is not this version's. Run \
         the build that made it, or name another database in the address",
        file.display()
    )]
    OtherBuild {
        /// The file that holds the address.
        file: PathBuf,
        /// The format that differs.
        found: i64,
    },
    /// The database has tables of another program.
    #[error(
        "the database of `{}` has tables of another program: {problem}. Nothing in it was changed. Name a database of \
         its own in the address",
        file.display()
    )]
    AnotherProgram {
        /// The file that holds the address.
        file: PathBuf,
        /// What the server says.
        problem: String,
    },
    /// The server cannot be reached, or failed.
    #[error(
        "the database of `{}` cannot be used: {problem}. Check that the server runs and can be reached from here, and \
         start again",
        file.display()
    )]
    Failed {
        /// The file that holds the address.
        file: PathBuf,
        /// What the system or the server says.
        problem: String,
    },
}

impl ServerError {
    /// The exit code of `sysexits.h`: 78 where only the operator can repair it, 69 where the same start may succeed
    /// later.
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

    /// A connection or a statement that failed while opening. The codes are in PostgreSQL's documentation, appendix A:
    /// 28 is authorization, 3D000 a database that does not exist, 42501 a missing right, 42P07 a table that exists.
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

    /// A database that could not be migrated.
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
