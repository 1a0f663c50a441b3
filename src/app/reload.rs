//! Reloads the modules of a running bot: a change is checked as a whole, and comes into force as a whole or not at all.
//!
//! A reload begins when the modules' folder or the settings file changed and then rested for a moment, when the process
//! gets SIGHUP, and when `candor reload` asks for it. What began before goes on with what was in force then. If
//! anything is wrong, what was in force stays.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use tokio::sync::{Mutex, Notify};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::app::examine::{Examined, examine};
use crate::app::starting::Starting;
use crate::edges::watch::WatchedFolders;
use crate::host::InForce;
use candor_core::diagnostic;
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

/// Reloads the modules of one running bot.
pub struct Reloader {
    config: Option<PathBuf>,
    settings: Arc<Settings>,
    in_force: Arc<InForce>,
    asked: Arc<Notify>,
    /// One reload at a time.
    under_way: Mutex<()>,
    state: ReloadState,
}

/// How reloads went.
#[derive(Debug, Default)]
pub struct ReloadState {
    /// Whether the last one failed, so that what was in force before stays.
    pub has_failed: AtomicBool,
    /// How many came into force.
    pub done: AtomicU64,
    /// How many failed.
    pub failed: AtomicU64,
}

impl Reloader {
    /// Reloads into `in_force`. `config`: the settings file that the bot was started with.
    pub fn new(config: Option<PathBuf>, settings: Arc<Settings>, in_force: Arc<InForce>) -> Self {
        Self {
            config,
            settings,
            in_force,
            asked: Arc::default(),
            under_way: Mutex::default(),
            state: ReloadState::default(),
        }
    }

    /// How reloads went.
    pub fn state(&self) -> &ReloadState {
        &self.state
    }

    /// Reloads whenever the files change, until the bot stops.
    pub async fn follow(&self, stop: CancellationToken) {
        let mut seen = self.seen().await;
        loop {
            // Folders come and go with their watches, so each wait has new ones.
            let _watched = WatchedFolders::new(&self.watched(), self.asked.clone());
            if self.seen().await != seen {
                self.asked.notify_one();
            }
            tokio::select! {
                () = self.asked.notified() => {}
                () = tokio::time::sleep(TICK) => {
                    if self.seen().await == seen {
                        continue;
                    }
                }
                () = stop.cancelled() => return,
            }
            let rested = self.rested().await;
            if rested == seen {
                continue;
            }
            seen = rested;
            // What went wrong is logged.
            let _told = self.reload("files changed").await;
        }
    }

    /// Reads settings and modules anew, and puts them in force if nothing is wrong with them. Tells what changed, or
    /// why nothing did.
    pub async fn reload(&self, why: &str) -> Result<String, String> {
        let _alone = self.under_way.lock().await;
        info!(why, "the modules are read anew");
        let Examined { settings, registry, reach, diagnostics, n_modules, .. } =
            examine(self.config.as_deref(), Starting::Serve).await;
        let unreachable = reach.unreachable.first();
        let (Some(settings), Some(registry), None) = (settings, registry, unreachable) else {
            let problems = diagnostic::full::render(&diagnostics, false);
            let summary = diagnostic::full::summary(&diagnostics, n_modules);
            error!("not reloaded, and what was in force stays\n{problems}{summary}");
            self.state.has_failed.store(true, Ordering::Relaxed);
            self.state.failed.fetch_add(1, Ordering::Relaxed);
            return Err(format!("{problems}{summary}\nNot reloaded: what was in force stays."));
        };
        let before = self.in_force.replace(registry.clone());
        let changes = before.changes_to(&registry);
        for change in &changes {
            info!(command.name = change.name, module = change.owner, change = change.kind.name(), "reloaded");
        }
        info!(n_changes = changes.len(), n_modules, "the modules are in force");
        self.state.has_failed.store(false, Ordering::Relaxed);
        self.state.done.fetch_add(1, Ordering::Relaxed);
        let waiting = self.waiting(&settings);
        let lines = changes.iter().map(ToString::to_string).chain(waiting).collect::<Vec<_>>();
        Ok(if lines.is_empty() { "Reloaded; no command changed.".to_owned() } else { lines.join("\n") })
    }

    /// Says which changes of the settings wait for a restart.
    fn waiting(&self, settings: &Settings) -> Option<String> {
        let reloaded = Settings { modules: settings.modules.clone(), ..(*self.settings).clone() };
        if reloaded == *settings {
            return None;
        }
        let told = "the settings changed outside of `[modules]`; that takes a restart";
        warn!("{told}");
        Some(told.to_owned())
    }

    fn modules_folder(&self) -> PathBuf {
        self.settings.modules.path.clone().unwrap_or_else(|| PathBuf::from("modules"))
    }

    fn config_file(&self) -> PathBuf {
        self.config.clone().unwrap_or_else(|| PathBuf::from("config.toml"))
    }

    /// The modules with their folders, and the settings file; not its folder, where the log may be written as well.
    fn watched(&self) -> Vec<(PathBuf, bool)> {
        let (modules, config) = (self.modules_folder(), self.config_file());
        let modules = modules.is_dir().then_some((modules, true));
        modules.into_iter().chain(config.is_file().then_some((config, false))).collect()
    }

    async fn rested(&self) -> Files {
        let mut seen = self.seen().await;
        for _ in 0..RESTS_MAX {
            tokio::time::sleep(REST).await;
            let now = self.seen().await;
            if now == seen {
                break;
            }
            seen = now;
        }
        seen
    }

    async fn seen(&self) -> Files {
        let (modules, config) = (self.modules_folder(), self.config_file());
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
