//! Starts servers, and ends them with the test.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::process::{Child, Command};

use candor_outside::mcp::{Limits, McpError, Server};

/// Far longer than anything takes; what ends by it fails the test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A program, and the connection to it.
pub(crate) struct Running {
    pub(crate) server: Server,
    pub(crate) program: Child,
}

/// Starts a program and connects to it.
pub(crate) async fn started(mut command: Command, limits: Limits) -> Result<Running, McpError> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut program = command.spawn().unwrap();
    let (stdin, stdout) = (program.stdin.take().unwrap(), program.stdout.take().unwrap());
    let server = Server::over_streams(Box::new(stdin), Box::new(stdout), limits).await?;
    Ok(Running { server, program })
}

/// The server of these tests, with this fault.
pub(crate) fn plain(fault: &str) -> Command {
    let mut command = Command::new("python3");
    command.arg("-S").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server.py")).arg(fault);
    command
}

/// The server of these tests, connected.
pub(crate) async fn connected() -> Running {
    started(plain(""), Limits::default()).await.unwrap()
}

pub(crate) fn nothing() -> Map<String, Value> {
    Map::new()
}

pub(crate) fn arguments(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

pub(crate) fn text(words: &str) -> Map<String, Value> {
    arguments(json!({ "text": words }))
}

/// Says that a test does not run; under CI it must.
pub(crate) fn skipped(test: &str, why: &str) {
    assert!(std::env::var_os("CI").is_none(), "under CI this must run: {why}");
    // Not captured, so that it is seen though the test passes.
    drop(
        std::io::stderr().write_all(
            format!(
                "SKIPPED {test}: {why}
"
            )
            .as_bytes(),
        ),
    );
}
