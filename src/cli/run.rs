//! `candor run` and `candor console`: the same bot behind another edge.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};
use tracing_subscriber::filter::LevelFilter;
use url::Url;

use crate::app::{App, Examined, Exit, Failure, examine};
use crate::cli::signals::stop_on_signal;
use crate::config::{LogFormat, OnViolation};
use crate::diagnostic::Severity;
use crate::discord::Refusals;
use crate::telemetry::Listener;
use crate::{admin, console, diagnostic, discord, telemetry};

/// What is still running when the bot stops may take this long. A container should wait longer: see
/// `stop_grace_period` in compose.yaml.
const DRAIN_WITHIN: Duration = Duration::from_secs(25);

/// Talks in this terminal until end of input, Ctrl-C or SIGTERM.
pub(super) fn console(config: Option<&Path>) -> Result<Exit, Failure> {
    block_on(async {
        let stop = stop_on_signal()?;
        let examined = check(config, LevelFilter::WARN, None)?;
        let Some(app) = start(examined, &stop).await? else { return Ok(Exit::Fine) };
        let ended =
            console::run(&app.banner("no token: console only"), &app.dispatcher, app.settings.language, &stop).await;
        app.close().await;
        ended.map_err(|problem| Failure::unavailable(format!("the terminal failed: {problem}")))?;
        Ok(Exit::Fine)
    })
}

/// Serves Discord until Ctrl-C or SIGTERM.
pub(super) fn discord(config: Option<&Path>) -> Result<Exit, Failure> {
    block_on(async {
        let stop = stop_on_signal()?;
        let (hear, refusals) = discord::refusals();
        let listener = Listener { part: discord::GATEWAY_LOG, hear: Box::new(hear) };
        let examined = check(config, LevelFilter::INFO, Some(listener))?;
        // What is only read comes before anything is opened, started or written.
        let (token, proxy) = connection()?;
        let Some(app) = start(examined, &stop).await? else { return Ok(Exit::Fine) };
        let served = serve(&app, token, proxy, refusals, stop).await;
        app.close().await;
        served.map(|()| Exit::Fine)
    })
}

/// The token and the proxy that the environment names.
pub(super) fn connection() -> Result<(SecretString, Option<Url>), Failure> {
    let token =
        discord::find_token(|name| std::env::var_os(name)).map_err(|problem| Failure::config(problem.to_string()))?;
    let proxy = discord::find_proxy(std::env::var_os("DISCORD_PROXY").as_deref())
        .map_err(|problem| Failure::config(problem.to_string()))?;
    Ok((token, proxy))
}

/// The health checks and the connection, until `stop`.
async fn serve(
    app: &App,
    token: SecretString,
    proxy: Option<Url>,
    refusals: Refusals,
    stop: CancellationToken,
) -> Result<(), Failure> {
    for line in app.banner("Discord").lines() {
        info!("{line}");
    }
    let reconciler = Arc::new(discord::Reconciler::default());
    if let Some(listen) = app.settings.admin.listen {
        let is_breaker_open = app.model.clone().map(|model| -> admin::Gauge { Arc::new(move || model.is_open()) });
        let read = reconciler.clone();
        let registered =
            admin::States { names: &discord::Registered::NAMES, now: Arc::new(move || read.state().name()) };
        let (readiness, counters) = (app.readiness.clone(), app.counters.clone());
        let told = admin::Told { readiness, counters, is_breaker_open, registered: Some(registered) };
        let stopped = app.shutdown.clone().cancelled_owned();
        admin::serve(listen, told, stopped).await.map_err(|problem| {
            Failure::unavailable(format!(
                "cannot listen on {listen} for health checks: {problem}; set another address under `[admin] listen`, or \"off\""
            ))
        })?;
    }
    let mut settings = app.settings.discord.clone();
    settings.proxy = proxy.or(settings.proxy);
    let edge = discord::Edge {
        dispatcher: app.dispatcher.clone(),
        control_key: app.control_key.clone(),
        readiness: app.readiness.clone(),
        shutdown: stop,
        chat_channels: app.settings.chat.channels.clone(),
        confirm_within: app.settings.chat.confirm_within,
        registrations: app.registrations(),
        reconciler,
        tell_after: app.settings.tell_after,
        counters: app.counters.clone(),
        live: app.settings.status.live.clone(),
        live_messages: app.live_messages(),
        language: app.settings.language,
        settings,
        drain: DRAIN_WITHIN,
    };
    edge.serve(token, refusals).await.map_err(|problem| Failure::new(problem.exit_code(), problem.to_string()))
}

/// The check of settings and modules, and the log. Nothing is started without it.
pub(super) fn check(
    config: Option<&Path>,
    level: LevelFilter,
    listener: Option<Listener>,
) -> Result<Examined, Failure> {
    let examined = examine(config);
    let format = examined.settings.as_ref().map_or(LogFormat::Text, |settings| settings.log_format);
    telemetry::start(format, level, listener);
    let quarantine =
        examined.settings.as_ref().is_some_and(|settings| settings.modules.on_violation == OnViolation::Quarantine);
    if examined.registry.is_some() && quarantine {
        for diagnostic in examined.diagnostics.iter() {
            let place = &diagnostic.place;
            let at = place.file.position(place.span.start);
            let (code, file, message) = (diagnostic.code.name(), &place.file.path, &diagnostic.message);
            match diagnostic.severity() {
                Severity::Error => error!(code, file, line = at.line, column = at.column, "{message}"),
                Severity::Warning => warn!(code, file, line = at.line, column = at.column, "{message}"),
            }
        }
    }
    if examined.registry.is_none() {
        let text = diagnostic::full::render(&examined.diagnostics, false);
        let summary = diagnostic::full::summary(&examined.diagnostics, examined.n_modules);
        return Err(Failure::config(format!("not started\n{text}{summary}")));
    }
    Ok(examined)
}

/// Everything up to the edge: store, watched file, model. `None` if it was to stop before that was done.
async fn start(examined: Examined, stop: &CancellationToken) -> Result<Option<App>, Failure> {
    tokio::select! {
        app = App::start(examined) => app.map(Some),
        () = stop.cancelled() => Ok(None),
    }
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
