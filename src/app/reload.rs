//! Reloads the modules of a running bot: a change is checked as a whole, and comes into force as a whole or not at all.
//!
//! A reload begins when the modules' folder or the settings file changed and then rested for a moment, when the process
//! gets SIGHUP, and when `candor reload` asks for it. What began before goes on with what was in force then. If
//! anything is wrong, what was in force stays.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::app::examine::{Examined, Running, Sources, examine};
use crate::app::module_files::ModuleFiles;
use crate::app::outside::Starting;
use crate::host::InForce;
use candor_core::contract::{EventKind, NativeModule};
use candor_core::diagnostic;
use candor_core::diagnostic::Diagnostics;
use candor_core::registry::Registry;
use candor_core::settings::Settings;

/// Reloads the modules of one running bot.
pub struct Reloader {
    natives: fn() -> Vec<NativeModule>,
    config: Option<PathBuf>,
    settings: Arc<Settings>,
    in_force: Arc<InForce>,
    /// The events of which Discord was asked to tell when the bot started.
    events: BTreeSet<EventKind>,
    /// One reload at a time.
    under_way: Mutex<()>,
    state: ReloadState,
    found: std::sync::Mutex<Found>,
}

/// What checks found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// In what is in force: of modules that are left out, and warnings.
    pub in_force: Arc<Diagnostics>,
    /// In what the last reload read, if it failed.
    pub refused: Option<Arc<Diagnostics>>,
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
    /// Reloads into `in_force` what the bot was started with: the modules compiled in, and the settings file. `found`:
    /// what the check at the start found.
    pub fn new(
        (natives, config): (fn() -> Vec<NativeModule>, Option<PathBuf>),
        settings: Arc<Settings>,
        in_force: Arc<InForce>,
        found: Diagnostics,
    ) -> Self {
        let found = std::sync::Mutex::new(Found { in_force: Arc::new(found), refused: None });
        let (under_way, state) = (Mutex::default(), ReloadState::default());
        let events = in_force.now().hooks().map(|(_, hook, _)| hook.kind).collect();
        Self { natives, config, settings, in_force, events, under_way, state, found }
    }

    /// What the checks found.
    pub fn found(&self) -> Found {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep_found(&self, keep: impl FnOnce(&mut Found)) {
        keep(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// How reloads went.
    pub fn state(&self) -> &ReloadState {
        &self.state
    }

    /// Reloads whenever these files change, until the bot stops.
    pub async fn follow(&self, mut files: ModuleFiles, stop: CancellationToken) {
        while stop.run_until_cancelled(files.changed()).await.is_some() {
            // What went wrong is logged.
            let _told = self.reload("files changed").await;
        }
    }

    /// Reads settings and modules anew, and puts them in force if nothing is wrong with them. Tells what changed, or
    /// why nothing did.
    pub async fn reload(&self, why: &str) -> Result<String, String> {
        let _alone = self.under_way.lock().await;
        info!(why, "the modules are read again");
        let running = Some(Running::of(&self.settings));
        let sources = Sources { natives: self.natives, config: self.config.as_deref(), running };
        let Examined { settings, registry, reach, diagnostics, n_modules, .. } =
            examine(sources, Starting::Serve).await;
        let unreachable = reach.unreachable.first();
        let (Some(settings), Some(registry), None) = (settings, registry, unreachable) else {
            let problems = diagnostic::full::render(&diagnostics, false);
            let summary = diagnostic::full::summary(&diagnostics, 0, n_modules);
            error!("not reloaded, and what was in force stays\n{problems}{summary}");
            self.state.has_failed.store(true, Ordering::Relaxed);
            self.state.failed.fetch_add(1, Ordering::Relaxed);
            self.keep_found(|found| found.refused = Some(Arc::new(diagnostics)));
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
        self.keep_found(|found| *found = Found { in_force: Arc::new(diagnostics), refused: None });
        let waiting = self.untold(&registry).chain(self.waiting(&settings));
        let lines = changes.iter().map(ToString::to_string).chain(waiting).collect::<Vec<_>>();
        Ok(if lines.is_empty() { "Reloaded; no command changed.".to_owned() } else { lines.join("\n") })
    }

    /// Says of which events Discord tells after a restart alone: at the login it is said which are wanted.
    fn untold(&self, registry: &Registry) -> impl Iterator<Item = String> {
        let wanted: BTreeSet<_> = registry.hooks().map(|(_, hook, _)| hook.kind).collect();
        wanted.into_iter().filter(|kind| !self.events.contains(kind)).map(|kind| {
            let told = format!(
                "commands for the event `{}` run after a restart: until then Discord does not tell of it",
                kind.name()
            );
            warn!("{told}");
            told
        })
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
}
