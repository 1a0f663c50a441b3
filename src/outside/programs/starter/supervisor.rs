//! The supervisor of a call: starts the program below it, watches its memory and processes, and kills all its
//! descendants, even those that left its process group. It ends the call when the bot no longer reads its standard
//! error: the bot gave up the call, or is gone. The program gets a separate pipe: otherwise it could open the
//! supervisor's and keep it alive.

use std::ffi::OsString;
use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, getpid, kill_process, kill_process_group, pidfd_open,
    set_child_subreaper, setrlimit, wait, waitpid,
};

use crate::programs::sandbox::leave;
use crate::programs::starter::orders::{BECOME, Orders, SIGNALLED, leave_pipes};
use crate::programs::starter::processes::{Process, descendants, memory_kib};

/// The time until the first look at a program, and the longest pause between two looks. The pause doubles each time.
const FIRST_LOOK: Duration = Duration::from_millis(100);
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How long to wait for killed processes to end.
const KILLED_WITHIN: Duration = Duration::from_millis(2);

enum End {
    Code(u8),
    Signal(i32),
    GivenUp,
    OverLimit(String),
}

/// Runs the program of these arguments until all its descendants have ended. Returns its exit code.
pub(super) fn supervise(orders: &Orders, arguments: &[OsString]) -> Result<u8, String> {
    let failed = |problem: Errno| format!("start: {problem}");
    // Orphaned descendants become children of this process.
    set_child_subreaper(Some(getpid())).map_err(failed)?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).map_err(failed)?;
    if let Some(rules) = orders.rules.as_ref().filter(|rules| rules.is_alone) {
        leave(!rules.ports.is_empty()).map_err(|problem| format!("sandbox: {problem}"))?;
    }
    let child = Command::new("/proc/self/exe").arg(BECOME).args(arguments).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|problem| format!("start: {problem}"))?;
    let mut words = child.stderr.take();
    let program = Pid::from_child(&child);
    let handle = pidfd_open(program, PidfdFlags::empty()).map_err(failed)?;
    leave_pipes()?;
    let end = watch(program, &handle, &mut words, orders);
    end_all();
    // All writers are gone: pass on the rest.
    while words.is_some() && pass_on(&mut words) {}
    match end.map_err(failed)? {
        End::Code(code) => Ok(code),
        End::Signal(signal) => {
            if let Some(named) = Signal::from_named_raw(signal) {
                kill_process(getpid(), named).map_err(failed)?;
            }
            // The exit code that a shell uses for a signal.
            Ok(u8::try_from(signal.saturating_add(128)).unwrap_or(u8::MAX))
        }
        End::GivenUp => Ok(0),
        End::OverLimit(why) => Err(format!("limit: {why}")),
    }
}

fn watch(program: Pid, handle: &OwnedFd, words: &mut Option<ChildStderr>, orders: &Orders) -> Result<End, Errno> {
    let mut pause = FIRST_LOOK;
    let mut look_at = Instant::now() + pause;
    loop {
        let stderr = std::io::stderr();
        let mut polled = vec![PollFd::new(handle, PollFlags::IN), PollFd::new(&stderr, PollFlags::empty())];
        polled.extend(words.iter().map(|words| PollFd::new(words, PollFlags::IN)));
        let left = look_at.saturating_duration_since(Instant::now());
        match poll(&mut polled, Timespec::try_from(left).ok().as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(problem) => return Err(problem),
        }
        let events: Vec<_> = polled.iter().map(PollFd::revents).collect();
        let is_there = |n: usize| events.get(n).is_some_and(|event| !event.is_empty());
        if is_there(0) {
            return how_ended(program, orders.are_alone());
        }
        // The second is polled only for a broken pipe.
        if is_there(1) || is_there(2) && !pass_on(words) {
            return Ok(End::GivenUp);
        }
        if Instant::now() < look_at {
            continue;
        }
        pause = pause.saturating_mul(2).min(LOOK_EVERY);
        look_at = Instant::now() + pause;
        let processes = descendants();
        for orphan in processes.iter().filter(|process| process.has_ended && process.id != program) {
            let _others = waitpid(Some(orphan.id), WaitOptions::NOHANG);
        }
        if let Some(why) = over(&processes, orders) {
            return Ok(End::OverLimit(why));
        }
    }
}

/// Passes on the program's standard error. Returns false if it has no reader any more.
fn pass_on(words: &mut Option<ChildStderr>) -> bool {
    let Some(pipe) = words else { return true };
    let mut chunk = [0; 4096];
    match pipe.read(&mut chunk).map(|n| chunk.get(..n).unwrap_or_default()) {
        Ok([]) | Err(_) => {
            *words = None;
            true
        }
        Ok(said) => std::io::stderr().write_all(said).is_ok(),
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

/// Returns the limit that these processes exceed together.
fn over(processes: &[Process], orders: &Orders) -> Option<String> {
    let limits = &orders.limits;
    let running = || processes.iter().filter(|process| !process.has_ended);
    // In namespaces, the first process is not part of the program.
    let own = u64::from(orders.are_alone());
    if limits.processes.saturating_add(own) < running().map(|process| process.threads).sum() {
        return Some(format!("it ran more than {} processes and threads at once", limits.processes));
    }
    let kib: u64 = running().map(|process| memory_kib(process.id)).sum();
    (limits.memory_mib < kib / 1024).then(|| format!("it used more than {} MiB of memory in all", limits.memory_mib))
}

/// Kills all descendants of this process, until none is left.
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
            // A killed group cannot start another process meanwhile.
            let _gone = kill_process_group(process.group, Signal::KILL);
        }
        std::thread::sleep(KILLED_WITHIN);
    }
}
