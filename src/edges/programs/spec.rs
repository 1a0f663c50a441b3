//! The program to start, and its limits.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use candor_core::contract::SettingSecrets;

use crate::edges::programs::containment::Containment;
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

/// The limits of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramLimits {
    /// Processor time in seconds, if it is limited.
    pub cpu_s: Option<u64>,
    /// Memory in MiB: for the data of each process, and of all together. The address space is not limited: some runtimes reserve far more than they use.
    pub memory_mib: u64,
    /// The largest file that it may write, in MiB.
    pub file_mib: u64,
    /// What its working folder may hold, in MiB.
    pub folder_mib: u64,
    /// Open files.
    pub open_files: u64,
    /// Processes and threads of a call.
    pub processes: u64,
    /// What it may print, in KiB.
    pub output_kib: u64,
}
