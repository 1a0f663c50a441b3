//! The starter: this binary, started again around a program.
//!
//! The bot starts `candor __start ORDERS PROGRAM ARGUMENT…`, the supervisor, with the program's environment and none of
//! the bot's. The supervisor starts `candor __become` with the same arguments, which sets limits and rules on itself
//! and becomes the program. The supervisor stays until all processes of the call have ended. A failure ends it with the
//! code 121, and the last line on its standard error begins with `candor starter: `.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group,
    pidfd_open, prlimit, set_child_subreaper, set_parent_process_death_signal, setrlimit, setsid, wait, waitpid,
};
use rustix::stdio::{dup2_stdin, dup2_stdout};
use serde::{Deserialize, Serialize};

use crate::programs::sandbox::{Rules, confine, leave};

/// Runs as a starter if these are the arguments of one. Returns the exit code, or `None` for any other command.
pub fn become_program(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.into_iter().skip(1);
    let command = arguments.next()?;
    let run = match command.to_str()? {
        COMMAND => supervise,
        BECOME => become_confined,
        _ => return None,
    };
    let arguments: Vec<_> = arguments.collect();
    let orders = arguments.first().map(|orders| orders.to_string_lossy()).unwrap_or_default();
    let ended = match serde_json::from_str(&orders) {
        Ok(orders) => run(&orders, &arguments),
        Err(problem) => Err(format!("start: its orders cannot be read: {problem}")),
    };
    ended.map_or_else(
        |why| {
            let _unwritable = writeln!(std::io::stderr(), "\n{MARK}{why}");
            u8::try_from(FAILED).ok()
        },
        Some,
    )
}

const MIB: u64 = 1024 * 1024;

/// The supervisor and the first process of the namespace, which count as well.
const OWN_PROCESSES: u64 = 2;

/// Becomes the program. In a namespace of its own this process stays as the first one there, which the kernel needs,
/// and returns how the program ended. Without a program it only shows that this machine can enforce the rules.
fn become_confined(orders: &Orders, arguments: &[OsString]) -> Result<u8, String> {
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

/// The hidden command of the supervisor.
pub(in crate::programs) const COMMAND: &str = "__start";

/// The hidden command of the process that becomes the program.
const BECOME: &str = "__become";

/// The exit code of a starter that could not become its program, or that ended it at a limit.
pub(in crate::programs) const FAILED: i32 = 121;

/// The beginning of the last line of such a starter's standard error, before `sandbox: `, `start: ` or `limit: ` and
/// the reason.
pub(in crate::programs) const MARK: &str = "candor starter: ";

/// The name of the first process of a namespace when its exit code is the signal that ended its program.
const SIGNALLED: &std::ffi::CStr = c"ended by signal";

/// The limits and rules that the starter sets on itself.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::programs) struct Orders {
    pub(in crate::programs) limits: ProgramLimits,
    pub(in crate::programs) folder: PathBuf,
    /// `None`: the program is not confined.
    pub(in crate::programs) rules: Option<Rules>,
}

impl Orders {
    fn are_alone(&self) -> bool {
        self.rules.as_ref().is_some_and(|rules| rules.is_alone)
    }
}

/// Closes this process's ends of the program's pipes, so that they end with the program.
fn leave_pipes() -> Result<(), String> {
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

#[derive(Clone, Copy, Debug)]
struct Process {
    id: Pid,
    parent: Pid,
    group: Pid,
    has_ended: bool,
    threads: u64,
}

fn descendants() -> Vec<Process> {
    let names =
        fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let all: HashMap<Pid, Process> = names
        .filter_map(|name| name.parse().ok().and_then(Pid::from_raw))
        .filter_map(|id| Some((id, read(id)?)))
        .collect();
    let own = getpid();
    // A chain of parents cannot be longer than the number of processes.
    let descends = |process: &&Process| {
        std::iter::successors(Some(process.parent), |parent| Some(all.get(parent)?.parent))
            .take(all.len())
            .any(|parent| parent == own)
    };
    all.values().filter(descends).copied().collect()
}

/// Reads `/proc/<pid>/stat`; the name in it is in parentheses and may contain anything.
fn read(id: Pid) -> Option<Process> {
    let stat = fs::read(format!("/proc/{}/stat", id.as_raw_nonzero())).ok()?;
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = String::from_utf8_lossy(stat.get(end.saturating_add(1)..)?).into_owned();
    let mut words = rest.split_whitespace();
    let state = words.next()?;
    let parent = Pid::from_raw(words.next()?.parse().ok()?)?;
    let group = Pid::from_raw(words.next()?.parse().ok()?)?;
    let threads = words.nth(14)?.parse().ok()?;
    Some(Process { id, parent, group, has_ended: matches!(state, "Z" | "X"), threads })
}

/// Returns the memory of a process in KiB: its own, its share of shared memory, and swapped pages. Mapped files do not
/// count.
fn memory_kib(process: Pid) -> u64 {
    let sum = |file: &str, keys: [&str; 3]| {
        let text = fs::read_to_string(format!("/proc/{}/{file}", process.as_raw_nonzero())).ok()?;
        let of = |line: &str| {
            let (key, value) = line.split_once(':')?;
            keys.contains(&key).then(|| value.trim().split(' ').next()?.parse::<u64>().ok())?
        };
        Some(text.lines().filter_map(of).sum::<u64>()).filter(|sum| *sum > 0)
    };
    // A process may hide its memory map, and old kernels lack these sums. Then shared memory counts in full.
    sum("smaps_rollup", ["Pss_Anon", "Pss_Shmem", "SwapPss"])
        .or_else(|| sum("status", ["RssAnon", "RssShmem", "VmSwap"]))
        .unwrap_or_default()
}

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
fn supervise(orders: &Orders, arguments: &[OsString]) -> Result<u8, String> {
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

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_child_is_found_with_its_group_and_its_memory() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let found = descendants().into_iter().find(|process| process.id == Pid::from_child(&child)).unwrap();
        assert_eq!((found.parent, found.threads, found.has_ended), (getpid(), 1, false));
        assert_eq!(found.group, rustix::process::getpgrp());
        assert!(memory_kib(getpid()) > 100);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(memory_kib(found.id), 0);
    }
}
