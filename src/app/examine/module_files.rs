//! The files that modules are made of, and when they changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;
use tracing::warn;

use crate::edges::watch::WatchedFolders;
use candor_core::settings::Settings;

/// How long files must rest before they are read: a copy or a checkout is many changes.
const REST: Duration = Duration::from_millis(300);
/// How often it is looked whether they rest. Afterwards they are read as they are.
const RESTS_MAX: u32 = 100;
/// How often the files are looked at without a hint: some file systems report nothing, and a folder may be new.
const TICK: Duration = Duration::from_mins(1);
/// The most files of the modules that are compared, and how deep their folders go.
const FILES_MAX: usize = 10_000;
const DEPTH_MAX: u32 = 8;

/// The settings file and the modules' folder.
pub struct ModuleFiles {
    config: PathBuf,
    modules: PathBuf,
    /// The files when they were looked at last.
    seen: Files,
}

impl ModuleFiles {
    /// Those of a bot that is started with this settings file.
    pub fn of(config: Option<&Path>, settings: &Settings) -> Self {
        Self {
            config: config.unwrap_or(Path::new("config.toml")).to_owned(),
            modules: settings.modules.path.clone().unwrap_or_else(|| PathBuf::from("modules")),
            seen: Files::new(),
        }
    }

    /// Looks at the files as they are now: what changes from now on is a change.
    pub async fn look(&mut self) {
        self.seen = self.now().await;
        if FILES_MAX <= self.seen.len() {
            warn!(folder = %self.modules.display(), "there are more files than {FILES_MAX}, and changes of some are not noticed: `candor reload` reads them all");
        }
    }

    /// Waits until a file has changed since the last look, and then rested for a moment.
    pub async fn changed(&mut self) {
        let changed = Arc::new(Notify::new());
        loop {
            // Folders come and go with their watches, so each wait has new ones.
            let _watched = WatchedFolders::new(&self.watched(), changed.clone());
            if self.now().await == self.seen {
                tokio::select! {
                    () = changed.notified() => {}
                    () = tokio::time::sleep(TICK) => {}
                }
            }
            let rested = self.rested().await;
            if rested != self.seen {
                self.seen = rested;
                return;
            }
        }
    }

    /// The modules with their folders, and the settings file; not its folder, where the store or the log may be written
    /// as well: each commit would wake the watcher.
    fn watched(&self) -> Vec<(PathBuf, bool)> {
        let modules = self.modules.is_dir().then(|| (self.modules.clone(), true));
        let config = self.config.is_file().then(|| (self.config.clone(), false));
        modules.into_iter().chain(config).collect()
    }

    /// The files once they are as they were a moment before.
    async fn rested(&self) -> Files {
        let mut seen = self.now().await;
        for _ in 0..RESTS_MAX {
            tokio::time::sleep(REST).await;
            let now = self.now().await;
            if now == seen {
                break;
            }
            seen = now;
        }
        seen
    }

    async fn now(&self) -> Files {
        let (modules, config) = (self.modules.clone(), self.config.clone());
        let read = move || {
            let mut files = Files::new();
            look(&config, 0, &mut files);
            look(&modules, DEPTH_MAX, &mut files);
            files
        };
        tokio::task::spawn_blocking(read).await.unwrap_or_default()
    }
}

/// Files with what changes when they change: size and time.
type Files = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

/// Looks at a file, or at a folder and all that is in it. Links are followed: Kubernetes swaps one.
fn look(path: &Path, depth: u32, files: &mut Files) {
    let Ok(metadata) = path.metadata() else { return };
    if FILES_MAX <= files.len() {
        return;
    }
    if metadata.is_dir() && 0 < depth {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            look(&entry.path(), depth - 1, files);
        }
    } else if metadata.is_file() {
        files.insert(path.to_owned(), (metadata.len(), metadata.modified().ok()));
    }
}
