//! Resource use of this process.

use std::time::Duration;

use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};

use candor_core::record::ProcessFigures;

/// Asks the system. `None` if it does not say.
pub fn figures() -> Option<ProcessFigures> {
    let id = sysinfo::get_current_pid().ok()?;
    let mut system = System::new().ok()?;
    let wanted = ProcessRefreshKind::nothing().with_memory().with_cpu().without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), false, wanted);
    let process = system.process(id)?;
    Some(ProcessFigures {
        memory: process.memory(),
        processor_time: Duration::from_millis(process.accumulated_cpu_time()),
        started: process.start_time(),
        open_files: process.open_files(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::figures;

    #[test]
    fn this_process_has_memory_and_a_beginning() {
        let figures = figures().unwrap();
        assert!(1024 * 1024 < figures.memory, "{figures:?}");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        assert!((1..=now).contains(&figures.started), "{figures:?}");
        assert!(figures.open_files.is_none_or(|files| files > 2), "{figures:?}");
    }
}
