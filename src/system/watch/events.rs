//! The kernel's events on a file and its folder, reduced to "something may have changed".
//!
//! Both are watched. A watch of the folder misses edits of a file that is mounted by itself; a watch of the file misses
//! that another file takes its name.

use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tracing::{info, warn};

use crate::watch::Hints;
use crate::watch::options::nudge;

pub(super) struct WatchEvents {
    file: PathBuf,
    folder: PathBuf,
    hints: Hints,
    wake: SyncSender<()>,
    watcher: Option<RecommendedWatcher>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Listening,
    Deaf,
}

impl WatchEvents {
    pub(super) fn new(file: &Path, hints: Hints, wake: SyncSender<()>) -> Self {
        let folder = match file.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        Self { file: file.to_owned(), folder, hints, wake, watcher: None, state: State::New }
    }

    /// Returns whether changes in the folder are reported.
    pub(super) fn are_listening(&self) -> bool {
        self.state == State::Listening || self.hints == Hints::TickOnly
    }

    /// Watches the file and the folder that have these names now: the previous ones may be gone. Call it before reading
    /// the file, so that no change is lost in between.
    pub(super) fn arm(&mut self) {
        if self.hints == Hints::TickOnly {
            return;
        }
        match self.try_to_arm() {
            Ok(()) => {
                if self.state == State::Deaf {
                    info!(file.path = %self.file.display(), "changes to the file are reported again");
                }
                self.state = State::Listening;
            }
            Err(error) => {
                if self.state != State::Deaf {
                    warn!(
                        file.path = %self.file.display(), error = %error,
                        "changes to the file are not reported; it is read at every tick instead"
                    );
                }
                self.state = State::Deaf;
            }
        }
    }

    fn try_to_arm(&mut self) -> notify::Result<()> {
        let watcher = match &mut self.watcher {
            Some(watcher) => watcher,
            none => none.insert(watcher_that_wakes(self.wake.clone())?),
        };
        for path in [&self.folder, &self.file] {
            // Fails if there was no watch or its target is gone: either is fine.
            drop(watcher.unwatch(path));
        }
        watcher.watch(&self.folder, RecursiveMode::NonRecursive)?;
        // The file may be missing. Its folder reports when it appears.
        drop(watcher.watch(&self.file, RecursiveMode::NonRecursive));
        Ok(())
    }
}

fn watcher_that_wakes(wake: SyncSender<()>) -> notify::Result<RecommendedWatcher> {
    notify::recommended_watcher(move |event| {
        if is_hint(&event) {
            nudge(&wake);
        }
    })
}

/// Returns whether an event may mean a change. Reading the file itself reports an access, so reacting to access events
/// would never end. There is no filter by name: Kubernetes swaps a folder and never names the file.
pub(super) fn is_hint(event: &notify::Result<Event>) -> bool {
    match event {
        Ok(event) if event.need_rescan() => true,
        Ok(event) => match event.kind {
            EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
            EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) | EventKind::Other => {
                true
            }
        },
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, AccessMode, DataChange, Flag, MetadataKind, ModifyKind, RemoveKind};
    use notify::{Error, Event, EventKind};

    use super::is_hint;

    #[test]
    fn everything_but_reading_is_a_hint() {
        let cases = [
            (EventKind::Access(AccessKind::Open(AccessMode::Any)), false),
            (EventKind::Access(AccessKind::Read), false),
            (EventKind::Access(AccessKind::Close(AccessMode::Read)), false),
            (EventKind::Access(AccessKind::Close(AccessMode::Write)), true),
            (EventKind::Modify(ModifyKind::Data(DataChange::Any)), true),
            (EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)), true),
            (EventKind::Remove(RemoveKind::File), true),
        ];
        for (kind, expected) in cases {
            assert_eq!(is_hint(&Ok(Event::new(kind))), expected, "{kind:?}");
        }
        assert!(is_hint(&Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan))), "the queue ran over");
        assert!(is_hint(&Err(Error::generic("no matter what"))));
    }
}
