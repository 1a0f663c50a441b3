//! The thread that writes the metrics, once and then at an interval.

use std::io;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use tracing::{error, info, warn};

use crate::host_metrics::figures::Machine;
use crate::host_metrics::replace;

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
        match (replace::replace_own(file, text.as_bytes()), failing) {
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
