//! The program to start.

use std::collections::BTreeMap;
use std::path::PathBuf;

use candor_core::contract::SettingSecrets;

use crate::edges::programs::containment::Containment;
use crate::edges::programs::limits::ProgramLimits;
use crate::edges::programs::look::Found;

/// Starts programs.
#[derive(Clone, Debug)]
pub struct Programs {
    /// The binary that becomes each program: the bot's own.
    pub(super) starter: PathBuf,
    pub(super) containment: Containment,
}

impl Programs {
    /// Programs that this binary starts, which must know the hidden command of the [`starter`](super::starter).
    pub fn started_by(starter: PathBuf, containment: Containment) -> Self {
        Self { starter, containment }
    }
}

/// A program to be started. It cannot be printed: its environment may hold secrets.
#[derive(Clone)]
pub struct ProgramSpec {
    /// The program.
    pub program: Found,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The module's folder, which it may read, and where it starts.
    pub folder: PathBuf,
    /// Its working folder, which it may write. It exists.
    pub work: PathBuf,
    /// Its environment, beside `PATH`, `LANG`, `HOME` and `TMPDIR`.
    pub env: BTreeMap<String, String>,
    /// The secrets that it is given, which it may write to its standard error.
    pub secrets: SettingSecrets,
    /// Files and folders that it may read beside its own and the system's.
    pub reads: Vec<PathBuf>,
    /// The TCP ports that it may connect to.
    pub ports: Vec<u16>,
    /// Whether it is confined.
    pub is_confined: bool,
    /// Its limits.
    pub limits: ProgramLimits,
}
