//! The starter: this binary, started again to set limits on itself and then to become a program.
//!
//! It is started as `candor __start RULES PROGRAM ARGUMENT…` in a process group of its own, with the program's
//! environment and nothing of the bot's. What goes wrong before it is the program ends it with the code 121, and its
//! standard error begins with `candor starter: `.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
use serde::{Deserialize, Serialize};

use crate::edges::programs::sandbox::{Rules, confine};
use crate::edges::programs::spec::ProgramLimits;

/// The hidden command.
pub const COMMAND: &str = "__start";

/// The exit code of a starter that could not become its program.
pub(super) const FAILED: i32 = 121;

/// How the standard error of such a starter begins, before `sandbox: ` or `start: ` and the reason.
pub(super) const MARK: &str = "candor starter: ";

const MIB: u64 = 1024 * 1024;

/// What the starter sets on itself.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Orders {
    pub(super) limits: ProgramLimits,
    /// Where the program starts.
    pub(super) folder: PathBuf,
    /// `None`: it is not confined.
    pub(super) rules: Option<Rules>,
}

/// Becomes the program, if these are the arguments of a starter. Returns only otherwise, or with the exit code of a
/// failure.
pub fn become_program(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.into_iter().skip(1);
    if arguments.next()? != COMMAND {
        return None;
    }
    let why = become_with(arguments);
    let _unwritable = writeln!(std::io::stderr(), "{MARK}{why}");
    u8::try_from(FAILED).ok()
}

/// Returns why it could not become the program.
fn become_with(mut arguments: impl Iterator<Item = OsString>) -> String {
    let orders = arguments.next().and_then(|orders| orders.into_string().ok()).unwrap_or_default();
    let orders: Orders = match serde_json::from_str(&orders) {
        Ok(orders) => orders,
        Err(problem) => return format!("start: its orders cannot be read: {problem}"),
    };
    let Some(program) = arguments.next() else { return "start: no program is named".to_owned() };
    if let Err(problem) = limit(&orders.limits) {
        return format!("start: its limits cannot be set: {problem}");
    }
    if let Err(problem) = std::env::set_current_dir(&orders.folder) {
        return format!("start: {}: {problem}", orders.folder.display());
    }
    if let Some(Err(problem)) = orders.rules.as_ref().map(confine) {
        return format!("sandbox: {problem}");
    }
    let problem = Command::new(&program).args(arguments).exec();
    format!("start: {}: {problem}", program.display())
}

fn limit(limits: &ProgramLimits) -> rustix::io::Result<()> {
    // Whatever happens to the bot, its programs do not outlive it.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let both = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    if let Some(seconds) = limits.cpu_s {
        setrlimit(Resource::Cpu, both(seconds))?;
    }
    setrlimit(Resource::Data, both(limits.memory_mib.saturating_mul(MIB)))?;
    setrlimit(Resource::Fsize, both(limits.file_mib.saturating_mul(MIB)))?;
    setrlimit(Resource::Nofile, both(limits.open_files))?;
    setrlimit(Resource::Core, both(0))
}
