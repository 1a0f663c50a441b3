//! What a process has used so far, as Linux counts it below `/proc`.

use std::fs::{read_dir, read_to_string};
use std::io::{Error, Result};
use std::time::Duration;

/// A tick of the times in `/proc/PID/stat`: Linux shows 100 a second on every machine.
const TICK: Duration = Duration::from_millis(10);

/// What a process has used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usage {
    pub(super) cpu: Duration,
    pub(super) resident_kib: u64,
    /// How often one of its threads went to sleep, and was woken.
    pub(super) n_wake_ups: u64,
}

/// What this process has used.
pub(super) fn own_usage() -> Result<Usage> {
    usage(std::process::id())
}

/// What a process has used.
pub(super) fn usage(pid: u32) -> Result<Usage> {
    let stat = read_to_string(format!("/proc/{pid}/stat"))?;
    let status = read_to_string(format!("/proc/{pid}/status"))?;
    let resident_kib = field(&status, "VmRSS:").ok_or_else(|| Error::other("it has ended"))?;
    let mut n_wake_ups = 0;
    for thread in read_dir(format!("/proc/{pid}/task"))? {
        // A thread may end between the listing and the reading.
        let status = read_to_string(thread?.path().join("status")).unwrap_or_default();
        n_wake_ups += field(&status, "voluntary_ctxt_switches:").unwrap_or_default();
    }
    let cpu = cpu_of(&stat).ok_or_else(|| Error::other(format!("/proc/{pid}/stat is not understood")))?;
    Ok(Usage { cpu, resident_kib, n_wake_ups })
}

/// User and system time: the 14th and the 15th field. The second is a name in parentheses with any characters.
fn cpu_of(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<u32>);
    Some(TICK * times.next()?.ok()? + TICK * times.next()?.ok()?)
}

fn field(status: &str, name: &str) -> Option<u64> {
    status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_shift_the_times() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194304 1 0 0 0 250 30 0 0 20 0 3 0";
        assert_eq!(cpu_of(stat), Some(Duration::from_millis(2_800)));
    }

    #[test]
    fn this_process_is_resident() -> Result<()> {
        let own = own_usage()?;
        assert!(own.resident_kib > 100, "{own:?}");
        assert!(usage(u32::MAX).is_err());
        Ok(())
    }
}
