//! Reloads the modules of a running bot. A change is checked as a whole and comes into force as a whole, or not at all.
//!
//! A reload starts when the modules' folder or the settings file changed and then rested, on SIGHUP, and on `candor
//! reload`. Work that began earlier finishes with the old registry. On an error the old commands stay in force. In
//! quarantine mode only a broken module keeps its old version.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::app::commands_log::{log_changes, log_not_in_force, log_problems};
use crate::app::examine::{Examined, ModuleFiles, Running, Sources, examine};
use candor_core::contract::outside::Starting;
use candor_core::contract::{EventKind, NativeModule};
use candor_core::diagnostic::{self, Diagnostic, Diagnostics};
use candor_core::record::ReloadState;
use candor_core::registry::Registry;
use candor_core::settings::{LogFormat, Settings};
use candor_engine::InForce;

pub struct Reloader {
    natives: fn() -> Vec<NativeModule>,
    config: Option<PathBuf>,
    log_format: LogFormat,
    settings: Arc<Settings>,
    in_force: Arc<InForce>,
    /// The events that the bot subscribed to at its start.
    events: BTreeSet<EventKind>,
    under_way: Mutex<()>,
    state: Arc<ReloadState>,
    found: std::sync::Mutex<Found>,
}

#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Problems of the version in force: modules left out, and warnings.
    pub in_force: Arc<Diagnostics>,
    /// Problems of the last reload, if it failed.
    pub refused: Option<Arc<Diagnostics>>,
}

impl Found {
    fn has(&self, problem: &Diagnostic) -> bool {
        self.in_force.iter().chain(self.refused.iter().flat_map(|refused| refused.iter())).any(|known| known == problem)
    }
}

/// Returns whether a problem is in the folder of a module that keeps its old version.
fn is_of_kept(registry: &Registry, problem: &Diagnostic) -> bool {
    let mut folders = registry.kept().values().flatten().filter_map(|error| Path::new(&error.file).parent());
    folders.any(|folder| Path::new(&problem.place.file.path).starts_with(folder))
}

impl Reloader {
    /// Creates the reloader of `in_force`, with the modules and settings file of the start. `found`: the problems from
    /// the check at the start.
    pub fn new(
        natives: fn() -> Vec<NativeModule>,
        config: Option<PathBuf>,
        log_format: LogFormat,
        settings: Arc<Settings>,
        in_force: Arc<InForce>,
        found: Diagnostics,
    ) -> Self {
        let found = std::sync::Mutex::new(Found { in_force: Arc::new(found), refused: None });
        let under_way = Mutex::default();
        let state = Arc::default();
        let events = in_force.now().hooks().map(|(_, hook, _)| hook.kind).collect();
        Self { natives, config, log_format, settings, in_force, events, under_way, state, found }
    }

    pub fn found(&self) -> Found {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep_found(&self, keep: impl FnOnce(&mut Found)) {
        keep(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub fn state(&self) -> &Arc<ReloadState> {
        &self.state
    }

    pub async fn follow(&self, mut files: ModuleFiles, stop: CancellationToken) {
        while stop.run_until_cancelled(files.changed()).await.is_some() {
            // `reload` logs its errors.
            let _told = self.reload("files changed").await;
        }
    }

    /// Reads settings and modules again, and puts them in force if they have no errors. Returns the changes, or the
    /// reason for refusing them.
    pub async fn reload(&self, why: &str) -> Result<String, String> {
        let _alone = self.under_way.lock().await;
        info!(why, "the modules are read again");
        let before = self.in_force.now();
        let running = Some(Running { registry: Some(&before), ..Running::of(&self.settings) });
        let sources = Sources { natives: self.natives, config: self.config.as_deref(), running };
        let Examined { settings, registry, reach, diagnostics, n_modules, .. } =
            examine(sources, Starting::Serve).await;
        let unreachable = reach.unreachable.first();
        let (Some(settings), Some(registry), None) = (settings, registry, unreachable) else {
            return Err(self.refuse(diagnostics, n_modules));
        };
        self.in_force.replace(registry.clone());
        let known = self.found();
        log_problems(&diagnostics, false, |problem| known.has(problem));
        let changes = before.changes_to(&registry);
        log_changes(&changes, &registry);
        info!(n_changes = changes.len(), n_modules, "the modules are in force");
        let waiting = self.untold(&registry).chain(self.waiting(&settings));
        let mut lines = changes.iter().map(ToString::to_string).chain(waiting).collect::<Vec<_>>();
        log_not_in_force(&registry);
        lines.extend(registry.summary_of_failures());
        if registry.kept().is_empty() {
            self.ended(Ok(()));
            self.keep_found(|found| *found = Found { in_force: Arc::new(diagnostics), refused: None });
            return Ok(if lines.is_empty() { "Reloaded; no command changed.".to_owned() } else { lines.join("\n") });
        }
        self.ended(Err(()));
        let problems = diagnostic::full::render(&diagnostics, false);
        let mut in_force = Diagnostics::default();
        let mut refused = Diagnostics::default();
        for problem in diagnostics.iter() {
            if is_of_kept(&registry, problem) { &mut refused } else { &mut in_force }.push(problem.clone());
        }
        // The version in force of a kept module is the one checked earlier.
        known
            .in_force
            .iter()
            .filter(|problem| is_of_kept(&registry, problem))
            .for_each(|old| in_force.push(old.clone()));
        self.keep_found(|found| *found = Found { in_force: Arc::new(in_force), refused: Some(Arc::new(refused)) });
        Err(format!("{problems}{}\nReloaded, but broken modules keep their old version.", lines.join("\n")))
    }

    /// Records and returns why the reload was refused.
    fn refuse(&self, diagnostics: Diagnostics, n_modules: usize) -> String {
        let known = self.found();
        let problems = diagnostic::full::render(&diagnostics.errors_last(|warning| known.has(warning)), false);
        let summary = diagnostic::full::summary(&diagnostics, 0, n_modules);
        match self.log_format {
            LogFormat::Text => error!("reload failed; the previous version stays in force\n{problems}{summary}"),
            LogFormat::Json => {
                log_problems(&diagnostics, true, |_| false);
                error!("reload failed; the previous version stays in force: {summary}");
            }
        }
        self.ended(Err(()));
        self.keep_found(|found| found.refused = Some(Arc::new(diagnostics)));
        format!("{problems}{summary}\nNot reloaded: the previous version stays in force.")
    }

    fn ended(&self, how: Result<(), ()>) {
        let count = if how.is_ok() { &self.state.done } else { &self.state.failed };
        count.fetch_add(1, Ordering::Relaxed);
        self.state.has_failed.store(how.is_err(), Ordering::Relaxed);
    }

    /// Returns the events that arrive only after a restart: the subscription is fixed at login.
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

    /// Returns a notice if settings changed that only a restart applies.
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
