//! How programs are confined on this machine: determined once, by a trial.

use std::fmt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use crate::programs::sandbox::{FileRules, Rules, file_rules};
use crate::programs::starter::ProgramLimits;
use crate::programs::starter::{COMMAND, Orders};

const TRIAL_WITHIN: Duration = Duration::from_secs(10);

/// How programs are confined on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Containment {
    /// The Landlock rules that the kernel supports.
    pub landlock: FileRules,
    /// Whether the seccomp filter can be set. Without it and Landlock, programs that need confinement are not started.
    pub has_seccomp: bool,
    pub has_namespaces: bool,
}

impl Containment {
    /// Finds out how this binary can confine programs, by starting one that does nothing.
    pub async fn of(starter: &Path) -> Self {
        let landlock = file_rules();
        let has_namespaces = holds(starter, true).await;
        Self { landlock, has_seccomp: has_namespaces || holds(starter, false).await, has_namespaces }
    }

    pub fn confines(&self) -> bool {
        self.landlock > FileRules::Nothing && self.has_seccomp
    }
}

async fn holds(starter: &Path, is_alone: bool) -> bool {
    let limits = ProgramLimits {
        cpu_s: None,
        memory_mib: 256,
        file_mib: 1,
        folder_mib: 1,
        open_files: 64,
        processes: 16,
        output_kib: 1,
    };
    let rules = Rules { is_alone, ..Rules::default() };
    let orders = Orders { limits, folder: "/".into(), rules: Some(rules) };
    let Ok(orders) = serde_json::to_string(&orders) else { return false };
    let mut trial = Command::new(starter);
    trial.arg(COMMAND).arg(orders).env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let ended = timeout(TRIAL_WITHIN, trial.process_group(0).kill_on_drop(true).output()).await;
    ended.is_ok_and(|ended| ended.is_ok_and(|ended| ended.status.success()))
}

impl fmt::Display for Containment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.confines() {
            let lacks = if self.landlock == FileRules::Nothing { "Landlock" } else { "seccomp filter" };
            return write!(f, "nothing: this kernel has no {lacks}, and a program needs `sandbox = \"off\"`");
        }
        f.write_str(match self.has_namespaces {
            true => "Landlock and seccomp, with namespaces of their own",
            false => {
                "Landlock and seccomp, without namespaces: a program can change mode, owner and times of files that it \
                 may read, and its processes are counted every 2 s only"
            }
        })?;
        if self.landlock < FileRules::FilesAndPorts {
            f.write_str("; this kernel lets a program with `ports` reach every port")?;
        }
        if self.landlock < FileRules::FilesPortsAndSignals && !self.has_namespaces {
            f.write_str("; this kernel lets a program send signals to the bot")?;
        }
        Ok(())
    }
}
