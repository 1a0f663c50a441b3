//! The orders of a starter, and its report of a failure.

use std::path::PathBuf;

use rustix::fs::{Mode, OFlags, open};
use rustix::stdio::{dup2_stdin, dup2_stdout};
use serde::{Deserialize, Serialize};

use crate::programs::sandbox::Rules;

/// The hidden command of the supervisor.
pub(in crate::programs) const COMMAND: &str = "__start";

/// The hidden command of the process that becomes the program.
pub(super) const BECOME: &str = "__become";

/// The exit code of a starter that could not become its program, or that ended it at a limit.
pub(in crate::programs) const FAILED: i32 = 121;

/// The beginning of the last line of such a starter's standard error, before `sandbox: `, `start: ` or `limit: ` and
/// the reason.
pub(in crate::programs) const MARK: &str = "candor starter: ";

/// The name of the first process of a namespace when its exit code is the signal that ended its program.
pub(super) const SIGNALLED: &std::ffi::CStr = c"ended by signal";

/// The limits and rules that the starter sets on itself.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::programs) struct Orders {
    pub(in crate::programs) limits: ProgramLimits,
    pub(in crate::programs) folder: PathBuf,
    /// `None`: the program is not confined.
    pub(in crate::programs) rules: Option<Rules>,
}

impl Orders {
    pub(super) fn are_alone(&self) -> bool {
        self.rules.as_ref().is_some_and(|rules| rules.is_alone)
    }
}

/// Closes this process's ends of the program's pipes, so that they end with the program.
pub(super) fn leave_pipes() -> Result<(), String> {
    let leave = || {
        let null = open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
        dup2_stdin(&null)?;
        dup2_stdout(&null)
    };
    leave().map_err(|problem: rustix::io::Errno| format!("start: /dev/null: {problem}"))
}

/// The limits of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramLimits {
    /// Processor time in seconds, if it is limited.
    pub cpu_s: Option<u64>,
    /// Memory in MiB: for the data of each process, and of all together. The address space is not limited: some
    /// runtimes reserve far more than they use.
    pub memory_mib: u64,
    /// The largest file that it may write, in MiB.
    pub file_mib: u64,
    /// The most content of its working folder, in MiB.
    pub folder_mib: u64,
    pub open_files: u64,
    pub processes: u64,
    /// The most output, in KiB.
    pub output_kib: u64,
}
