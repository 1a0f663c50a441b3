//! Runs the bot behind an edge: Discord or a terminal.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::app::build::App;
use crate::app::commands_log::log_commands;
use crate::app::exit::Failure;
use crate::app::operator_port;
use crate::console;
use candor_core::registry::{Reach, rights};
use candor_core::settings::LogFormat;
use candor_discord as discord;
use candor_discord::gateway::{Edge, Pulse};

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
    ///
    /// # Errors
    /// The bot was started without a connection, or Discord refuses it.
    pub async fn discord(
        &self,
        lines_dropped: Arc<dyn Fn() -> u64 + Send + Sync>,
        stop: CancellationToken,
    ) -> Result<(), Failure> {
        let requester = self.requester.clone().ok_or_else(|| Failure::config("started without a token"))?;
        self.log_what_runs();
        let reconciler = Arc::new(discord::Reconciler::default());
        let pulse = Arc::new(Pulse::default());
        operator_port::serve(self, &reconciler, &pulse, lines_dropped).await?;
        let edge = Edge {
            settings: self.settings.clone(),
            registry: self.in_force.clone(),
            requester,
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
        edge.serve().await.map_err(|problem| Failure::new(problem.exit_code(), problem.to_string()))
    }
}
