//! Watches the files of the modules.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;
use tracing::warn;

use candor_core::settings::Settings;
use candor_system::watch::WatchedFolders;

/// How long files must stay unchanged before they are read: a copy or a checkout makes many changes.
const REST: Duration = Duration::from_millis(300);
/// How often to check whether the files are unchanged. After that they are read as they are.
const RESTS_MAX: u32 = 100;
/// How often the files are checked without a notification: some file systems report nothing, and a folder may be new.
const TICK: Duration = Duration::from_mins(1);
/// The most module files compared, and the greatest depth of their folders.
const FILES_MAX: usize = 10_000;
const DEPTH_MAX: u32 = 8;

/// The settings file and the modules' folder.
pub struct ModuleFiles {
    config: PathBuf,
    modules: PathBuf,
    seen: Files,
}

impl ModuleFiles {
    pub fn of(config: Option<&Path>, settings: &Settings) -> Self {
        Self {
            config: config.unwrap_or(Path::new("config.toml")).to_owned(),
            modules: settings.modules.path.clone().unwrap_or_else(|| PathBuf::from("modules")),
            seen: Files::new(),
        }
    }

    /// Records the current state of the files; later differences are changes.
    pub async fn look(&mut self) {
        self.seen = self.now().await;
        if FILES_MAX <= self.seen.len() {
            warn!(folder = %self.modules.display(), "there are more files than {FILES_MAX}, and changes of some are not noticed: `candor reload` reads them all");
        }
    }

    /// Waits until a file has changed since the last look and the files have then stayed unchanged for a moment.
    pub async fn changed(&mut self) {
        let changed = Arc::new(Notify::new());
        loop {
            // Folders appear and disappear, so each wait sets new watches.
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

    /// Returns the modules' folder and the settings file itself. The folder of the settings file is not watched: the
    /// store or the log may be written there, and each commit would wake the watcher.
    fn watched(&self) -> Vec<(PathBuf, bool)> {
        let modules = self.modules.is_dir().then(|| (self.modules.clone(), true));
        let config = self.config.is_file().then(|| (self.config.clone(), false));
        modules.into_iter().chain(config).collect()
    }

    /// Returns the files as soon as two looks in a row are equal.
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
        let modules = self.modules.clone();
        let config = self.config.clone();
        let read = move || {
            let mut files = Files::new();
            look(&config, 0, &mut files);
            look(&modules, DEPTH_MAX, &mut files);
            files
        };
        tokio::task::spawn_blocking(read).await.unwrap_or_default()
    }
}

/// Size and modification time by path.
type Files = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

/// Records a file, or a folder and its content. Follows links: Kubernetes swaps one.
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
