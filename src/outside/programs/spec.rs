//! The program to start.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::programs::containment::Containment;
use crate::programs::look::Found;
use crate::programs::starter::ProgramLimits;
use candor_core::contract::SettingSecrets;

#[derive(Clone, Debug)]
pub struct Programs {
    pub(super) starter: PathBuf,
    pub(super) containment: Containment,
}

impl Programs {
    /// Creates a starter of programs from this binary, which must know the hidden command of the
    /// [`starter`](super::starter).
    pub fn started_by(starter: PathBuf, containment: Containment) -> Self {
        Self { starter, containment }
    }
}

/// A program to start. Has no `Debug`: its environment may hold secrets.
#[derive(Clone)]
pub struct ProgramSpec {
    pub program: Found,
    pub arguments: Vec<String>,
    /// The module's folder: readable, and the current folder at the start.
    pub folder: PathBuf,
    /// Its writable working folder. It exists.
    pub work: PathBuf,
    /// Its environment, beside `PATH`, `LANG`, `HOME` and `TMPDIR`.
    pub env: BTreeMap<String, String>,
    /// Its secrets, which it may write to its standard error.
    pub secrets: SettingSecrets,
    /// Readable files and folders beside its own and the system's.
    pub reads: Vec<PathBuf>,
    /// The TCP ports that it may connect to.
    pub ports: Vec<u16>,
    pub is_confined: bool,
    pub limits: ProgramLimits,
}
