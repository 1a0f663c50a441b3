//! Runs the bot behind an edge: Discord or a terminal.

use std::sync::Arc;

use secrecy::SecretString;
use tokio_util::sync::CancellationToken;
use tracing::info;
use url::Url;

use crate::app::build::App;
use crate::app::commands_log::log_commands;
use crate::app::exit::Failure;
use crate::app::page::page;
use crate::app::reload::Reloader;
use crate::console;
use candor_core::registry::{Reach, Registry, rights};
use candor_core::settings::LogFormat;
use candor_discord as discord;
use candor_discord::gateway::{Edge, Pulse};
use candor_operate as admin;
use candor_system::host_metrics::process_figures;

impl App {
    /// Serves this terminal until end of input or `stop`. If `lines` is not empty, answers only those lines. Returns
    /// whether every line was answered.
    pub async fn console(&self, lines: Vec<String>, stop: &CancellationToken) -> Result<bool, Failure> {
        let session = console::Session {
            dispatcher: &self.dispatcher,
            language: console::language_of(|name| std::env::var_os(name), self.settings.language),
            history: self.settings.store.data_folder().join("console_history"),
            shutdown: stop,
        };
        let ended = match lines.is_empty() {
            true => console::run(&self.greeting("no token: console only"), session).await,
            false => console::run_lines(lines, session).await,
        };
        ended.map_err(|problem| Failure::unavailable(format!("the terminal failed: {problem}")))
    }

    /// Logs the commands in force: a table for people, or one event for the bot and one for each command for programs.
    fn log_what_runs(&self) {
        let registry = self.in_force.now();
        if self.settings.log_format == LogFormat::Text {
            for line in self.banner("Discord").lines() {
                info!("{line}");
            }
            return;
        }
        let Reach { registered, reachable, .. } = self.reach;
        let mode = self.settings.discord.where_registered();
        info!(version = env!("CARGO_PKG_VERSION"), registered, reachable, where_registered = mode, "starting");
        log_commands(&registry, &self.settings.access);
        for module in rights(&registry) {
            info!(module, "rights of a module");
        }
        let left_out = registry.left_out();
        if !left_out.is_empty() {
            let names: Vec<_> = left_out.iter().map(|name| format!("/{name}")).collect();
            info!(commands = names.join(" "), "left out: no chat model");
        }
    }

    /// Serves health checks and the connection to Discord until `stop`.
    pub async fn discord(
        &self,
        token: SecretString,
        proxy: Option<Url>,
        lines_dropped: admin::Count,
        stop: CancellationToken,
    ) -> Result<(), Failure> {
        self.log_what_runs();
        let (reconciler, pulse) = (Arc::new(discord::Reconciler::default()), Arc::new(Pulse::default()));
        let admin = &self.settings.admin;
        if let Some(listen) = admin.listen {
            let is_breaker_open = self.model.clone().map(|model| -> admin::Gauge { Arc::new(move || model.is_open()) });
            let read = reconciler.clone();
            let registered =
                admin::States { names: &discord::SyncStatus::NAMES, now: Arc::new(move || read.state().name()) };
            let beating = pulse.clone();
            let shards: admin::Shards = Arc::new(move || beating.shards());
            let (readiness, counters) = (self.readiness.clone(), self.dispatcher.counters().clone());
            let (health, in_force) = (self.health.clone(), self.in_force.clone());
            let look: admin::Look = Arc::new(move || {
                let health = health.clone();
                Box::pin(async move { health.look().await })
            });
            let state = admin::AdminState {
                is_breaker_open,
                registered: Some(registered),
                shards: Some(shards),
                reloads: Some(reloads(&self.reloader)),
                look: Some(look),
                modules: Some(Arc::new(move || modules(&in_force.now()))),
                process: Some(Arc::new(process_figures)),
                ..admin::AdminState::new(readiness, counters, lines_dropped)
            };
            let (page, stopped) = (page(self, &reconciler)?, self.shutdown.clone().cancelled_owned());
            admin::serve(listen, &admin.hosts, state, page, stopped).await.map_err(|problem| {
                Failure::unavailable(format!(
                    "cannot listen on {listen} for health checks: {problem}; set another address under `[admin] listen`, or \"off\""
                ))
            })?;
        }
        let edge = Edge {
            settings: self.settings.clone(),
            proxy: proxy.or_else(|| self.settings.discord.proxy.clone()),
            registry: self.in_force.clone(),
            server_names: self.server_names.clone(),
            dispatcher: self.dispatcher.clone(),
            control_key: self.control_key.clone(),
            readiness: self.readiness.clone(),
            pulse,
            store: self.store.clone(),
            due_calls: self.due_calls.clone(),
            outbox: self.outbox.clone(),
            reconciler,
            shutdown: stop,
        };
        edge.serve(token).await.map_err(|problem| Failure::new(problem.exit_code(), problem.to_string()))
    }
}

fn reloads(reloader: &Arc<Reloader>) -> admin::Reloads {
    let asked = reloader.clone();
    admin::Reloads {
        now: Arc::new(move || {
            let reloader = asked.clone();
            // In a task of its own, so that the reload finishes even if the client disconnects.
            let reloading = tokio::spawn(async move { reloader.reload("somebody asked for it").await });
            Box::pin(async { reloading.await.unwrap_or_else(|broken| Err(broken.to_string())) })
        }),
        state: reloader.state().clone(),
    }
}

fn modules(registry: &Registry) -> admin::Modules {
    admin::Modules {
        modules: registry.modules().len(),
        rejected: registry.rejected_modules().len(),
        commands: registry.all().count(),
        unavailable: registry.not_in_force().count(),
    }
}
