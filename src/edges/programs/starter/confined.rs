//! The process that sets limits and rules on itself and becomes the program.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, set_parent_process_death_signal, setrlimit, setsid, wait,
};

use crate::edges::programs::sandbox::confine;
use crate::edges::programs::starter::orders::{Orders, SIGNALLED, leave_pipes};

const MIB: u64 = 1024 * 1024;

/// The supervisor and the first process of the namespace, which count as well.
const OWN_PROCESSES: u64 = 2;

/// Becomes the program. In a namespace of its own it stays as the first process there, which the kernel needs, and
/// returns how the program ended. Without a program it only shows that this machine can hold the rules.
pub(super) fn become_program(orders: &Orders, arguments: &[OsString]) -> Result<u8, String> {
    limit(orders).map_err(|problem| format!("start: its limits cannot be set: {problem}"))?;
    std::env::set_current_dir(&orders.folder)
        .map_err(|problem| format!("start: {}: {problem}", orders.folder.display()))?;
    if let Some(rules) = &orders.rules {
        confine(rules, &orders.folder).map_err(|problem| format!("sandbox: {problem}"))?;
    }
    let [_, program, arguments @ ..] = arguments else { return Ok(0) };
    let mut command = Command::new(program);
    command.args(arguments);
    let failed = |problem| format!("start: {}: {problem}", program.display());
    if !orders.are_alone() {
        return Err(failed(command.exec()));
    }
    let program = command.spawn().map_err(failed)?;
    leave_pipes()?;
    ended(Pid::from_child(&program)).map_err(|problem| format!("start: {problem}"))
}

/// Waits for the program, and for all that it leaves behind meanwhile.
fn ended(program: Pid) -> rustix::io::Result<u8> {
    let status: WaitStatus = loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((process, status))) if process == program => break status,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(problem) => return Err(problem),
        }
    };
    // No signal ends the first process of a namespace, so it tells of one by its name.
    if let Some(signal) = status.terminating_signal() {
        rustix::thread::set_name(SIGNALLED)?;
        return Ok(u8::try_from(signal).unwrap_or(u8::MAX));
    }
    Ok(status.exit_status().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}

fn limit(orders: &Orders) -> rustix::io::Result<()> {
    // If the supervisor is killed, the program does not outlive it.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The supervisor kills whole groups: none of them may be one of others.
    setsid()?;
    let limits = &orders.limits;
    let both = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    if let Some(seconds) = limits.cpu_s {
        setrlimit(Resource::Cpu, both(seconds))?;
    }
    if orders.are_alone() {
        // Elsewhere, the kernel counts all processes of the bot's user, on the whole machine.
        setrlimit(Resource::Nproc, both(limits.processes.saturating_add(OWN_PROCESSES)))?;
    }
    setrlimit(Resource::Data, both(limits.memory_mib.saturating_mul(MIB)))?;
    setrlimit(Resource::Fsize, both(limits.file_mib.saturating_mul(MIB)))?;
    setrlimit(Resource::Nofile, both(limits.open_files))?;
    setrlimit(Resource::Core, both(0))
}
