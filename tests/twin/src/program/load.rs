//! `discord-twin load`: measures a bot that connects, that it starts, or the null client.

use std::ffi::OsString;
use std::io::{Error, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use clap::{Args, ValueEnum};
use discord_twin::{Interaction, Load, Options, Pace, Twin, Typed, read_line};

use crate::null;

/// For a bot that has ended its work when it is told to end.
const TIME_TO_END: Duration = Duration::from_secs(10);

/// Measure how a bot answers many interactions
///
/// The program sends one command again and again and measures the time until the bot answers. The bot is one that
/// connects, or the program after `--`, which is started with the twin's address in the variable `TWIN_URL` and is told
/// to end afterwards. The exit code is 0 if every interaction was answered in time and by the rules, 1 if not, and 2 if
/// nothing could be measured.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The command with its options, such as `/tasks add title:milk`
    #[arg(default_value = "/ping")]
    command: String,
    /// The address to listen on
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Keep this many interactions in flight: a closed loop
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "rate")]
    in_flight: usize,
    /// Send this many a second, answered or not: an open loop, in which time counts from when each was due
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// How many interactions are measured
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    count: usize,
    /// How many are sent before, and not measured
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    warm_up: usize,
    /// End before that, once this file is there
    #[arg(long, value_name = "FILE")]
    until: Option<PathBuf>,
    /// How many users take turns
    #[arg(long, value_name = "N", default_value_t = 100)]
    users: u64,
    /// Do not wait until the bot has registered the command
    #[arg(long)]
    any: bool,
    /// Give up when the bot does not connect, or answers nothing, for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    patience: u64,
    /// The process of a bot that connects, to measure what it uses
    #[arg(long, conflicts_with_all = ["bot", "null"])]
    pid: Option<u32>,
    /// Measure a client in this program that does nothing but answer: the limit of what can be measured
    #[arg(long, conflicts_with = "bot")]
    null: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// A bot to start, with its arguments
    #[arg(last = true)]
    bot: Vec<OsString>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// A table
    Text,
    /// One JSON object
    Json,
}

/// On one thread, so that the other processors are the bot's.
#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run(arguments: Arguments) -> std::io::Result<ExitCode> {
    match measure(&arguments).await {
        Ok(is_clean) => Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }),
        Err(why) => {
            writeln!(std::io::stderr(), "not measured: {why}")?;
            Ok(ExitCode::from(2))
        }
    }
}

async fn measure(arguments: &Arguments) -> std::io::Result<bool> {
    let twin = Twin::start_with(Options { listen: arguments.listen, ..Options::default() }).await?;
    let bot = Bot::start(arguments, &twin)?;
    let patience = Duration::from_secs(arguments.patience);
    if arguments.bot.is_empty() && !arguments.null {
        writeln!(std::io::stderr(), "waiting for a bot at {}", twin.url())?;
    }
    if !twin.wait_ready(patience).await {
        return Err(Error::other("no bot has connected"));
    }
    let load = Load {
        pace: arguments.rate.map_or(Pace::InFlight(arguments.in_flight), Pace::PerSecond),
        count: arguments.count,
        warm_up: arguments.warm_up,
        until: arguments.until.clone(),
        users: arguments.users,
        patience,
        pid: arguments.pid.or(bot.pid()),
        ..Load::of(interaction(arguments, &twin, patience).await?)
    };
    let report = twin.load(&load).await.map_err(Error::other)?;
    let mut out = std::io::stdout().lock();
    match arguments.format {
        Format::Text => write!(out, "{report}")?,
        Format::Json => writeln!(out, "{}", serde_json::to_string(&report)?)?,
    }
    out.flush()?;
    bot.end().await?;
    Ok(report.is_clean())
}

/// The interaction, once the bot has registered its command.
async fn interaction(arguments: &Arguments, twin: &Twin, patience: Duration) -> std::io::Result<Interaction> {
    let line = &arguments.command;
    let name = line.trim_start_matches('/').split_whitespace().next().unwrap_or_default();
    let is_there = || twin.commands().iter().any(|command| command["name"] == name && command["type"] == 1);
    let any = arguments.any || arguments.null;
    if !any && twin.wait_until(patience, || is_there().then_some(())).await.is_none() {
        return Err(Error::other(format!("the bot has not registered /{name}")));
    }
    match read_line(line, &twin.commands()) {
        Typed::Interaction(interaction) => Ok(interaction),
        Typed::Message(_) | Typed::Nothing => Err(Error::other(format!("`{line}` does not begin with a slash"))),
    }
}

/// The bot that is measured.
enum Bot {
    Connects,
    Null,
    Started(Child),
}

impl Bot {
    fn start(arguments: &Arguments, twin: &Twin) -> std::io::Result<Bot> {
        let [program, rest @ ..] = arguments.bot.as_slice() else {
            if arguments.null {
                null::start(twin);
                return Ok(Bot::Null);
            }
            return Ok(Bot::Connects);
        };
        let mut command = Command::new(program);
        command.args(rest).env("TWIN_URL", twin.url()).stdin(Stdio::null()).stdout(Stdio::null());
        Ok(Bot::Started(command.spawn()?))
    }

    fn pid(&self) -> Option<u32> {
        match self {
            Bot::Started(child) => Some(child.id()),
            Bot::Connects | Bot::Null => None,
        }
    }

    /// Tells a started bot to end, and waits for that. Meanwhile the twin goes on: a bot that ends closes its
    /// connection.
    async fn end(mut self) -> std::io::Result<()> {
        let Bot::Started(child) = &mut self else { return Ok(()) };
        // The standard library has no other signal than SIGKILL, and not every machine has a program `kill`.
        Command::new("sh").args(["-c", r#"kill -TERM "$0""#, &child.id().to_string()]).status()?;
        let step = Duration::from_millis(20);
        for _ in 0..TIME_TO_END.as_millis() / step.as_millis() {
            if child.try_wait()?.is_some() {
                return Ok(());
            }
            tokio::time::sleep(step).await;
        }
        Ok(())
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        if let Bot::Started(child) = self {
            // It may have ended.
            drop(child.kill());
            drop(child.wait());
        }
    }
}
