//! The log: to standard error, as text for people or JSON for programs.
//!
//! A thread of its own writes the lines, so that a slow reader of the log delays no answer.

use std::fmt;
use std::io::IsTerminal as _;
use std::sync::Arc;

use tracing::field::Field;
use tracing::{Metadata, warn};
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::filter::{Directive, FilterExt as _, LevelFilter, filter_fn};
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer};

use crate::telemetry::origin::{is_of, is_span_of_bot};
#[cfg(feature = "otlp")]
use crate::telemetry::traces::{self, Traces};
use candor_core::settings::LogFormat;

/// The most verbose level of a library, even if `RUST_LOG` asks for more: these libraries print requests, events and
/// frames with their tokens and texts.
const MOST: [(&str, LevelFilter); 16] = [
    // The bot's own lines report the state of the connection.
    ("serenity", LevelFilter::ERROR),
    // Its warnings about unexpected answers print the address, and with it an interaction's token.
    ("serenity::http", LevelFilter::OFF),
    // Its warnings about decoding errors print the payload.
    ("serenity::gateway::ws", LevelFilter::OFF),
    // It warns at every clean end about a missing close frame. `discord` reports a lost connection.
    ("serenity::gateway::bridge::shard_runner", LevelFilter::ERROR),
    ("poise", LevelFilter::WARN),
    ("hyper", LevelFilter::INFO),
    ("hyper_util", LevelFilter::INFO),
    ("reqwest", LevelFilter::INFO),
    // Its lines contain whole messages of MCP servers.
    ("rmcp", LevelFilter::OFF),
    ("rustls", LevelFilter::INFO),
    ("tokio_tungstenite", LevelFilter::INFO),
    ("tungstenite", LevelFilter::INFO),
    // Its lines contain SQL statements.
    ("sqlx", LevelFilter::ERROR),
    ("sqlx_core", LevelFilter::ERROR),
    ("sqlx_postgres", LevelFilter::ERROR),
    // Its warnings quote unknown parts of the address.
    ("sqlx_postgres::options", LevelFilter::OFF),
];

/// The most lines that wait to be written. Further lines are dropped and counted.
const LINES_WAITING_MAX: usize = 8_192;

/// The log of this process. Dropping it writes the waiting lines, for a second at most. With the feature `otlp` it
/// first sends the waiting spans, for two seconds at most.
pub struct Log {
    #[cfg(feature = "otlp")]
    _traces: Option<Traces>,
    _writer: WorkerGuard,
    dropped: ErrorCounter,
}

impl Log {
    /// Returns a counter of the lines dropped because too many waited.
    pub fn dropped(&self) -> Arc<dyn Fn() -> u64 + Send + Sync> {
        let dropped = self.dropped.clone();
        Arc::new(move || u64::try_from(dropped.dropped_lines()).unwrap_or(u64::MAX))
    }
}

/// Starts the log. `RUST_LOG` sets the levels; without it `level` does, and `more` for some parts.
pub fn start(format: LogFormat, level: LevelFilter, more: &str) -> Log {
    let asked = std::env::var("RUST_LOG").ok().filter(|asked| !asked.is_empty());
    let filter = asked.unwrap_or_else(|| more.to_owned());
    let (directives, unknown): (Vec<_>, Vec<_>) = filter
        .split(',')
        .filter(|directive| !directive.is_empty())
        .partition(|directive| directive.parse::<Directive>().is_ok());
    let wanted = EnvFilter::builder().with_default_directive(level.into()).parse_lossy(directives.join(","));
    let wanted = wanted.and(filter_fn(may_be_logged).with_max_level_hint(LevelFilter::TRACE));

    #[cfg(feature = "otlp")]
    let (traces, no_traces) = traces::begun();
    #[cfg(feature = "otlp")]
    let spans = traces.as_ref().map(Traces::layer);
    #[cfg(not(feature = "otlp"))]
    let spans = None::<tracing_subscriber::layer::Identity>;

    // A full disk or a closed pipe must not end the bot: such lines are lost, without a panic.
    let (lines, writer) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(LINES_WAITING_MAX)
        .thread_name("log")
        .finish(std::io::stderr());
    let dropped = lines.error_counter();
    let log = tracing_subscriber::fmt::layer().with_writer(lines).log_internal_errors(false);
    let log = match format {
        LogFormat::Text => {
            let fields = debug_fn(write_field).delimited(" ");
            log.with_ansi(has_colors()).with_target(false).fmt_fields(fields).boxed()
        }
        LogFormat::Json => log.json().flatten_event(true).boxed(),
    };
    // A second start in one process (a test) keeps the first log.
    let _already_started = tracing_subscriber::registry().with(spans).with(log.with_filter(wanted)).try_init();
    for directive in unknown {
        warn!(directive, "part of RUST_LOG is not understood and is ignored");
    }
    #[cfg(feature = "otlp")]
    if let Some(why) = no_traces {
        warn!(reason = why, "traces are not exported");
    }
    Log {
        #[cfg(feature = "otlp")]
        _traces: traces,
        _writer: writer,
        dropped,
    }
}

/// Writes a field of a text line. A value of several words is quoted, so that programs can find its end.
fn write_field(writer: &mut Writer<'_>, field: &Field, value: &dyn fmt::Debug) -> fmt::Result {
    if field.name() == "message" {
        return write!(writer, "{value:?}");
    }
    let text = format!("{value:?}");
    match text.contains([' ', '=']) && !text.starts_with(['"', '[', '{']) {
        true => write!(writer, "{field}={text:?}"),
        false => write!(writer, "{field}={text}"),
    }
}

/// Returns whether the log goes to a terminal that wants colours: see <https://no-color.org>.
fn has_colors() -> bool {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let is_dumb = set("TERM").is_none_or(|term| term == "dumb");
    std::io::stderr().is_terminal() && set("NO_COLOR").is_none() && !is_dumb
}

fn may_be_logged(metadata: &Metadata<'_>) -> bool {
    // The bot's own spans are for traces: each log line is complete without them.
    if is_span_of_bot(metadata) {
        return false;
    }
    MOST.iter().filter(|(part, _)| is_of(metadata, part)).all(|(_, most)| metadata.level() <= most)
}
