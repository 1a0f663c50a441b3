//! Watches folders with their content, for readers that read them again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tracing::warn;

use crate::watch::events::is_hint;

/// Watched folders, until this is dropped.
pub struct WatchedFolders {
    watcher: Option<RecommendedWatcher>,
}

impl WatchedFolders {
    /// Wakes `changed` when one of these may have changed. A folder with `true` is watched with all its subfolders. A
    /// failed watch is logged; its changes are found at the next reload on request.
    pub fn new(folders: &[(PathBuf, bool)], changed: Arc<Notify>) -> Self {
        let watcher = notify::recommended_watcher(move |event| {
            if is_hint(&event) {
                changed.notify_one();
            }
        });
        let mut watched = match watcher {
            Ok(watcher) => Self { watcher: Some(watcher) },
            Err(problem) => {
                warn!(error = %problem, "changes to the modules are not noticed: `candor reload` reads them again");
                Self { watcher: None }
            }
        };
        for (folder, is_deep) in folders {
            watched.add(folder, *is_deep);
        }
        watched
    }

    fn add(&mut self, folder: &Path, is_deep: bool) {
        let mode = if is_deep { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        let Some(watcher) = &mut self.watcher else { return };
        if let Err(problem) = watcher.watch(folder, mode) {
            warn!(
                folder.path = %folder.display(), error = %problem,
                "changes in this folder are not noticed: `candor reload` reads it again"
            );
        }
    }
}
