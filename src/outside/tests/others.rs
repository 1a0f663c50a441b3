//! Servers that nobody here wrote: from PyPI and npm, and one made with the official SDK for Python.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use crate::support::{PATIENCE, arguments, nothing, root, skipped, started, text};
use candor_outside::mcp::{Authorization, HttpAddress, Limits, Server};

/// Node and the SDK start slowly on a busy machine.
const LIMITS: Limits = Limits { start: Duration::from_secs(60), message_bytes: 1024 * 1024, piece_bytes: 512 * 1024 };

/// The folder that `tests/mcp_servers/install` fills, or why it is not there.
fn installed(program: &str) -> Result<PathBuf, String> {
    // Not the path behind a link: a Python knows its packages by the link's.
    let path = root().canonicalize().unwrap().join("target/mcp-servers").join(program);
    let missing = || format!("{program} is not there: run tests/mcp_servers/install");
    path.exists().then_some(path).ok_or_else(missing)
}

fn sdk_server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk_server.py")
}

#[tokio::test]
async fn a_server_made_with_the_official_sdk_answers_on_pipes() {
    let python = match installed("python/bin/python") {
        Ok(python) => python,
        Err(why) => return skipped("a_server_made_with_the_official_sdk_answers_on_pipes", &why),
    };
    let mut command = Command::new(python);
    command.arg(sdk_server()).arg("stdio");
    let running = started(command, LIMITS).await.unwrap();
    holds_of_the_sdk_server(&running.server).await;
}

#[tokio::test]
async fn a_server_made_with_the_official_sdk_answers_over_http() {
    let python = match installed("python/bin/python") {
        Ok(python) => python,
        Err(why) => return skipped("a_server_made_with_the_official_sdk_answers_over_http", &why),
    };
    for answers in ["streams", "json"] {
        let mut command = Command::new(&python);
        command.arg(sdk_server()).arg(answers).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut program = command.spawn().unwrap();
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
        let port = tokio::time::timeout(PATIENCE, lines.next_line()).await.unwrap().unwrap().unwrap();
        let url = format!("http://127.0.0.1:{port}/mcp").parse().unwrap();
        let server = connected_in_time(&HttpAddress { url, authorization: Authorization::None, insecure: false }).await;
        holds_of_the_sdk_server(&server).await;
        server.close().await;
    }
}

/// It says its port just before it listens there.
async fn connected_in_time(address: &HttpAddress) -> Server {
    let connected = async {
        loop {
            match Server::over_http(address.clone(), LIMITS).await {
                Ok(server) => return server,
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    };
    tokio::time::timeout(PATIENCE, connected).await.unwrap()
}

async fn holds_of_the_sdk_server(server: &Server) {
    let tools = server.tools(PATIENCE).await.unwrap().tools;
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["roll", "echo", "fail", "picture"]);
    assert_eq!(tools[0].input_schema["properties"]["sides"]["type"], "integer");
    assert!(tools[0].output_schema.is_some());

    let rolled = server.call("roll", arguments(json!({ "sides": 1 })), PATIENCE).await.unwrap();
    assert_eq!((rolled.text.as_str(), rolled.is_error), ("1", false));
    assert_eq!(rolled.structured, Some(json!({ "result": 1 })));
    assert_eq!(server.call("echo", text("hällo"), PATIENCE).await.unwrap().text, "hällo");
    let failed = server.call("fail", nothing(), PATIENCE).await.unwrap();
    assert_eq!((failed.text.as_str(), failed.is_error), ("Error executing tool fail", true));
    let picture = server.call("picture", nothing(), PATIENCE).await.unwrap();
    assert_eq!((picture.pieces[0].media_type.as_str(), picture.pieces[0].size), ("image/png", 4));
    let misfit = server.call("roll", arguments(json!({ "sides": "many" })), PATIENCE).await.unwrap();
    assert!(misfit.is_error, "{misfit:?}");
}

#[tokio::test]
async fn a_python_server_of_the_registry_answers() {
    let program = match installed("python/bin/mcp-server-time") {
        Ok(program) => program,
        Err(why) => return skipped("a_python_server_of_the_registry_answers", &why),
    };
    let mut command = Command::new(program);
    command.arg("--local-timezone=Europe/Berlin");
    let running = started(command, LIMITS).await.unwrap();
    let tools = running.server.tools(PATIENCE).await.unwrap().tools;
    assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["get_current_time", "convert_time"]);
    let given = json!({ "source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo" });
    let converted = running.server.call("convert_time", arguments(given), PATIENCE).await.unwrap();
    assert!(converted.text.contains("Asia/Tokyo") && !converted.is_error, "{converted:?}");
}

#[tokio::test]
async fn a_node_server_of_the_registry_answers() {
    let program = match installed("node/node_modules/.bin/mcp-server-everything") {
        Ok(program) => program,
        Err(why) => return skipped("a_node_server_of_the_registry_answers", &why),
    };
    let running = started(Command::new(program), LIMITS).await.unwrap();
    let tools = running.server.tools(PATIENCE).await.unwrap().tools;
    assert!(tools.iter().any(|tool| tool.name == "echo"), "{tools:?}");
    let echoed = running.server.call("echo", arguments(json!({ "message": "hällo" })), PATIENCE).await.unwrap();
    assert_eq!(echoed.text, "Echo: hällo");
    let sum = running.server.call("get-sum", arguments(json!({ "a": 2, "b": 3 })), PATIENCE).await.unwrap();
    assert!(sum.text.contains('5'), "{sum:?}");
    let image = running.server.call("get-tiny-image", nothing(), PATIENCE).await.unwrap();
    assert_eq!(image.pieces[0].media_type, "image/png");
}
