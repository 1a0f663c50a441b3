//! Locks on the store's file: each process holds a shared lock; a process that gets it exclusively knows that no other
//! one is alive.
//!
//! Converting a shared lock to an exclusive one releases it for a moment, in which another process would find itself
//! alone. So there are two files. `candor.db.lock` is locked as long as a process runs. `candor.db.lock-turn` is locked
//! by the one process that is changing its lock on the first. The system releases both when a process ends, even if it
//! is killed.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tracing::warn;

/// The locks of one process on a file. The default has no file, and is never alone.
#[derive(Debug, Default)]
pub(super) struct ProcessLock(Mutex<Option<HeldLock>>);

#[derive(Debug)]
struct HeldLock {
    /// Holds a shared lock.
    running: File,
    turn: PathBuf,
    was_alone: bool,
}

/// Proof that a process is alone. Until it is dropped, no other process begins.
#[derive(Debug)]
pub(super) struct Alone {
    _turn: File,
}

impl ProcessLock {
    /// Locks the file beside a database as one of its processes. Waits for other processes that do so at this moment.
    ///
    /// # Errors
    /// Fails if the file system does not support locks.
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
        let is_alone = is_alone(&running)?;
        let held = HeldLock { running, turn: path, was_alone: false };
        Ok((Self(Mutex::new(Some(held))), is_alone.then_some(Alone { _turn: turn })))
    }

    /// Checks whether this process is alone at this moment. Returns `None` if it is already known to have been alone.
    pub(super) fn alone_now(&self) -> Option<Alone> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().filter(|held| !held.was_alone)?.look_again().ok()?
    }

    /// Records that this process was alone: processes that wrote before that have ended.
    pub(super) fn remember(&self, _alone: Alone) {
        if let Some(held) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            held.was_alone = true;
        }
    }

    pub(super) fn was_alone(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|held| held.was_alone)
    }

    /// Unlocks the file: this process no longer runs on it.
    pub(super) fn release(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl HeldLock {
    /// Checks whether this process is alone at this moment. Fails if another process holds the turn.
    fn look_again(&self) -> io::Result<Option<Alone>> {
        let turn = opened(&self.turn)?;
        turn.try_lock()?;
        self.running.unlock()?;
        Ok(is_alone(&self.running)?.then_some(Alone { _turn: turn }))
    }
}

/// Whether no other process has locked this file. Takes a shared lock on it in any case. The caller holds the turn and
/// has not locked the file.
fn is_alone(running: &File) -> io::Result<bool> {
    let is_alone = running.try_lock().is_ok();
    if is_alone {
        running.unlock()?;
    }
    // Only a process in its turn ever locks the file exclusively, so this does not wait.
    running.lock_shared()?;
    Ok(is_alone)
}

/// Opens a lock file that only its owner can access: anyone who can open it can hold the lock.
fn opened(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.create(true).truncate(false).write(true).open(path)?;
    #[cfg(unix)]
    if let Err(problem) = file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600)) {
        warn!(?path, error = %problem, "other users of this machine may hold this lock: set its mode to 0600");
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alone_once_no_other_runs_and_never_beside_one_that_only_came_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("candor.db");
        let begin = || {
            let (lock, alone) = ProcessLock::beside(&path).unwrap();
            alone.into_iter().for_each(|alone| lock.remember(alone));
            lock
        };
        let was_alone = |lock: &ProcessLock| {
            lock.alone_now().into_iter().for_each(|alone| lock.remember(alone));
            lock.was_alone()
        };
        let first = begin();
        assert!(was_alone(&first));
        let second = begin();
        assert!(!was_alone(&second));
        first.release();
        // The second one runs, although it was never alone.
        let third = begin();
        assert!(!was_alone(&second) && !was_alone(&third));
        second.release();
        assert!(was_alone(&third));
        let fourth = begin();
        assert!(was_alone(&third) && !was_alone(&fourth));
        assert!(!was_alone(&second) && !was_alone(&ProcessLock::default()));
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
