//! Metrics of this machine and of this process. A missing value is left out, never made up.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, Value, json};
use sysinfo::{
    CpuRefreshKind, DiskRefreshKind, Disks, MemoryRefreshKind, Networks, ProcessRefreshKind, ProcessesToUpdate,
    RefreshKind, System,
};
use time::format_description::well_known::Rfc3339;

use candor_core::contract::OWN_METRICS;
use candor_core::record::ProcessFigures;
use candor_core::text::{is_in_calendar, utc_text};

pub(super) struct Machine {
    data_folder: PathBuf,
    /// The key of the measurement time: the one that `/status` looks for.
    generated_at: String,
    system: Option<System>,
    disks: Option<Disks>,
    networks: Option<Networks>,
    traffic: Option<Traffic>,
}

/// Bytes since the machine started, over all interfaces except the loopback.
#[derive(Clone, Copy, Debug)]
struct Traffic {
    received: u64,
    sent: u64,
    seen: Instant,
}

impl Machine {
    /// Takes a first measurement as the base for rates.
    pub(super) fn new(data_folder: PathBuf, generated_at: String) -> Self {
        let wanted = RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing().with_usage())
            .with_memory(MemoryRefreshKind::nothing().with_ram());
        let networks = Networks::new_with_refreshed_list().ok();
        let traffic = networks.as_ref().map(traffic);
        let system = System::new_with_specifics(wanted).ok();
        Self { data_folder, generated_at, system, disks: Disks::new().ok(), networks, traffic }
    }

    pub(super) fn measure(&mut self, now: SystemTime) -> Value {
        let mut figures = Map::new();
        let mut put = |key: &str, figure: Option<Value>| {
            figures.extend(figure.map(|figure| (key.to_owned(), figure)));
        };
        put(&self.generated_at, is_in_calendar(now).then(|| Value::String(utc_text(now, &Rfc3339))));
        // After the time, in case the operator gives both the same key: without this mark the bot would not recognize
        // its own file.
        put(OWN_METRICS.0, Some(OWN_METRICS.1.into()));
        if let Some(system) = &mut self.system {
            system.refresh_cpu_usage();
            system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
            put("cpu", cpu(system));
            put("memory", memory(system));
        }
        put("load", load());
        put("disk", self.disk());
        put("uptime_seconds", System::uptime().ok().map(Value::from));
        put("network", self.network());
        Value::Object(figures)
    }

    fn disk(&mut self) -> Option<Value> {
        let disks = self.disks.as_mut()?;
        disks.refresh_specifics(true, DiskRefreshKind::nothing().with_storage());
        let folder = fs::canonicalize(&self.data_folder).ok()?;
        let points: Vec<_> = disks.iter().map(|disk| disk.mount_point()).collect();
        let disk = disks.get(holding(&folder, &points)?)?;
        let total = disk.total_space();
        let used = total.checked_sub(disk.available_space())?;
        (0 < total).then(
            || json!({ "used_bytes": used, "total_bytes": total, "used_percent": rounded(percent(used, total), 10.0) }),
        )
    }

    fn network(&mut self) -> Option<Value> {
        let networks = self.networks.as_mut()?;
        networks.refresh(true);
        let now = traffic(networks);
        let before = self.traffic.replace(now)?;
        let seconds = now.seen.duration_since(before.seen).as_secs_f64();
        let mut figures = Map::new();
        let directions = [
            ("received_bytes", "receiving_bytes_per_second", before.received, now.received),
            ("sent_bytes", "sending_bytes_per_second", before.sent, now.sent),
        ];
        for (total, rate, before, now) in directions {
            figures.insert(total.to_owned(), now.into());
            // Smaller than before: an interface went away. Then there is no rate to report.
            if let Some(bytes) = now.checked_sub(before).filter(|_| 0.0 < seconds) {
                figures.insert(rate.to_owned(), rounded(float(bytes) / seconds, 1.0).into());
            }
        }
        Some(Value::Object(figures))
    }
}

fn cpu(system: &System) -> Option<Value> {
    let cores = system.cpus().len();
    (0 < cores).then(|| json!({ "usage_percent": rounded(system.global_cpu_usage().into(), 10.0), "cores": cores }))
}

/// Used memory is the total minus the memory that programs could get at once.
fn memory(system: &System) -> Option<Value> {
    let total = system.total_memory();
    (0 < total).then(|| json!({ "used_bytes": system.used_memory(), "total_bytes": total }))
}

fn load() -> Option<Value> {
    let load = System::load_average().ok()?;
    let [one, five, fifteen] = [load.one, load.five, load.fifteen].map(|load| rounded(load, 100.0));
    Some(json!({ "one": one, "five": five, "fifteen": fifteen }))
}

fn traffic(networks: &Networks) -> Traffic {
    let counted: Vec<_> = networks.iter().filter(|(name, _)| *name != "lo").map(|(_, data)| data).collect();
    Traffic {
        received: counted.iter().map(|data| data.total_received()).sum(),
        sent: counted.iter().map(|data| data.total_transmitted()).sum(),
        seen: Instant::now(),
    }
}

/// Returns the mount point of a folder: the longest path above it, and of equal ones the last, which covers the others.
fn holding(folder: &Path, points: &[&Path]) -> Option<usize> {
    let above = points.iter().enumerate().filter(|(_, point)| folder.starts_with(point));
    above.max_by_key(|(_, point)| point.components().count()).map(|(index, _)| index)
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * float(part) / float(whole)
}

/// Rounds to a fraction: `rounded(x, 10.0)` keeps one digit after the point.
fn rounded(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts
}

#[expect(clippy::cast_precision_loss, reason = "counts of bytes stay far below 2^53, and are rounded anyway")]
fn float(number: u64) -> f64 {
    number as f64
}

/// Asks the system for the resource use of this process. `None` if it does not say.
pub fn process_figures() -> Option<ProcessFigures> {
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
    use std::path::{Path, PathBuf};
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use super::{Machine, holding, process_figures};

    #[test]
    fn a_folder_is_on_the_nearest_mount_above_it() {
        let points = ["/", "/data", "/data/candor", "/data/candor", "/database"].map(Path::new);
        let cases = [("/data/candor/db", Some(3)), ("/data", Some(1)), ("/dat", Some(0)), ("/database/x", Some(4))];
        for (folder, expected) in cases {
            assert_eq!(holding(Path::new(folder), &points), expected, "{folder}");
        }
        assert_eq!(holding(Path::new("/data"), &[Path::new("/srv")]), None);
    }

    #[test]
    fn a_figure_that_cannot_be_had_is_left_out() {
        let mut machine = Machine::new(PathBuf::from("/no/such/folder"), "generated_at".to_owned());
        let figures = machine.measure(UNIX_EPOCH + Duration::from_secs(1_700_000_000));
        assert_eq!(figures.get("generated_at").and_then(|at| at.as_str()), Some("2023-11-14T22:13:20Z"));
        assert_eq!(figures.get("disk"), None);
    }

    #[test]
    fn this_process_has_memory_and_a_beginning() {
        let figures = process_figures().unwrap();
        assert!(1024 * 1024 < figures.memory, "{figures:?}");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        assert!((1..=now).contains(&figures.started), "{figures:?}");
        assert!(figures.open_files.is_none_or(|files| files > 2), "{figures:?}");
    }
}
