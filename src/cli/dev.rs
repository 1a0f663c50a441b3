//! `candor dev`: check, console and reload in one window.

use tracing_subscriber::filter::LevelFilter;

use crate::app::{App, Examined, Exit, Failure, Sources, examine};
use crate::cli::check::print_report;
use crate::cli::process::{Hangup, stop_on_signal};
use crate::cli::run::block_on;
use candor_core::contract::outside::Starting;
use candor_core::diagnostic::Diagnostics;
use candor_core::settings::LogFormat;
use candor_system::telemetry;

/// Checks the modules until they are valid, then serves this terminal as `candor console` does. Each change on disk
/// comes into force at once, or its errors are printed with their location.
pub(super) fn dev(sources: Sources<'_>) -> Result<Exit, Failure> {
    block_on(async {
        let stop = stop_on_signal(Hangup::Stops)?;
        let _log = telemetry::start(
            LogFormat::Text,
            LevelFilter::WARN,
            "warn,candor::app::reload=info,candor::app::commands_log=info",
        );
        let started = async { App::start(examine_until_right(sources).await?, None).await };
        let Some(app) = stop.run_until_cancelled(started).await.transpose()? else { return Ok(Exit::Fine) };
        let ended = app.console(Vec::new(), &stop).await;
        app.close().await;
        ended.map(|_| Exit::Fine)
    })
}

/// Prints the result of the check, again after each change, until a bot can be started.
async fn examine_until_right(sources: Sources<'_>) -> Result<Examined, Failure> {
    let mut known = Diagnostics::default();
    loop {
        let mut examined = Examined { log_format: LogFormat::Text, ..examine(sources, Starting::Serve).await };
        let found = examined.diagnostics;
        examined.diagnostics = found.errors_last(|warning| known.iter().any(|known| known == warning));
        known = found;
        print_report(&examined)?;
        if examined.registry.is_some() && examined.reach.unreachable.is_empty() {
            return Ok(examined);
        }
        examined.files.changed().await;
    }
}
