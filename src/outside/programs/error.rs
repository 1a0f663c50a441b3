//! Why a program gave no answer.

use std::fmt;
use std::path::PathBuf;

/// Why a program could not be started, or gave no answer. For operators: it may quote the program's standard error, as
/// one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramError {
    /// Neither a file nor a system program of that name exists.
    Missing(PathBuf),
    /// Not a file, or not executable.
    NotExecutable(PathBuf),
    /// The interpreter in the script's first line does not exist.
    InterpreterMissing {
        script: PathBuf,
        /// The interpreter's name in the first line.
        interpreter: String,
    },
    /// This kernel cannot confine it.
    Sandbox(String),
    NotStarted(String),
    /// It ended with this code or signal.
    Ended {
        /// `exit code 3`, or `signal 9`.
        how: String,
        stderr: String,
    },
    TimedOut {
        stderr: String,
    },
    /// Its working folder exceeds this limit.
    FolderFull(String),
    /// All its processes together exceeded this limit and were killed.
    OverLimit(String),
    TooLong {
        limit_kib: u64,
    },
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let behind = |stderr: &str| if stderr.is_empty() { String::new() } else { format!(": {stderr}") };
        match self {
            Self::Missing(path) => write!(f, "there is no program `{}`", path.display()),
            Self::NotExecutable(path) => write!(f, "`{}` may not be executed", path.display()),
            Self::InterpreterMissing { script, interpreter } => {
                write!(f, "the first line of `{}` names `{interpreter}`, which is not there", script.display())
            }
            Self::Sandbox(why) => write!(f, "it cannot be confined: {why}"),
            Self::NotStarted(why) => write!(f, "it cannot be started: {why}"),
            Self::Ended { how, stderr } => write!(f, "it ended with {how}{}", behind(stderr)),
            Self::TimedOut { stderr } => write!(f, "it did not answer in time{}", behind(stderr)),
            Self::FolderFull(limit) => write!(
                f,
                "its working folder holds more than {limit}: remove files there, below `modules` of the data folder, or \
                 raise `folder_mib` under `[run]`"
            ),
            Self::OverLimit(why) => f.write_str(why),
            Self::TooLong { limit_kib } => write!(f, "it printed more than {limit_kib} KiB"),
        }
    }
}

impl std::error::Error for ProgramError {}
