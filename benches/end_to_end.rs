//! The release binary against the twin: how long from an interaction's sending to its callback, how much
//! memory after start, how long until ready; and the same under load, while the chat model hangs. Prints a table;
//! compares with targets, but never fails on time.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints its table and stops where it cannot go on"
)]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use discord_twin::{Interaction, Message, Twin};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

/// How many interactions are measured, one after the other.
const ROUNDS: usize = 500;
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two interactions under load: 200 a second.
const EVERY: Duration = Duration::from_millis(5);
/// How many are measured under load.
const UNDER_LOAD: usize = 2_000;
/// Chats that wait for the model all the while.
const CHATS: usize = 32;

#[tokio::main]
async fn main() {
    // `cargo test --benches` runs this too: it must not measure a debug build.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let twin = Twin::start().await.expect("a local port");
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("config.toml"), "[admin]\nlisten = \"off\"\n").expect("a settings file");

    let started = Instant::now();
    let mut bot = start(&twin, folder.path());
    assert!(twin.wait_ready(PATIENCE).await, "the bot did not connect");
    let ready = started.elapsed();
    let resident_at_start = resident_mib(bot.id());

    let mut latencies = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let began = Instant::now();
        let sent = twin.interact(Interaction::slash("status"));
        twin.callback_to(&sent, PATIENCE).await.expect("an answer");
        // The first ones warm the connection up.
        if 20 <= round {
            latencies.push(began.elapsed());
        }
    }
    latencies.sort();
    let resident = resident_mib(bot.id());
    bot.kill().expect("still running");
    bot.wait().expect("reaped");

    println!("{:<44} {:>10} {:>10}", "end to end over the twin", "measured", "target");
    row("ready after start", ready, "1 s");
    row("status: sent to callback, p50", percentile(&latencies, 50), "");
    row("status: sent to callback, p99", percentile(&latencies, 99), "20 ms");
    println!("{:<44} {resident_at_start:>6.1} MiB {:>10}", "resident memory after start", "25 MiB");
    println!("{:<44} {resident:>6.1} MiB {:>10}", format!("resident memory after {ROUNDS} interactions"), "");
    load().await;
}

/// 200 interactions a second beside chats whose model takes every connection and never says a word.
async fn load() {
    let model = TcpListener::bind("127.0.0.1:0").await.expect("a local port");
    let address = model.local_addr().expect("bound");
    let hung = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((connection, _)) = model.accept().await {
            held.push(connection);
        }
    });
    let twin = Twin::start().await.expect("a local port");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let settings = format!(
        "[admin]\nlisten = \"off\"\n[model]\nbase_url = \"http://{address}/v1\"\nmodels = [\"hung\"]\nfirst_token_s = 600\n\
         tools = \"native\"\n"
    );
    std::fs::write(folder.path().join("config.toml"), settings).expect("a settings file");
    let mut bot = start(&twin, folder.path());
    assert!(twin.wait_ready(PATIENCE).await, "the bot did not connect");
    for _ in 0..CHATS {
        twin.say(Message::to_bot("are you there?"));
    }
    // The first answers warm the connections up.
    for _ in 0..20 {
        let sent = twin.interact(Interaction::slash("status"));
        twin.callback_to(&sent, PATIENCE).await.expect("an answer");
    }
    let status = steadily(&twin, || Interaction::slash("status")).await;
    let unknown = steadily(&twin, || Interaction::slash("staus")).await;
    bot.kill().expect("still running");
    bot.wait().expect("reaped");
    hung.abort();

    println!("\n{:<44} {:>10} {:>10}", "200 a second beside a hung model", "measured", "target");
    row("status: sent to first answer, p50", percentile(&status, 50), "");
    row("status: sent to first answer, p99", percentile(&status, 99), "10 ms");
    row("unknown command: p99", percentile(&unknown, 99), "10 ms");
}

/// Sends at a steady pace, whether the ones before are answered or not, and gives the sorted latencies.
async fn steadily(twin: &Twin, interaction: impl Fn() -> Interaction) -> Vec<Duration> {
    let mut pace = interval(EVERY);
    pace.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut waiting = JoinSet::new();
    for _ in 0..UNDER_LOAD {
        pace.tick().await;
        let began = Instant::now();
        let sent = twin.interact(interaction());
        let twin = twin.clone();
        waiting.spawn(async move { twin.callback_to(&sent, PATIENCE).await.map(|_| began.elapsed()) });
    }
    let mut latencies = Vec::with_capacity(UNDER_LOAD);
    while let Some(answered) = waiting.join_next().await {
        latencies.push(answered.expect("no panic").expect("an answer"));
    }
    latencies.sort();
    latencies
}

fn row(what: &str, took: Duration, target: &str) {
    println!("{what:<44} {:>7.1} ms {target:>10}", took.as_secs_f64() * 1e3);
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

fn start(twin: &Twin, folder: &std::path::Path) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_candor"))
        .arg("run")
        .current_dir(folder)
        .env("DISCORD_PROXY", twin.url())
        .env("DISCORD_TOKEN", "bench.token")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    // The log must be read, or the pipe fills and the bot waits for us.
    let log = child.stderr.take().expect("piped");
    std::thread::spawn(move || BufReader::new(log).lines().for_each(drop));
    child
}

/// Resident memory as Linux counts it.
fn resident_mib(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.map_or(f64::NAN, |kib| kib / 1024.0)
}
