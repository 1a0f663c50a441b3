//! `candor run` and `candor console`: the same bot behind another edge.

use std::future::Future;
use std::io::Write as _;

use secrecy::SecretString;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};
use tracing_subscriber::filter::LevelFilter;
use url::Url;

use crate::app::{App, Examined, Exit, Failure, Sources, examine, examine_deployment, log_problems};
use crate::cli::process::{Hangup, reload_on_hangup, stop_on_signal, token_stays_readable};
use candor_core::contract::outside::Starting;
use candor_core::diagnostic::{self, Severity};
use candor_core::settings::LogFormat;
use candor_discord::Connection;
use candor_discord::gateway::{find_proxy, find_token};
use candor_system::telemetry;
use candor_system::telemetry::Log;

/// Serves this terminal until end of input or SIGTERM. With `lines`, answers only those and fails if one was not
/// answered.
pub(super) fn console(sources: Sources<'_>, lines: Vec<String>) -> Result<Exit, Failure> {
    block_on(async {
        let stop = stop_on_signal(Hangup::Stops)?;
        let (examined, _log) = check(sources, LevelFilter::WARN).await?;
        let Some(app) = start(examined, None, &stop).await? else { return Ok(Exit::Fine) };
        let ended = app.console(lines, &stop).await;
        app.close().await;
        ended.map(|are_answered| if are_answered { Exit::Fine } else { Exit::Failed })
    })
}

pub(super) fn discord(sources: Sources<'_>) -> Result<Exit, Failure> {
    block_on(async {
        let stop = stop_on_signal(Hangup::Reloads)?;
        let (examined, log) = examine_and_log(sources, Starting::Serve, LevelFilter::INFO).await;
        let format = examined.log_format;
        serve(examined, &log, stop).await.map_err(|failure| in_format(failure, format))
    })
}

async fn serve(examined: Examined, log: &Log, stop: CancellationToken) -> Result<Exit, Failure> {
    let format = examined.log_format;
    let examined = may_start(examined, format)?;
    // Read the environment before anything is opened, started or written.
    let (token, proxy) = connection(examined.settings.as_ref().is_some_and(|settings| settings.discord.insecure))?;
    if let Some(settings) = &examined.settings {
        refuse(&examine_deployment(settings).await)?;
    }
    let connection = Connection { token, proxy };
    let Some(app) = start(examined, Some(connection), &stop).await? else { return Ok(Exit::Fine) };
    reload_on_hangup(app.reloader.clone())?;
    let served = app.discord(log.dropped(), stop).await;
    app.close().await;
    served.map(|()| Exit::Fine)
}

/// Logs why the bot ends if programs read the log; the reason is then not printed as text.
fn in_format(failure: Failure, format: LogFormat) -> Failure {
    if format == LogFormat::Text {
        return failure;
    }
    error!(exit_code = failure.code, "{failure}");
    Failure { text: String::new(), ..failure }
}

/// Waits for a signal after a start failed.
pub(super) fn hold() {
    let _code = block_on(async {
        let stop = stop_on_signal(Hangup::Stops)?;
        let _unwritable = writeln!(std::io::stderr(), "candor: a restart does not mend this: it waits to be stopped");
        stop.cancelled().await;
        Ok(Exit::Config)
    });
}

/// Fails with all problems. The exit code is 69 only if a retry may help with each of them.
fn refuse(found: &[Failure]) -> Result<(), Failure> {
    let Some(code) = found.iter().map(|failure| failure.code).max() else { return Ok(()) };
    let sentences: Vec<_> = found.iter().map(|failure| failure.text.as_str()).collect();
    Err(Failure::new(code, sentences.join("\n")))
}

/// Returns the token and the proxy that the environment names. `insecure`: the token may go to a proxy unencrypted.
pub(super) fn connection(insecure: bool) -> Result<(SecretString, Option<Url>), Failure> {
    let token = find_token(|name| std::env::var_os(name)).map_err(|problem| Failure::config(problem.to_string()))?;
    if token_stays_readable() {
        warn!("DISCORD_TOKEN stays readable in this process's environment: put the token into a file instead");
    }
    let proxy = find_proxy(std::env::var_os("DISCORD_PROXY").as_deref(), insecure)
        .map_err(|problem| Failure::config(problem.to_string()))?;
    Ok((token, proxy))
}

/// Checks settings and modules, and starts the log. Every start goes through this.
pub(super) async fn check(sources: Sources<'_>, level: LevelFilter) -> Result<(Examined, Log), Failure> {
    let (examined, log) = examine_and_log(sources, Starting::Serve, level).await;
    // A person reads this on a terminal, in any log format.
    Ok((may_start(examined, LogFormat::Text)?, log))
}

/// Checks for the author of a module: leaves out modules with errors, and shows only errors.
pub(super) async fn check_for_author(sources: Sources<'_>) -> Result<(Examined, Log), Failure> {
    let (examined, log) = examine_and_log(sources, Starting::Author, LevelFilter::WARN).await;
    if examined.registry.is_some() {
        log_problems(&examined.diagnostics, true, |problem| problem.severity() == Severity::Warning);
        return Ok((examined, log));
    }
    Ok((may_start(examined, LogFormat::Text)?, log))
}

async fn examine_and_log(sources: Sources<'_>, starting: Starting, level: LevelFilter) -> (Examined, Log) {
    let examined = examine(sources, starting).await;
    let log = telemetry::start(examined.log_format, level, "");
    (examined, log)
}

/// Fails with every problem that prevents a start, and logs the other problems.
fn may_start(examined: Examined, format: LogFormat) -> Result<Examined, Failure> {
    let found = &examined.diagnostics;
    if examined.registry.is_none() {
        let summary = diagnostic::full::summary(found, 0, examined.n_modules);
        return Err(Failure::config(match format {
            LogFormat::Text => format!("not started\n{}{summary}", diagnostic::full::render(found, false)),
            LogFormat::Json => {
                log_problems(found, true, |_| false);
                format!("not started: {summary}")
            }
        }));
    }
    if found.has_errors() {
        log_problems(found, false, |_| false);
    }
    Ok(examined)
}

/// Starts everything up to the edge: store, watched file, model. `None` if a signal came before it was done.
async fn start(
    examined: Examined,
    connection: Option<Connection>,
    stop: &CancellationToken,
) -> Result<Option<App>, Failure> {
    tokio::select! {
        app = App::start(examined, connection) => app.map(Some),
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
