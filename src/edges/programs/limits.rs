//! The limits of one call.

use serde::{Deserialize, Serialize};

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
