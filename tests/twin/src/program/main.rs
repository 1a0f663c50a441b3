//! The command-line program: sends typed lines to a bot or plays a scenario with it, and prints its answers; or
//! measures it under load.

mod load;
mod null;

use std::io::{BufRead as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use discord_twin::{Options, Recorded, Scenario, Twin, Typed, read_line, show};
use tokio::sync::mpsc;

/// A timeout that is never reached.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// With `--exit-at-end`: how long the bot must be silent after the last line before the program ends.
const SILENCE: Duration = Duration::from_secs(3);

/// A local stand-in for Discord, to try and test bots
#[derive(Parser)]
#[command(name = "discord-twin", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// The address to listen on
    #[arg(long, default_value = "127.0.0.1:4000")]
    listen: SocketAddr,
    /// Append every request to this file as a line of JSON
    #[arg(long)]
    log: Option<PathBuf>,
    /// Enable the Message Content intent for the application
    #[arg(long)]
    message_content: bool,
    /// Exit when the input has ended and the bot has answered
    #[arg(long)]
    exit_at_end: bool,
    /// Play this scenario with the bot that connects, then exit
    ///
    /// The exit code is 0 if all expectations were met and no request was refused, 1 if not, and 2 if the scenario
    /// cannot be read. The format is described in the library's documentation of `Scenario`.
    #[arg(long, conflicts_with = "exit_at_end")]
    scenario: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Action {
    Load(load::Arguments),
}

fn main() -> std::io::Result<ExitCode> {
    let mut arguments = Arguments::parse();
    match arguments.action.take() {
        Some(Action::Load(arguments)) => load::run(arguments),
        None => talk(arguments),
    }
}

#[tokio::main]
async fn talk(arguments: Arguments) -> std::io::Result<ExitCode> {
    let scenario = match arguments.scenario.as_deref().map(read_scenario).transpose() {
        Ok(scenario) => scenario,
        Err(why) => {
            say(&why)?;
            return Ok(ExitCode::from(2));
        }
    };
    let twin = Twin::start_with(Options {
        listen: arguments.listen,
        log_file: arguments.log,
        message_content_allowed: arguments.message_content,
        ..Options::default()
    })
    .await?;
    introduce(&twin)?;
    let playing = async {
        match scenario {
            Some(scenario) => play(&twin, &scenario).await,
            None => send_lines(&twin, typed_lines(), arguments.exit_at_end).await.map(|()| ExitCode::SUCCESS),
        }
    };
    tokio::select! {
        ended = tokio::signal::ctrl_c() => ended.map(|()| ExitCode::SUCCESS),
        ended = print_requests(twin.clone()) => ended.map(|()| ExitCode::SUCCESS),
        ended = playing => ended,
    }
}

fn read_scenario(path: &Path) -> Result<Scenario, String> {
    let named = |why: String| format!("{}: {why}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
    Scenario::read(&text).map_err(|bad| named(bad.to_string()))
}

async fn play(twin: &Twin, scenario: &Scenario) -> std::io::Result<ExitCode> {
    match twin.play(scenario).await {
        Ok(report) => {
            say(&format!("played {} steps, {} expectations met", report.n_steps, report.n_expectations))?;
            for refused in &report.refused {
                say(&format!("refused: {refused}"))?;
            }
            Ok(if report.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Err(failed) => {
            say(&format!("failed: {failed}"))?;
            Ok(ExitCode::FAILURE)
        }
    }
}

fn introduce(twin: &Twin) -> std::io::Result<()> {
    let url = twin.url();
    say(&format!("The twin listens on {url}. Use this address in place of https://discord.com, with any token."))?;
    say(&format!(
        "Then open {url}/page in a browser, or type `/command option:value`, `@ text` to mention the bot, `dm text`, or \
         plain text. Ctrl-C stops it."
    ))
}

/// The lines of standard input, read by a thread.
fn typed_lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

async fn send_lines(twin: &Twin, mut lines: mpsc::UnboundedReceiver<String>, exit_at_end: bool) -> std::io::Result<()> {
    while let Some(line) = lines.recv().await {
        // Lines that are typed before the bot has connected wait for it.
        while !twin.wait_ready(A_DAY).await {}
        match read_line(&line, &twin.commands()) {
            Typed::Interaction(interaction) => drop(twin.interact(interaction)),
            Typed::Message(message) => {
                twin.say(message);
            }
            Typed::Nothing => {}
        }
    }
    if !exit_at_end {
        return std::future::pending().await;
    }
    let mut n_seen = twin.n_requests();
    while let Some(next) = twin.wait_for(SILENCE, |entry| entry.n >= n_seen).await {
        n_seen = next.n + 1;
    }
    Ok(())
}

async fn print_requests(twin: Twin) -> std::io::Result<()> {
    let mut n_shown = 0;
    loop {
        let next: Option<Recorded> = twin.wait_for(A_DAY, |entry| entry.n >= n_shown).await;
        let Some(entry) = next else { continue };
        n_shown = entry.n + 1;
        if let Some(text) = show(&entry) {
            say(&text)?;
        }
    }
}

fn say(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}
