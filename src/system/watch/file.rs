//! A watched file: starts its thread, and returns the latest observation.

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tracing::{error, warn};

use crate::watch::content::Parse;
use crate::watch::events::WatchEvents;
use crate::watch::follower::Follower;
use crate::watch::mount;
use crate::watch::options::{WatchOptions, nudge};
use crate::watch::shared::SharedFile;
use candor_core::contract::Observation;

/// How long [`WatchedFile::start`] waits for the first reading. A slower disk does not delay the bot's start; until it
/// answers, the observation is empty.
const FIRST_READING_WITHIN: Duration = Duration::from_secs(5);

/// A watched file. Dropping it ends the watch and its thread.
pub struct WatchedFile<T> {
    shared: Arc<SharedFile<T>>,
    wake: SyncSender<()>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + Sync + 'static> WatchedFile<T> {
    /// Starts to watch a file, which need not exist yet, and reads it once before it returns.
    ///
    /// # Errors
    /// The system cannot create a thread. Missing kernel events are logged; the tick makes up for them.
    pub fn start(path: &Path, parse: Parse<T>, options: WatchOptions) -> io::Result<Self> {
        if mount::is_mount_point(path) {
            warn!(
                file.path = %path.display(),
                "the file is a mount itself: a replacement outside is not visible here; mount its folder instead"
            );
        }
        let shared = Arc::new(SharedFile::new(path));
        // Room for one: a second hint would add nothing.
        let (wake, hints) = mpsc::sync_channel(1);
        let events = WatchEvents::new(path, options.hints, wake.clone());
        let follower = Follower::new(path, parse, options.tick, events, hints, Arc::clone(&shared));
        let thread = thread::Builder::new().name("candor-watch".to_owned()).spawn(move || follower.run())?;
        let file = Self { shared, wake, thread: Some(thread) };
        file.wait_until(FIRST_READING_WITHIN, |seen| seen.good.is_some() || seen.trouble.is_some());
        Ok(file)
    }
}

impl<T> WatchedFile<T> {
    /// Returns the current observation. Takes no lock that a writer could hold, and never touches the disk.
    pub fn observe(&self) -> Observation<T> {
        Observation::clone(&self.shared.observation.load())
    }

    /// Waits until the observation meets a condition and returns it, or `None` after `at_most`.
    pub fn wait_until(
        &self,
        at_most: Duration,
        condition: impl Fn(&Observation<T>) -> bool,
    ) -> Option<Arc<Observation<T>>> {
        let deadline = Instant::now() + at_most;
        let mut turn = self.shared.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let seen = self.shared.observation.load_full();
            if condition(&seen) {
                return Some(seen);
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            turn = self.shared.published.wait_timeout(turn, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl<T> Drop for WatchedFile<T> {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::Release);
        nudge(&self.wake);
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            error!("the thread of a watched file had panicked");
        }
    }
}
