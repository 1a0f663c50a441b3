//! What a broken or hostile server on two pipes may do: an error that names it, in bounded time and memory.

use std::time::Duration;

use crate::support::{PATIENCE, connected, nothing, plain, started, text};
use candor_outside::mcp::{Limits, McpError, Step};

/// The error of a start with this fault.
async fn start(fault: &str, limits: Limits) -> McpError {
    let started = tokio::time::timeout(PATIENCE, started(plain(fault), limits)).await.unwrap();
    started.err().unwrap_or_else(|| panic!("{fault}: it started"))
}

fn malformed(what: &str) -> McpError {
    McpError::Malformed { what: what.to_owned() }
}

fn line_too_large() -> McpError {
    McpError::TooLarge { what: "a line of its output", max: "1048576 bytes".to_owned() }
}

#[tokio::test]
async fn a_start_that_fails_says_how() {
    let handshake = |what: &str| McpError::Handshake { what: what.to_owned() };
    let cases = [
        ("exits", McpError::Exited),
        ("no-tools", McpError::NoTools),
        ("wrong-id", malformed("it answered the request `7`, which was never made")),
        ("no-result", handshake("its answer to `initialize` is none")),
        ("refuses", handshake("the server refused: not today (code -32001)")),
        ("endless-line", line_too_large()),
        (
            "other-version",
            McpError::ProtocolVersion {
                theirs: "2099-01-01".to_owned(),
                ours: "2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25".to_owned(),
            },
        ),
    ];
    for (fault, expected) in cases {
        assert_eq!(start(fault, Limits::default()).await, expected, "{fault}");
    }
}

#[tokio::test]
async fn a_start_has_a_deadline() {
    let limits = Limits { start: Duration::from_millis(300), ..Limits::default() };
    assert_eq!(start("silent", limits).await, McpError::TimedOut { step: Step::Start });
}

#[tokio::test]
async fn a_list_of_tools_is_bounded() {
    let too_large = |what, max: &str| McpError::TooLarge { what, max: max.to_owned() };
    let cases = [
        ("many", too_large("the list of its tools", "200 tools")),
        ("endless-pages", too_large("the list of its tools", "50 pages")),
    ];
    for (fault, expected) in cases {
        let running = started(plain(fault), Limits::default()).await.unwrap();
        assert_eq!(running.server.tools(PATIENCE).await, Err(expected), "{fault}");
    }
    let running = started(plain("list-hangs"), Limits::default()).await.unwrap();
    let late = running.server.tools(Duration::from_millis(100)).await;
    assert_eq!(late, Err(McpError::TimedOut { step: Step::Tools }));
}

#[tokio::test]
async fn a_tool_that_cannot_be_called_costs_none_of_the_others() {
    let running = started(plain("odd"), Limits::default()).await.unwrap();
    let list = running.server.tools(PATIENCE).await.unwrap();
    let names: Vec<_> = list.tools.iter().map(|tool| (tool.name.as_str(), tool.read_only)).collect();
    // A hint that is not a boolean is ignored.
    assert_eq!(names, [("hint", false), ("echo", true)]);
    let unusable: Vec<_> = list.unusable.iter().map(|tool| (tool.name.as_str(), tool.why.as_str())).collect();
    let name = "its name is not 1 to 128 visible characters of ASCII";
    let expected = [
        ("big", "with it, the schemas of the server's tools are larger than 262144 bytes"),
        ("two words", name),
        ("list", "its input schema is not of the type `object`"),
        ("null", "it has no input schema"),
        ("", name),
    ];
    assert_eq!(unusable, expected);
}

#[tokio::test]
async fn a_list_ends_where_nothing_new_comes() {
    for (fault, n_tools) in [("empty-cursor", 1), ("same-cursor", 1), ("duplicate", 27)] {
        let running = started(plain(fault), Limits::default()).await.unwrap();
        assert_eq!(running.server.tools(PATIENCE).await.unwrap().tools.len(), n_tools, "{fault}");
    }
}

#[tokio::test]
async fn what_is_no_message_is_passed_over() {
    for fault in ["junk", "objects"] {
        let running = started(plain(fault), Limits::default()).await.unwrap();
        assert!(running.server.tools(PATIENCE).await.is_ok(), "{fault}");
        assert_eq!(running.server.call("strays", nothing(), PATIENCE).await.unwrap().text, "here I am", "{fault}");
    }
}

#[tokio::test]
async fn a_call_that_breaks_the_protocol_ends_the_connection_with_the_reason() {
    let flood = "it sent more than 1000 messages within a second that answer nothing";
    let cases = [
        ("dies", McpError::Exited),
        ("half-line", McpError::Exited),
        ("other-id", malformed("it answered the request `1001`, which was never made")),
        ("long-line", line_too_large()),
        ("endless-line", line_too_large()),
        ("flood", malformed(flood)),
    ];
    for (tool, expected) in cases {
        let running = connected().await;
        let closed = running.server.closed();
        assert_eq!(running.server.call(tool, nothing(), PATIENCE).await, Err(expected.clone()), "{tool}");
        assert!(expected.may_have_run(), "{tool}");
        assert_eq!(closed.await, expected, "{tool}");
        // What comes later is told at once.
        assert_eq!(running.server.call("echo", text("?"), PATIENCE).await, Err(expected), "{tool}");
    }
}

#[tokio::test]
async fn a_second_answer_ends_the_connection_and_the_first_one_stands() {
    let running = connected().await;
    let closed = running.server.closed();
    assert_eq!(running.server.call("twice", nothing(), PATIENCE).await.unwrap().text, "once");
    assert_eq!(closed.await, malformed("it answered the request 1 a second time"));
}

#[tokio::test]
async fn an_answer_that_is_no_result_harms_only_its_call() {
    let running = connected().await;
    let expected = malformed("its answer to `tools/call` is not the result of a tool that this client can use");
    assert_eq!(running.server.call("not-a-result", nothing(), PATIENCE).await, Err(expected));
    assert_eq!(running.server.call("echo", text("on"), PATIENCE).await.unwrap().text, "on");
}

#[tokio::test]
async fn a_server_that_is_killed_in_mid_call_fails_all_calls_under_way() {
    let mut running = connected().await;
    let (server, program) = (&running.server, &mut running.program);
    let (first, second, ()) =
        tokio::join!(server.call("hangs", nothing(), PATIENCE), server.call("hangs", nothing(), PATIENCE), async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            program.kill().await.unwrap();
        });
    assert_eq!((first, second), (Err(McpError::Exited), Err(McpError::Exited)));
}

#[tokio::test]
async fn a_server_that_does_not_read_holds_nobody_up() {
    let mut command = tokio::process::Command::new("python3");
    // It does the handshake, and then reads no more.
    let program = r#"
import json, sys, time
id = json.loads(sys.stdin.buffer.readline())["id"]
result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "deaf", "version": "1"}}
print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
time.sleep(600)
"#;
    command.arg("-S").arg("-c").arg(program);
    let running = started(command, Limits::default()).await.unwrap();
    let large = "x".repeat(300_000);
    for _ in 0..3 {
        let late = running.server.call("echo", text(&large), Duration::from_millis(100)).await;
        assert_eq!(late, Err(McpError::TimedOut { step: Step::Call }));
    }
    tokio::time::timeout(Duration::from_secs(10), running.server.close()).await.unwrap();
}
