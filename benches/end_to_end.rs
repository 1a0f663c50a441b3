//! The release binary against the twin: how long from an interaction's sending to its callback, how much
//! memory after start, how long until ready; and the same under load, while the chat model hangs. Prints a table;
//! compares with targets, but never fails on time.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints its table and stops where it cannot go on"
)]

use std::fs::{File, read_to_string};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use discord_twin::{Interaction, Load, LoadReport, Message, Pace, Recorded, Twin, USER_ID};
use serde_json::json;
use tokio::net::TcpListener;

const PATIENCE: Duration = Duration::from_secs(30);
/// How many interactions are measured, one after the other.
const ROUNDS: usize = 500;
/// How many are measured under load, and how many of them are sent a second.
const UNDER_LOAD: usize = 2_000;
const RATE: u32 = 200;
/// What the bot says on its standard error, in the folder it runs in, and how many lines of it a failure shows.
const LOG: &str = "bot.log";
const LOG_LINES: usize = 20;
/// Chats that wait for the model all the while.
const CHATS: usize = 32;
/// How long a reply is in characters, and how many are measured, each in a conversation of its own.
const REPLY_LENGTH: usize = 20_000;
const REPLIES: usize = 10;

#[tokio::main]
async fn main() {
    // `cargo test --benches` runs this too: it must not measure a debug build.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    alone().await;
    beside_a_hung_model().await;
    a_long_reply().await;
}

async fn alone() {
    let twin = Twin::start().await.expect("a local port");
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("config.toml"), "[admin]\nlisten = \"off\"\n").expect("a settings file");

    let started = Instant::now();
    let bot = Bot::start(&twin, folder.path()).await;
    let ready = started.elapsed();
    let status = measured(&twin, &bot, "status", Pace::InFlight(1), ROUNDS).await;
    drop(bot);

    println!("{:<44} {:>10} {:>10}", "end to end over the twin", "measured", "target");
    row("ready after start", ready.as_secs_f64() * 1e3, "1 s");
    row("status: sent to callback, p50", status.answer.p50_ms, "");
    row("status: sent to callback, p99", status.answer.p99_ms, "20 ms");
    let cost = status.bot.expect("its process is known");
    resident("resident memory after start", cost.resident_idle_kib, "25 MiB");
    resident(&format!("resident memory after {ROUNDS} interactions"), cost.resident_after_kib, "");
}

/// 200 interactions a second beside chats whose model takes every connection and never says a word.
async fn beside_a_hung_model() {
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
         tools = \"native\"\n[chat.access]\nturns_at_once = 64\n"
    );
    std::fs::write(folder.path().join("config.toml"), settings).expect("a settings file");
    let bot = Bot::start(&twin, folder.path()).await;
    // Each person has one turn at a time.
    for person in (USER_ID..).take(CHATS) {
        twin.say(Message::to_bot("are you there?").by(person));
    }
    let status = measured(&twin, &bot, "status", Pace::PerSecond(RATE), UNDER_LOAD).await;
    let unknown = measured(&twin, &bot, "staus", Pace::PerSecond(RATE), UNDER_LOAD).await;
    drop(bot);
    hung.abort();

    println!("\n{:<44} {:>10} {:>10}", "200 a second beside a hung model", "measured", "target");
    row("status: due to first answer, p50", status.answer.p50_ms, "");
    row("status: due to first answer, p99", status.answer.p99_ms, "10 ms");
    row("unknown command: p99", unknown.answer.p99_ms, "10 ms");
}

/// A reply of 20,000 characters, from the words of a person over the stream of a model to the messages and the file
/// that show it. What Discord's limits of edits cost is in it: the first words are shown at once.
async fn a_long_reply() {
    let event = json!({"choices": [{"index": 0, "delta": {"content": "word"}, "finish_reason": null}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let body = format!("data: {event}\n\n").repeat(REPLY_LENGTH / 4) + &format!("data: {end}\n\ndata: [DONE]\n\n");
    let answer = move || {
        let body = body.clone();
        async move { ([("content-type", "text/event-stream")], body) }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a local port");
    let address = listener.local_addr().expect("bound");
    let model = tokio::spawn(async move { axum::serve(listener, axum::Router::new().fallback(answer)).await });
    let twin = Twin::start().await.expect("a local port");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let settings = format!(
        "[admin]\nlisten = \"off\"\n[model]\nbase_url = \"http://{address}/v1\"\nmodels = [\"fast\"]\ntools = \"native\"\n\
         [chat.access]\nturns_at_once = 64\n"
    );
    std::fs::write(folder.path().join("config.toml"), settings).expect("a settings file");
    let bot = Bot::start(&twin, folder.path()).await;
    let mut took = Vec::new();
    for person in (USER_ID..).take(REPLIES) {
        let (n, started) = (twin.n_requests(), Instant::now());
        twin.say(Message::to_bot("write it all down").by(person));
        let is_whole = |request: &Recorded| n <= request.n && !request.files.is_empty();
        let whole = twin.wait_for(PATIENCE, is_whole).await;
        assert!(whole.is_some(), "no whole reply\n{}", bot.last_lines());
        took.push(started.elapsed().as_secs_f64() * 1e3);
    }
    drop(bot);
    model.abort();
    took.sort_by(f64::total_cmp);
    println!("\n{:<44} {:>10} {:>10}", "a reply of 20,000 characters", "measured", "target");
    row("words said to the whole reply, p50", took[took.len() / 2], "");
    row("words said to the whole reply, the longest", took[took.len() - 1], "");
}

async fn measured(twin: &Twin, bot: &Bot, command: &str, pace: Pace, count: usize) -> LoadReport {
    let pid = Some(bot.process.id());
    let load = Load { pace, count, warm_up: 0, pid, users: 1, ..Load::of(Interaction::slash(command)) };
    match twin.load(&load).await {
        Ok(report) if report.is_clean() => report,
        failed => panic!("{failed:?}\n{}", bot.last_lines()),
    }
}

fn row(what: &str, ms: f64, target: &str) {
    println!("{what:<44} {ms:>7.1} ms {target:>10}");
}

fn resident(what: &str, kib: u64, target: &str) {
    println!("{what:<44} {:>6.1} MiB {target:>10}", kib as f64 / 1024.0);
}

/// The bot that is measured. It ends with this.
struct Bot {
    process: Child,
    log: PathBuf,
}

impl Bot {
    /// Starts it, and waits until it is connected.
    async fn start(twin: &Twin, folder: &Path) -> Self {
        let log = folder.join(LOG);
        let process = Command::new(env!("CARGO_BIN_EXE_candor"))
            .arg("run")
            .current_dir(folder)
            .env("DISCORD_PROXY", twin.url())
            .env("DISCORD_TOKEN", "bench.token")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).expect("a file in a temporary folder"))
            .spawn()
            .expect("the binary");
        let bot = Self { process, log };
        assert!(twin.wait_ready(PATIENCE).await, "the bot did not connect\n{}", bot.last_lines());
        bot
    }

    fn last_lines(&self) -> String {
        let log = read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        // It may have ended: then a failure is on its way, and must be the one that is told.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
