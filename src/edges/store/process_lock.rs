//! The lock of the first process that runs on a file: as long as it is held, no earlier process is alive.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A lock in a file beside the database. The system frees it when its process ends, however it ends.
#[derive(Debug, Default)]
pub(super) struct ProcessLock {
    path: Option<PathBuf>,
    held: Mutex<Option<File>>,
}

impl ProcessLock {
    /// The lock beside a database: `candor.db.lock`. It is not taken yet.
    pub(super) fn beside(database: &Path) -> Self {
        let mut path = database.as_os_str().to_owned();
        path.push(".lock");
        Self { path: Some(path.into()), held: Mutex::default() }
    }

    /// Whether this process holds the lock, which it takes if it is free. False where there is none.
    pub(super) fn is_held(&self) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            *held = self.path.as_deref().and_then(taken);
        }
        held.is_some()
    }

    /// Gives the lock back.
    pub(super) fn release(&self) {
        drop(self.held.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// The lock, if nobody else holds it.
fn taken(path: &Path) -> Option<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).ok()?;
    file.try_lock().is_ok().then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_the_lock_until_it_gives_it_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("candor.db");
        let (first, second) = (ProcessLock::beside(&path), ProcessLock::beside(&path));
        assert!(first.is_held() && first.is_held());
        assert!(!second.is_held());
        first.release();
        assert!(second.is_held());
        assert!(!first.is_held());
        assert!(!ProcessLock::default().is_held());
    }
}
