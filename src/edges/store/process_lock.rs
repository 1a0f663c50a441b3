//! Locks on the store's file: each process holds a shared one; who gets it alone knows that no other is alive.
//!
//! A lock that is shared and then asked for alone is given up for a moment, in which another process would find itself
//! alone. So there are two files: `candor.db.lock`, locked as long as a process runs, and `candor.db.lock-turn`, locked
//! by the one process that is just changing its lock on the first. The system frees both when a process ends, however
//! it ends.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The locks of one process on a file. By default there is no file, and nobody is ever alone.
#[derive(Debug, Default)]
pub(super) struct ProcessLock(Mutex<Option<HeldLock>>);

#[derive(Debug)]
struct HeldLock {
    /// Locked together with all other processes.
    running: File,
    turn: PathBuf,
    was_alone: bool,
}

/// The moment in which a process is known to be alone. Until it is dropped, no other process begins.
#[derive(Debug)]
pub(super) struct Alone {
    _turn: File,
}

impl ProcessLock {
    /// Locks the file beside a database as one of its processes. Waits for other processes that do so at this moment.
    ///
    /// # Errors
    /// If the system does not lock files there.
    pub(super) fn beside(database: &Path) -> io::Result<(Self, Option<Alone>)> {
        let named = |ending: &str| {
            let mut name = database.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let path = named(".lock-turn");
        let turn = opened(&path)?;
        turn.lock()?;
        let running = opened(&named(".lock"))?;
        let was_alone = is_alone(&running)?;
        let held = HeldLock { running, turn: path, was_alone };
        Ok((Self(Mutex::new(Some(held))), was_alone.then_some(Alone { _turn: turn })))
    }

    /// Whether there was a moment since this process locked the file in which no other one had. Looks again until there
    /// was one. What another process wrote before this one began was then left by one that has ended.
    pub(super) fn was_alone(&self) -> bool {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(held) = &mut *held else { return false };
        if !held.was_alone {
            held.was_alone = held.look_again().unwrap_or(false);
        }
        held.was_alone
    }

    /// Unlocks the file: this process no longer runs on it.
    pub(super) fn release(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl HeldLock {
    /// Whether this process is alone at this moment. Not found out if it is another one's turn.
    fn look_again(&self) -> io::Result<bool> {
        let turn = opened(&self.turn)?;
        turn.try_lock()?;
        self.running.unlock()?;
        is_alone(&self.running)
    }
}

/// Whether nobody else has locked this file, which is then locked together with all others. To be asked in one's turn,
/// by who has not locked it.
fn is_alone(running: &File) -> io::Result<bool> {
    let is_alone = running.try_lock().is_ok();
    if is_alone {
        running.unlock()?;
    }
    // Only a process in its turn ever locks it alone, so this does not wait.
    running.lock_shared()?;
    Ok(is_alone)
}

fn opened(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alone_once_no_other_runs_and_never_beside_one_that_only_came_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("candor.db");
        let begin = || ProcessLock::beside(&path).unwrap().0;
        let first = begin();
        assert!(first.was_alone());
        let second = begin();
        assert!(!second.was_alone());
        first.release();
        // The second one runs, although it was never alone.
        let third = begin();
        assert!(!second.was_alone() && !third.was_alone());
        second.release();
        assert!(third.was_alone());
        let fourth = begin();
        assert!(third.was_alone() && !fourth.was_alone());
        assert!(!second.was_alone() && !ProcessLock::default().was_alone());
    }

    #[test]
    fn nobody_begins_while_one_is_known_to_be_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("candor.db");
        let (first, alone) = ProcessLock::beside(&path).unwrap();
        let (begun, has_begun) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| begun.send(ProcessLock::beside(&path).unwrap().1.is_some()));
            assert!(has_begun.try_recv().is_err());
            drop(alone);
            assert!(!has_begun.recv().unwrap(), "the second one was alone");
        });
        drop(first);
    }
}
