//! One call of a tool over two pipes, to a server of 200 lines of Python without an SDK: what the protocol and the
//! client cost.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::error::Error;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use candor_mcp::{Limits, Server};
use serde_json::{Map, Value};
use tokio::process::Command;

const WARM: usize = 200;
const CALLS: usize = 5_000;
const PATIENCE: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server.py");
    let began = Instant::now();
    let mut command = Command::new("python3");
    command.arg("-S").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut program = command.spawn()?;
    let pipes = program.stdin.take().zip(program.stdout.take());
    let (stdin, stdout) = pipes.ok_or("the server has no pipes")?;
    let server = Server::over_streams(Box::new(stdin), Box::new(stdout), Limits::default()).await?;
    let n_tools = server.tools(PATIENCE).await?.len();
    println!("start, handshake and {n_tools} tools   {:>9.1?}", began.elapsed());

    let arguments = Map::from_iter([("text".to_owned(), Value::from("a line of forty characters, more or less"))]);
    let mut times = Vec::with_capacity(CALLS);
    for call in 0..WARM + CALLS {
        let began = Instant::now();
        let answer = server.call("echo", arguments.clone(), PATIENCE).await?;
        if WARM <= call {
            times.push(began.elapsed());
        }
        if answer.is_error || answer.text.len() != 40 {
            return Err(format!("a wrong answer: {answer:?}").into());
        }
    }
    times.sort_unstable();
    for (name, part) in [("p50", 50), ("p95", 95), ("p99", 99)] {
        println!(
            "one call, {name}                  {:>9.1?}",
            times.get(CALLS * part / 100).copied().unwrap_or_default()
        );
    }
    Ok(())
}
