//! `candor run` and `candor console`: the same bot behind another edge.

use std::future::Future;
use std::io::Write as _;

use secrecy::SecretString;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};
use tracing_subscriber::filter::LevelFilter;
use url::Url;

use crate::app::{App, Examined, Exit, Failure, Sources, Starting, examine, examine_deployment};
use crate::cli::process::{Hangup, reload_on_hangup, stop_on_signal, token_stays_readable};
use crate::edges::discord::gateway::{find_proxy, find_token};
use crate::edges::telemetry;
use crate::edges::telemetry::Log;
use candor_core::diagnostic;
use candor_core::diagnostic::Severity;
use candor_core::settings::{LogFormat, OnViolation};

/// Serves this terminal until end of input or SIGTERM. With `lines`, answers these and fails if one was not answered.
pub(super) fn console(sources: Sources<'_>, lines: Vec<String>) -> Result<Exit, Failure> {
    block_on(async {
        let stop = stop_on_signal(Hangup::Stops)?;
        let (examined, _log) = check(sources, LevelFilter::WARN).await?;
        let Some(app) = start(examined, &stop).await? else { return Ok(Exit::Fine) };
        let ended = app.console(lines, &stop).await;
        app.close().await;
        ended.map(|are_answered| if are_answered { Exit::Fine } else { Exit::Failed })
    })
}

/// Serves Discord until Ctrl-C or SIGTERM.
pub(super) fn discord(sources: Sources<'_>) -> Result<Exit, Failure> {
    block_on(async {
        let stop = stop_on_signal(Hangup::Reloads)?;
        let (examined, log) = check(sources, LevelFilter::INFO).await?;
        // What is only read comes before anything is opened, started or written.
        let (token, proxy) = connection(examined.settings.as_ref().is_some_and(|settings| settings.discord.insecure))?;
        if let Some(settings) = &examined.settings {
            refuse(&examine_deployment(settings).await)?;
        }
        let Some(app) = start(examined, &stop).await? else { return Ok(Exit::Fine) };
        reload_on_hangup(app.reloader.clone())?;
        let served = app.discord(token, proxy, log.dropped(), stop).await;
        app.close().await;
        served.map(|()| Exit::Fine)
    })
}

/// Waits for a signal where nothing can be served.
pub(super) fn hold() {
    let _code = block_on(async {
        let stop = stop_on_signal(Hangup::Stops)?;
        let _unwritable = writeln!(std::io::stderr(), "candor: a restart does not mend this: it waits to be stopped");
        stop.cancelled().await;
        Ok(Exit::Config)
    });
}

/// Fails with everything that was found, and with 69 only if a retry may help with all of it.
fn refuse(found: &[Failure]) -> Result<(), Failure> {
    let Some(code) = found.iter().map(|failure| failure.code).max() else { return Ok(()) };
    let sentences: Vec<_> = found.iter().map(|failure| failure.text.as_str()).collect();
    Err(Failure::new(code, sentences.join("\n")))
}

/// The token and the proxy that the environment names. `insecure`: the token may go to a proxy unencrypted.
pub(super) fn connection(insecure: bool) -> Result<(SecretString, Option<Url>), Failure> {
    let token = find_token(|name| std::env::var_os(name)).map_err(|problem| Failure::config(problem.to_string()))?;
    if token_stays_readable() {
        warn!("DISCORD_TOKEN stays readable in this process's environment: put the token into a file instead");
    }
    let proxy = find_proxy(std::env::var_os("DISCORD_PROXY").as_deref(), insecure)
        .map_err(|problem| Failure::config(problem.to_string()))?;
    Ok((token, proxy))
}

/// Checks settings and modules, and starts the log. Nothing is started without it.
pub(super) async fn check(sources: Sources<'_>, level: LevelFilter) -> Result<(Examined, Log), Failure> {
    let examined = examine(sources, Starting::Serve).await;
    let format = examined.settings.as_ref().map_or(LogFormat::Text, |settings| settings.log_format);
    let log = telemetry::start(format, level, "");
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
        let summary = diagnostic::full::summary(&examined.diagnostics, 0, examined.n_modules);
        return Err(Failure::config(format!("not started\n{text}{summary}")));
    }
    Ok((examined, log))
}

/// Starts everything up to the edge: store, watched file, model. `None` if it was to stop before that was done.
async fn start(examined: Examined, stop: &CancellationToken) -> Result<Option<App>, Failure> {
    tokio::select! {
        app = App::start(examined) => app.map(Some),
        () = stop.cancelled() => Ok(None),
    }
}

/// Runs on a runtime that is dropped without waiting: a stuck connection must not keep the process alive.
pub(super) fn block_on(work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|problem| Failure::unavailable(format!("cannot start the runtime: {problem}")))?;
    let ended = runtime.block_on(work);
    runtime.shutdown_background();
    ended
}
