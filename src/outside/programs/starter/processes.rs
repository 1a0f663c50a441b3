//! The descendants of this process, as `/proc` shows them.

use std::collections::HashMap;
use std::fs;

use rustix::process::{Pid, getpid};

#[derive(Clone, Copy, Debug)]
pub(super) struct Process {
    pub(super) id: Pid,
    pub(super) parent: Pid,
    pub(super) group: Pid,
    pub(super) has_ended: bool,
    pub(super) threads: u64,
}

pub(super) fn descendants() -> Vec<Process> {
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
pub(super) fn memory_kib(process: Pid) -> u64 {
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
