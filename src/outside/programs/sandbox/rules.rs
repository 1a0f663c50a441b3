//! The rules of one program, and their enforcement.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::programs::sandbox::landlock::restrict;
use crate::programs::sandbox::namespaces::{drop_capabilities, own_mounts};
use crate::programs::sandbox::seccomp::refuse_calls;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::programs) struct Rules {
    /// Files and folders that it may read and execute, beside the system's.
    pub(in crate::programs) reads: Vec<PathBuf>,
    pub(in crate::programs) writes: Vec<PathBuf>,
    /// The TCP ports that it may connect to.
    pub(in crate::programs) ports: Vec<u16>,
    /// Whether it has namespaces of its own.
    pub(in crate::programs) is_alone: bool,
}

/// Enforces the rules for this process and its children, and changes to this folder.
pub(in crate::programs) fn confine(rules: &Rules, folder: &Path) -> Result<(), String> {
    if rules.is_alone {
        own_mounts(&rules.writes)?;
        // The current folder still refers to the old mount.
        std::env::set_current_dir(folder).map_err(|problem| format!("{}: {problem}", folder.display()))?;
    }
    drop_capabilities().map_err(|problem| format!("capabilities: {problem}"))?;
    let processes = match rules.is_alone {
        true => PathBuf::from("/proc"),
        false => PathBuf::from(format!("/proc/{}", std::process::id())),
    };
    restrict(&rules.reads, processes, &rules.writes, &rules.ports)?;
    refuse_calls(!rules.ports.is_empty(), rules.is_alone)
}
