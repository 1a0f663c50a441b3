//! One call of a tool over two pipes, to a server of 200 lines of Python without an SDK: what the protocol and the
//! client cost, beside the same lines written and read by hand.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::error::Error;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use candor_outside::mcp::{Limits, Server};

const WARM: usize = 200;
const CALLS: usize = 5_000;
const PATIENCE: Duration = Duration::from_secs(10);
const WORDS: &str = "a line of forty characters, more or less";

/// How many times longer a call may take than the same lines written and read with nothing around them, both as the median
/// of calls that take turns: 1.33 were measured alone, and 1.86 while a compiler had the processors.
const RATIO_MAX: f64 = 3.0;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let (_program, stdin, stdout) = server_process()?;
    let server = Server::over_streams(Box::new(stdin), Box::new(stdout), Limits::default()).await?;
    let n_tools = server.tools(PATIENCE).await?.tools.len();
    println!("start, handshake and {n_tools} tools   {:>9.1?}", began.elapsed());

    let mut lines = Lines::start().await?;
    let arguments = Map::from_iter([("text".to_owned(), Value::from(WORDS))]);
    let (mut called, mut written) = (Vec::with_capacity(CALLS), Vec::with_capacity(CALLS));
    for call in 0..WARM + CALLS {
        let began = Instant::now();
        let answer = server.call("echo", arguments.clone(), PATIENCE).await?;
        let took = began.elapsed();
        if answer.is_error || answer.text != WORDS {
            return Err(format!("a wrong answer: {answer:?}").into());
        }
        let began = Instant::now();
        lines.call(call).await?;
        if WARM <= call {
            called.push(took);
            written.push(began.elapsed());
        }
    }
    let (called, written) = (shown("one call", called), shown("its lines alone", written));
    let ratio = called.as_secs_f64() / written.as_secs_f64();
    println!("a call: {ratio:.2} times its lines, of at most {RATIO_MAX}");
    assert!(ratio <= RATIO_MAX, "a call takes longer than it may");
    Ok(())
}

/// Prints the times, and gives the median.
fn shown(what: &str, mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let [p50, p95, p99] = [50, 95, 99].map(|part| times.get(CALLS * part / 100).copied().unwrap_or_default());
    println!("{what:<16} p50 {p50:>9.1?}  p95 {p95:>9.1?}  p99 {p99:>9.1?}");
    p50
}

fn server_process() -> Result<(Child, ChildStdin, ChildStdout), Box<dyn Error>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server.py");
    let mut command = Command::new("python3");
    command.arg("-S").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut program = command.spawn()?;
    let (stdin, stdout) = program.stdin.take().zip(program.stdout.take()).ok_or("the server has no pipes")?;
    Ok((program, stdin, stdout))
}

/// The same server, spoken to by hand.
struct Lines {
    _program: Child,
    stdin: ChildStdin,
    answers: tokio::io::Lines<BufReader<ChildStdout>>,
}

impl Lines {
    async fn start() -> Result<Self, Box<dyn Error>> {
        let (program, stdin, stdout) = server_process()?;
        let mut lines = Self { _program: program, stdin, answers: BufReader::new(stdout).lines() };
        let client = json!({ "name": "bench", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        lines.write(&json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello })).await?;
        lines.answers.next_line().await?.ok_or("no answer to the handshake")?;
        lines.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        Ok(lines)
    }

    async fn write(&mut self, message: &Value) -> Result<(), Box<dyn Error>> {
        Ok(self.stdin.write_all(format!("{message}\n").as_bytes()).await?)
    }

    async fn call(&mut self, id: usize) -> Result<(), Box<dyn Error>> {
        let params = json!({ "name": "echo", "arguments": { "text": WORDS } });
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })).await?;
        let answer: Value = serde_json::from_str(&self.answers.next_line().await?.ok_or("the server ended")?)?;
        if answer["result"]["content"][0]["text"] == WORDS { Ok(()) } else { Err("a wrong answer".into()) }
    }
}
