//! The supervisor of a call: starts the program below it, watches its memory and its processes, and ends all that came of
//! it, also what left its process group. It ends the call when the bot no longer reads its standard error: the bot gave
//! the call up, or is gone.

use std::ffi::OsString;
use std::fs;
use std::process::Command;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, getpid, kill_process, kill_process_group, pidfd_open,
    set_child_subreaper, setrlimit, wait, waitpid,
};

use crate::edges::programs::limits::ProgramLimits;
use crate::edges::programs::sandbox::leave;
use crate::edges::programs::starter::orders::{BECOME, Orders, SIGNALLED, leave_pipes};
use crate::edges::programs::starter::processes::{Process, descendants, memory_kib};

/// The time until the first look at a program, and the longest pause between two looks. The pause doubles each time.
const FIRST_LOOK: Duration = Duration::from_millis(100);
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How long to wait for killed processes to end.
const KILLED_WITHIN: Duration = Duration::from_millis(2);

/// How a call ended.
enum End {
    Code(u8),
    Signal(i32),
    GivenUp,
    OverLimit(String),
}

/// Runs the program of these arguments until nothing is left of it. Returns its exit code.
pub(super) fn supervise(orders: &Orders, arguments: &[OsString]) -> Result<u8, String> {
    let failed = |problem: Errno| format!("start: {problem}");
    // What loses its parent becomes a child of this process.
    set_child_subreaper(Some(getpid())).map_err(failed)?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).map_err(failed)?;
    if let Some(rules) = orders.rules.as_ref().filter(|rules| rules.is_alone) {
        leave(!rules.ports.is_empty()).map_err(|problem| format!("sandbox: {problem}"))?;
    }
    let child = Command::new("/proc/self/exe").arg(BECOME).args(arguments).spawn();
    let child = child.map_err(|problem| format!("start: {problem}"))?;
    let program = Pid::from_child(&child);
    let handle = pidfd_open(program, PidfdFlags::empty()).map_err(failed)?;
    leave_pipes()?;
    let end = watch(program, &handle, orders);
    end_all();
    match end.map_err(failed)? {
        End::Code(code) => Ok(code),
        End::Signal(signal) => {
            if let Some(named) = Signal::from_named_raw(signal) {
                kill_process(getpid(), named).map_err(failed)?;
            }
            // As a shell tells of a signal that did not end this process.
            Ok(u8::try_from(signal.saturating_add(128)).unwrap_or(u8::MAX))
        }
        End::GivenUp => Ok(0),
        End::OverLimit(why) => Err(format!("limit: {why}")),
    }
}

fn watch(program: Pid, handle: &OwnedFd, orders: &Orders) -> Result<End, Errno> {
    let mut pause = FIRST_LOOK;
    loop {
        let stderr = std::io::stderr();
        let mut polled = [PollFd::new(handle, PollFlags::IN), PollFd::new(&stderr, PollFlags::empty())];
        match poll(&mut polled, Timespec::try_from(pause).ok().as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(problem) => return Err(problem),
        }
        let [ended, unread] = polled.map(|polled| polled.revents());
        if !ended.is_empty() {
            return how_ended(program, orders.are_alone());
        }
        if unread.contains(PollFlags::ERR) {
            return Ok(End::GivenUp);
        }
        pause = pause.saturating_mul(2).min(LOOK_EVERY);
        let processes = descendants();
        for orphan in processes.iter().filter(|process| process.has_ended && process.id != program) {
            let _others = waitpid(Some(orphan.id), WaitOptions::NOHANG);
        }
        if let Some(why) = over(&processes, &orders.limits) {
            return Ok(End::OverLimit(why));
        }
    }
}

fn how_ended(program: Pid, is_alone: bool) -> Result<End, Errno> {
    let name = fs::read_to_string(format!("/proc/{}/comm", program.as_raw_nonzero())).unwrap_or_default();
    let Some((_, status)) = waitpid(Some(program), WaitOptions::empty())? else { return Ok(End::GivenUp) };
    let code = status.exit_status().and_then(|code| u8::try_from(code).ok());
    Ok(match (code, status.terminating_signal()) {
        (Some(code), _) if is_alone && name.trim_end().as_bytes() == SIGNALLED.to_bytes() => {
            End::Signal(i32::from(code))
        }
        (Some(code), _) => End::Code(code),
        (None, Some(signal)) => End::Signal(signal),
        (None, None) => End::GivenUp,
    })
}

/// The limit that these processes go over together.
fn over(processes: &[Process], limits: &ProgramLimits) -> Option<String> {
    let running = || processes.iter().filter(|process| !process.has_ended);
    if limits.processes < running().map(|process| process.threads).sum() {
        return Some(format!("it ran more than {} processes and threads at once", limits.processes));
    }
    let kib: u64 = running().map(|process| memory_kib(process.id)).sum();
    (limits.memory_mib < kib / 1024).then(|| format!("it used more than {} MiB of memory in all", limits.memory_mib))
}

/// Kills all that came of this process, until nothing is left.
fn end_all() {
    loop {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => break,
                // No children: nothing is left.
                Err(_) => return,
            }
        }
        for process in descendants() {
            // Nothing of a group that is killed can start another process meanwhile.
            let _gone = kill_process_group(process.group, Signal::KILL);
        }
        std::thread::sleep(KILLED_WITHIN);
    }
}
