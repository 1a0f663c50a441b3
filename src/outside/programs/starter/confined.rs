//! The process that sets limits and rules on itself and becomes the program.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, prlimit, set_parent_process_death_signal, setrlimit,
    setsid, wait,
};

use crate::programs::sandbox::confine;
use crate::programs::starter::orders::{Orders, ProgramLimits, SIGNALLED, leave_pipes};

const MIB: u64 = 1024 * 1024;

/// The supervisor and the first process of the namespace, which count as well.
const OWN_PROCESSES: u64 = 2;

/// Becomes the program. In a namespace of its own this process stays as the first one there, which the kernel needs,
/// and returns how the program ended. Without a program it only shows that this machine can enforce the rules.
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
    let program = Pid::from_child(&command.spawn().map_err(failed)?);
    leave_pipes()?;
    let ended = || {
        prlimit(Some(program), Resource::Data, memory(&orders.limits))?;
        ended(program)
    };
    ended().map_err(|problem: Errno| format!("start: {problem}"))
}

/// Waits for the program, and reaps the orphans that it leaves meanwhile.
fn ended(program: Pid) -> Result<u8, Errno> {
    let status: WaitStatus = loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((process, status))) if process == program => break status,
            Ok(_) | Err(Errno::INTR) => {}
            Err(problem) => return Err(problem),
        }
    };
    // A signal cannot end the first process of a namespace, so it reports the signal by its process name.
    if let Some(signal) = status.terminating_signal() {
        rustix::thread::set_name(SIGNALLED)?;
        return Ok(u8::try_from(signal).unwrap_or(u8::MAX));
    }
    Ok(status.exit_status().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}

fn both(most: u64) -> Rlimit {
    Rlimit { current: Some(most), maximum: Some(most) }
}

fn memory(limits: &ProgramLimits) -> Rlimit {
    both(limits.memory_mib.saturating_mul(MIB))
}

fn limit(orders: &Orders) -> Result<(), Errno> {
    // The program must not outlive a killed supervisor.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The supervisor kills whole process groups, so the program must not share one with other processes.
    setsid()?;
    let limits = &orders.limits;
    if let Some(seconds) = limits.cpu_s {
        setrlimit(Resource::Cpu, both(seconds))?;
    }
    if orders.are_alone() {
        // Outside a user namespace, the kernel counts all processes of the bot's user on the whole machine.
        setrlimit(Resource::Nproc, both(limits.processes.saturating_add(OWN_PROCESSES)))?;
    } else {
        // In namespaces this process stays, and its allocator reserves more than a program may have. There the limit is
        // set on the program alone.
        setrlimit(Resource::Data, memory(limits))?;
    }
    setrlimit(Resource::Fsize, both(limits.file_mib.saturating_mul(MIB)))?;
    setrlimit(Resource::Nofile, both(limits.open_files))?;
    setrlimit(Resource::Core, both(0))
}
