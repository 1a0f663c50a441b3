//! The log: to standard error, for people or for programs.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::config::LogFormat;

/// What of the libraries is logged. serenity's own lines hold whole events with text and tokens, so it is
/// heard only when something is wrong, and its gateway's decoding warnings not at all: they print the
/// payload. hyper tells every address at debug. `RUST_LOG` adds to this and cannot take any of it away.
const QUIET: [&str; 5] =
    ["serenity=warn", "serenity::gateway::ws=off", "serenity::http=warn", "poise=warn", "hyper_util=info"];

/// Starts the log. `RUST_LOG` chooses what is logged; else `level` does.
pub fn start(format: LogFormat, level: LevelFilter) {
    let mut filter = EnvFilter::builder().with_default_directive(level.into()).from_env_lossy();
    for directive in QUIET {
        if let Ok(directive) = directive.parse() {
            filter = filter.add_directive(directive);
        }
    }
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second start in one process (a test) keeps the first log.
    let _already_started = match format {
        LogFormat::Text => log.with_ansi(std::io::stderr().is_terminal()).with_target(false).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
}
