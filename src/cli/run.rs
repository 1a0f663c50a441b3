//! `candor run` and `candor console`: the same bot behind another edge.

use std::future::Future;
use std::path::Path;
use std::time::Duration;

use tracing::{error, info};
use tracing_subscriber::filter::LevelFilter;

use crate::app::{App, Exit, Failure, examine};
use crate::config::{LogFormat, OnViolation};
use crate::{admin, console, diagnostic, discord, telemetry};

/// What is still running when the bot stops may take this long. A container should wait longer: see
/// `stop_grace_period` in compose.yaml.
const DRAIN_WITHIN: Duration = Duration::from_secs(25);

/// Talks in this terminal until end of input.
pub(super) fn console(config: Option<&Path>) -> Result<Exit, Failure> {
    block_on(async {
        let app = start(config, LevelFilter::WARN).await?;
        let ended = console::run(&app.banner("no token: console only"), &app.dispatcher, &app.shutdown).await;
        app.close().await;
        ended.map_err(|problem| Failure::unavailable(format!("the terminal failed: {problem}")))?;
        Ok(Exit::Fine)
    })
}

/// Serves Discord until Ctrl-C or SIGTERM.
pub(super) fn discord(config: Option<&Path>) -> Result<Exit, Failure> {
    block_on(async {
        let app = start(config, LevelFilter::INFO).await?;
        for line in app.banner("Discord").lines() {
            info!("{line}");
        }
        let token = discord::find_token(|name| std::env::var_os(name))
            .map_err(|problem| Failure::config(problem.to_string()))?;
        let mut settings = app.settings.discord.clone();
        if let Some(proxy) = std::env::var("DISCORD_PROXY").ok().filter(|proxy| !proxy.is_empty()) {
            settings.proxy = Some(
                proxy.parse().map_err(|problem| Failure::config(format!("DISCORD_PROXY is not a URL: {problem}")))?,
            );
        }
        if let Some(listen) = app.settings.admin.listen {
            admin::serve(listen, app.readiness.clone(), app.shutdown.clone().cancelled_owned()).await.map_err(|problem| {
                Failure::unavailable(format!(
                    "cannot listen on {listen} for health checks: {problem}; set another address under `[admin] listen`, or \"off\""
                ))
            })?;
        }
        stop_on_signal(&app);
        let edge = discord::Edge {
            dispatcher: app.dispatcher.clone(),
            readiness: app.readiness.clone(),
            shutdown: app.shutdown.clone(),
            chat_channels: app.settings.chat.channels.clone(),
            settings,
            drain: DRAIN_WITHIN,
        };
        let served = edge.serve(token).await;
        app.close().await;
        served.map(|()| Exit::Fine).map_err(|problem| Failure::new(problem.exit_code(), problem.to_string()))
    })
}

/// Everything up to the edge: check, log, store, watched file.
async fn start(config: Option<&Path>, level: LevelFilter) -> Result<App, Failure> {
    let examined = examine(config);
    let format = examined.settings.as_ref().map_or(LogFormat::Text, |settings| settings.log_format);
    telemetry::start(format, level);
    let quarantine =
        examined.settings.as_ref().is_some_and(|settings| settings.modules.on_violation == OnViolation::Quarantine);
    if examined.registry.is_some() && quarantine {
        for diagnostic in examined.diagnostics.iter() {
            let place = &diagnostic.place;
            let at = place.file.position(place.span.start);
            error!(code = %diagnostic.code, file = place.file.path, line = at.line, column = at.column, "{}", diagnostic.message);
        }
    }
    if examined.registry.is_none() {
        let text = diagnostic::full::render(&examined.diagnostics, false);
        let summary = diagnostic::full::summary(&examined.diagnostics, examined.n_modules);
        return Err(Failure::config(format!("not started\n{text}{summary}")));
    }
    App::start(examined).await
}

/// Stops the bot on Ctrl-C and SIGTERM.
fn stop_on_signal(app: &App) {
    let shutdown = app.shutdown.clone();
    tokio::spawn(async move {
        signal().await;
        info!("stopping: a signal came");
        shutdown.cancel();
    });
}

async fn signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else {
            let _interrupted = interrupt.await;
            return;
        };
        tokio::select! {
            _ = interrupt => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    let _interrupted = interrupt.await;
}

/// Runs on a runtime that is left behind, not waited for: a stuck connection must not keep the process.
pub(super) fn block_on(work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|problem| Failure::unavailable(format!("cannot start the runtime: {problem}")))?;
    let ended = runtime.block_on(work);
    runtime.shutdown_background();
    ended
}
