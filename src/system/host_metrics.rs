//! Writes this machine's metrics to the metrics file: a producer for operators who have none.
//!
//! It writes as any other producer does: a new file replaces the old one as a whole. Operators with their own producer
//! switch this one off (`[host_metrics] enabled = false`). It never replaces a file that it did not write: `[status]
//! file` may name any file by mistake.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io, thread};

use serde_json::{Map, Value, json};
use sysinfo::{
    CpuRefreshKind, DiskRefreshKind, Disks, MemoryRefreshKind, Networks, ProcessRefreshKind, ProcessesToUpdate,
    RefreshKind, System,
};
use time::format_description::well_known::Rfc3339;
use tracing::{error, info, warn};

use candor_core::contract::OWN_METRICS;
use candor_core::record::ProcessFigures;
use candor_core::text::{is_in_calendar, utc_text};

struct Machine {
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
    fn new(data_folder: PathBuf, generated_at: String) -> Self {
        let wanted = RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing().with_usage())
            .with_memory(MemoryRefreshKind::nothing().with_ram());
        let networks = Networks::new_with_refreshed_list().ok();
        let traffic = networks.as_ref().map(traffic);
        let system = System::new_with_specifics(wanted).ok();
        Self { data_folder, generated_at, system, disks: Disks::new().ok(), networks, traffic }
    }

    fn measure(&mut self, now: SystemTime) -> Value {
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

/// How long a start waits for the first file.
const FIRST_FILE_WITHIN: Duration = Duration::from_secs(2);

/// The running producer. Dropping it stops it.
pub struct HostMetrics {
    /// Never sends: dropping it stops the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl HostMetrics {
    /// Starts to write the metrics to `file`: once as soon as there are any (a fifth of a second), then every
    /// `interval`. Returns after the first attempt to write, or after two seconds, so that a watcher finds this
    /// machine's metrics from the start. `generated_at` is the key of their time. Disk values are those of the file
    /// system of `data_folder`.
    ///
    /// # Errors
    /// The system cannot create a thread. A file that cannot be written later is logged and tried again.
    pub fn start(file: &Path, data_folder: &Path, interval: Duration, generated_at: &str) -> io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let (first, tried) = mpsc::channel();
        let file = file.to_owned();
        let machine = Machine::new(data_folder.to_owned(), generated_at.to_owned());
        let produce = move || produce(&file, machine, interval, &stopped, first);
        let thread = thread::Builder::new().name("candor-metrics".to_owned()).spawn(produce)?;
        // The bot starts either way; a file that cannot be written has been logged.
        let _tried = tried.recv_timeout(FIRST_FILE_WITHIN);
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for HostMetrics {
    fn drop(&mut self) {
        drop(self.stop.take());
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            error!("the thread of the host's metrics had panicked");
        }
    }
}

fn produce(file: &Path, mut machine: Machine, interval: Duration, stopped: &Receiver<()>, first: Sender<()>) {
    let mut failing = false;
    // Processor use and network rates need two measurements. A file after only one would claim 0.
    let mut wait = sysinfo::MINIMUM_CPU_UPDATE_INTERVAL;
    while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        wait = interval;
        let text = format!("{:#}\n", machine.measure(SystemTime::now()));
        match (replace_own(file, text.as_bytes()), failing) {
            (Ok(()), false) | (Err(_), true) => {}
            (Ok(()), true) => {
                info!(file.path = %file.display(), "the host's metrics are written again");
                failing = false;
            }
            (Err(error), false) => {
                warn!(file.path = %file.display(), error = %error, "the host's metrics could not be written; still trying");
                failing = true;
            }
        }
        // Only the first signal has a receiver.
        let _heard = first.send(());
    }
}

/// The bot's own file is far smaller. In bytes.
const OWN_SIZE_MAX: u64 = 64 * 1024;

#[derive(Debug, thiserror::Error)]
enum ReplaceError {
    /// Another program wrote the existing file.
    #[error(
        "the file is not the bot's own and is left alone: set `enabled = false` in `[host_metrics]` if another \
         producer writes it, or move it away and the bot writes its own"
    )]
    NotOwn,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Replaces the file if the bot wrote it, or creates it. Any other file stays unchanged.
fn replace_own(path: &Path, content: &[u8]) -> Result<(), ReplaceError> {
    match is_own(path) {
        Ok(false) => Err(ReplaceError::NotOwn),
        Err(problem) if problem.kind() != io::ErrorKind::NotFound => Err(problem.into()),
        Ok(true) | Err(_) => Ok(replace(path, content)?),
    }
}

/// Returns whether the bot wrote the file. An empty file counts: a crash of the machine may leave one, and it has no
/// content to lose.
fn is_own(path: &Path) -> io::Result<bool> {
    // Checked before opening: opening a pipe waits for its writer.
    if !fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut content = Vec::new();
    fs::File::open(path)?.take(OWN_SIZE_MAX).read_to_end(&mut content)?;
    let (key, producer) = OWN_METRICS;
    let is_marked = |figures: Map<String, Value>| figures.get(key).and_then(Value::as_str) == Some(producer);
    Ok(content.is_empty() || serde_json::from_slice(&content).is_ok_and(is_marked))
}

/// Writes a file beside `path` and renames it. Does not sync: after a crash of the machine this content is worthless
/// anyway. Creates the folder if it is missing.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    };
    // Hidden, with the process id: two bots in one folder would overwrite each other's file.
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.new", std::process::id()));
    let temporary = path.with_file_name(temporary);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&temporary, content).and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // Half a file only fills the disk more. If removing it fails too, nothing changes.
        drop(fs::remove_file(&temporary));
    })
}

#[cfg(test)]
mod figures_tests {
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

#[cfg(test)]
mod replace_tests {
    use std::fs;

    use super::{ReplaceError, replace, replace_own};

    #[test]
    fn only_a_file_of_the_bots_own_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.json");
        let new = r#"{"producer": "candor", "load": 1}"#;
        replace_own(&path, new.as_bytes()).unwrap();
        for own in [new, r#"{"load": 2, "producer": "candor"}"#, ""] {
            fs::write(&path, own).unwrap();
            replace_own(&path, new.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), new, "{own}");
        }
        let large = format!("{{\"producer\": \"candor\", \"x\": \"{}\"}}", "x".repeat(70_000));
        let foreign = [
            "[modules]\n",
            "SQLite format 3\0",
            "{}",
            r#"{"load": 2}"#,
            r#"{"producer": "telegraf"}"#,
            r#"[{"producer": "candor"}]"#,
            &large,
        ];
        for foreign in foreign {
            fs::write(&path, foreign).unwrap();
            let refused = replace_own(&path, new.as_bytes());
            assert!(matches!(refused, Err(ReplaceError::NotOwn)), "{foreign}: {refused:?}");
            assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
        }
        assert!(matches!(replace_own(folder.path(), b"{}"), Err(ReplaceError::NotOwn)));
    }

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/metrics.json");
        for content in ["first", "second"] {
            replace(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        let beside = fs::read_dir(folder.path().join("new")).unwrap().count();
        assert_eq!(beside, 1);
    }

    #[test]
    fn what_cannot_be_replaced_stays() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("metrics.json");
        fs::create_dir(&taken).unwrap();
        fs::write(taken.join("inside"), "kept").unwrap();
        assert!(replace(&taken, b"{}").is_err());
        assert_eq!(fs::read_to_string(taken.join("inside")).unwrap(), "kept");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        assert!(replace(std::path::Path::new("/"), b"{}").is_err());
    }
}
