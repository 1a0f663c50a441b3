//! The thread that follows a file: waits, reads, compares, publishes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime};

use tracing::{info, warn};

use crate::watch::content::{self, Content};
use crate::watch::events::WatchEvents;
use crate::watch::shared::SharedFile;
use crate::watch::{ContentProblem, Parse};
use candor_core::contract::{FileTrouble, Good, Observation};

/// Writers come in bursts: the file is read after this long without a hint.
const QUIET: Duration = Duration::from_millis(50);
/// Under an endless stream of hints the file is still read this often.
const SETTLED_WITHIN: Duration = Duration::from_millis(500);
/// An empty or broken file may be in the middle of a write: it is read again after this time.
const SECOND_LOOK_AFTER: Duration = Duration::from_millis(100);

pub(super) struct Follower<T> {
    path: PathBuf,
    parse: Parse<T>,
    tick: Duration,
    events: WatchEvents,
    hints: Receiver<()>,
    shared: Arc<SharedFile<T>>,
    /// The bytes of the last good content: the same bytes need no parsing.
    bytes: Vec<u8>,
    /// Whether the last reading found a problem that a second reading must confirm.
    doubtful: bool,
}

enum Found<T> {
    Good(Good<T>),
    Missing,
    Bad(ContentProblem),
}

impl<T> Follower<T> {
    pub(super) fn new(
        path: &Path,
        parse: Parse<T>,
        tick: Duration,
        events: WatchEvents,
        hints: Receiver<()>,
        shared: Arc<SharedFile<T>>,
    ) -> Self {
        Self { path: path.to_owned(), parse, tick, events, hints, shared, bytes: Vec::new(), doubtful: false }
    }

    pub(super) fn run(mut self) {
        self.events.arm();
        self.look();
        loop {
            let wait = if self.doubtful { SECOND_LOOK_AFTER } else { self.tick };
            let hinted = match self.hints.recv_timeout(wait) {
                Ok(()) => true,
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if hinted {
                self.settle();
            }
            if self.shared.stopping.load(Ordering::Acquire) {
                return;
            }
            if hinted || !self.events.are_listening() {
                self.events.arm();
            }
            if self.look() && !hinted {
                // A change without an event: the watch is on an old file or folder. Another reading finds changes
                // before the new watch.
                self.events.arm();
                self.look();
            }
        }
    }

    /// Waits until the hints stop, up to a limit.
    fn settle(&self) {
        let deadline = Instant::now() + SETTLED_WITHIN;
        loop {
            let quiet = self.hints.recv_timeout(QUIET).is_err();
            if quiet || deadline <= Instant::now() || self.shared.stopping.load(Ordering::Acquire) {
                return;
            }
        }
    }

    /// Reads the file and publishes changes. Returns whether there were any.
    fn look(&mut self) -> bool {
        let before = self.shared.observation.load_full();
        let found = self.find(&before);
        let was_invalid = matches!(before.trouble, Some(FileTrouble::Invalid { .. }));
        let second_chance = matches!(found, Found::Bad(_)) && !was_invalid && !self.doubtful;
        self.doubtful = second_chance;
        if second_chance {
            return false;
        }
        report(&before, &found);
        let (good, trouble) = match found {
            Found::Good(good) => (Some(good), None),
            Found::Missing => (before.good.clone(), Some(missing_since(before.trouble.as_ref()))),
            Found::Bad(problem) => (before.good.clone(), Some(invalid_since(before.trouble.as_ref(), &problem))),
        };
        if is_same(before.good.as_ref(), good.as_ref()) && before.trouble == trouble {
            return false;
        }
        self.shared.publish(Observation { path: before.path.clone(), good, trouble });
        true
    }

    fn find(&mut self, before: &Observation<T>) -> Found<T> {
        let (bytes, modified) = match content::read(&self.path) {
            Content::Whole { bytes, modified } => (bytes, modified),
            Content::Missing => return Found::Missing,
            Content::Unreadable(problem) => return Found::Bad(problem),
        };
        if let Some(good) = before.good.as_ref().filter(|_| bytes == self.bytes) {
            return Found::Good(Good { value: Arc::clone(&good.value), modified });
        }
        match (self.parse)(&bytes) {
            Ok(value) => {
                self.bytes = bytes;
                Found::Good(Good { value: Arc::new(value), modified })
            }
            Err(problem) => Found::Bad(problem),
        }
    }
}

/// Keeps the start of a state as long as the state lasts.
fn missing_since(before: Option<&FileTrouble>) -> FileTrouble {
    match before {
        Some(FileTrouble::Missing { since }) => FileTrouble::Missing { since: *since },
        Some(FileTrouble::Invalid { .. }) | None => FileTrouble::Missing { since: SystemTime::now() },
    }
}

fn invalid_since(before: Option<&FileTrouble>, problem: &ContentProblem) -> FileTrouble {
    let since = match before {
        Some(FileTrouble::Invalid { since, .. }) => *since,
        Some(FileTrouble::Missing { .. }) | None => SystemTime::now(),
    };
    FileTrouble::Invalid { since, problem: problem.to_string() }
}

fn is_same<T>(before: Option<&Good<T>>, after: Option<&Good<T>>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => Arc::ptr_eq(&before.value, &after.value) && before.modified == after.modified,
        (before, after) => before.is_none() && after.is_none(),
    }
}

/// Logs one line for each change of state, however long the state lasts.
fn report<T>(before: &Observation<T>, found: &Found<T>) {
    let path = &before.path;
    match (&before.trouble, found) {
        (Some(_), Found::Good(_)) => info!(file.path = path, "the file is good again"),
        (None | Some(FileTrouble::Invalid { .. }), Found::Missing) => warn!(file.path = path, "the file is missing"),
        (None | Some(FileTrouble::Missing { .. }), Found::Bad(problem)) => warn!(
            file.path = path,
            file.line = problem.place.map(|(line, _)| line),
            file.column = problem.place.map(|(_, column)| column),
            problem = problem.text,
            "the file is invalid; the last good content stays"
        ),
        (None, Found::Good(_))
        | (Some(FileTrouble::Missing { .. }), Found::Missing)
        | (Some(FileTrouble::Invalid { .. }), Found::Bad(_)) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::Follower;
    use crate::watch::events::WatchEvents;
    use crate::watch::shared::SharedFile;
    use crate::watch::{ContentProblem, Hints};
    use candor_core::contract::FileTrouble;

    /// Takes whatever is not empty.
    fn length(bytes: &[u8]) -> Result<usize, ContentProblem> {
        if bytes.is_empty() { Err(ContentProblem::whole("empty")) } else { Ok(bytes.len()) }
    }

    fn follower(path: &Path) -> Follower<usize> {
        let (wake, hints) = mpsc::sync_channel(1);
        let events = WatchEvents::new(path, Hints::TickOnly, wake);
        Follower::new(path, length, Duration::from_secs(1), events, hints, SharedFile::new(path).into())
    }

    #[test]
    fn what_is_bad_gets_a_second_look_before_anybody_hears_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut follower = follower(&path);
        let mut look = |content: &str| {
            fs::write(&path, content).unwrap();
            let is_news = follower.look();
            let seen = follower.shared.observation.load_full();
            let is_invalid = matches!(seen.trouble, Some(FileTrouble::Invalid { .. }));
            (is_news, is_invalid, seen.good.as_ref().map(|good| *good.value))
        };
        assert_eq!(look("12"), (true, false, Some(2)));
        assert_eq!(look(""), (false, false, Some(2)), "perhaps it is just being written");
        assert_eq!(look("123"), (true, false, Some(3)), "it was");
        assert_eq!(look(""), (false, false, Some(3)));
        assert_eq!(look(""), (true, true, Some(3)), "it was not");
        assert_eq!(look(""), (false, true, Some(3)), "nothing new");
        assert_eq!(look("123"), (true, false, Some(3)), "good again, although it says the same");
    }
}
