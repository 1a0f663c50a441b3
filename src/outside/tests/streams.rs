//! What an honest server on two pipes may do.

use serde_json::{Value, json};
use std::time::Duration;

use crate::support::{PATIENCE, connected, nothing, plain, started, text};
use candor_outside::mcp::{Limits, McpError, PieceKind, Step};

#[tokio::test]
async fn tools_are_listed_over_all_pages_and_called() {
    let running = connected().await;
    let server = &running.server;
    assert_eq!((server.name(), server.protocol()), ("plain 1", "2025-06-18"));
    let tools = server.tools(PATIENCE).await.unwrap().tools;
    let echo = &tools[0];
    assert_eq!((echo.name.as_str(), echo.title.as_deref()), ("echo", Some("Echo")));
    assert_eq!(echo.description.as_deref(), Some("Says what it is told"));
    assert_eq!(echo.input_schema["properties"]["text"]["type"], "string");
    assert_eq!(echo.output_schema.as_ref().unwrap()["required"], json!(["length"]));
    assert!(echo.read_only && !echo.destructive);
    let media = &tools[1];
    assert!(!media.read_only && media.destructive, "without a hint, a tool may destroy");
    assert_eq!(tools.len(), 27);

    let answer = server.call("echo", text("hällo\nyou"), PATIENCE).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.is_error), ("hällo\nyou", false));
    assert_eq!(answer.structured, Some(json!({ "length": 9 })));
    assert_eq!(answer.pieces, []);
}

#[tokio::test]
async fn what_is_no_text_is_named() {
    let limits = Limits { piece_bytes: 4, ..Limits::default() };
    let running = started(plain(""), limits).await.unwrap();
    let answer = running.server.call("media", nothing(), PATIENCE).await.unwrap();
    // The text of a resource is text, whichever way it comes.
    assert_eq!(answer.text, "first\nembedded\n{}\nlast");
    let pieces: Vec<_> = answer
        .pieces
        .iter()
        .map(|piece| (piece.kind, piece.media_type.as_str(), piece.uri.as_deref(), piece.size, piece.data.as_deref()))
        .collect();
    let expected: [(_, _, _, _, Option<&[u8]>); 5] = [
        (PieceKind::Image, "image/png", None, 4, Some(&[0, 1, 2, 3])),
        (PieceKind::Audio, "audio/wav", None, 3, Some(&[0, 1, 2])),
        (PieceKind::Resource, "application/zip", Some("file:///z"), 5, None),
        (PieceKind::Image, "image/png", Some("file:///i"), 2, Some(&[0, 1])),
        (PieceKind::Link, "", Some("https://example.org/ b"), 9, None),
    ];
    assert_eq!(pieces, expected);
}

#[tokio::test]
async fn a_part_that_cannot_be_read_loses_none_of_the_others() {
    let running = connected().await;
    let answer = running.server.call("odd", nothing(), PATIENCE).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.is_error), ("first\nlast", false));
    let pieces: Vec<_> =
        answer.pieces.iter().map(|piece| (piece.kind, piece.media_type.as_str(), piece.uri.as_deref())).collect();
    let expected = [
        (PieceKind::Unreadable, "hologram", None),
        (PieceKind::Link, "", Some("ui://a")),
        (PieceKind::Unreadable, "image", None),
        (PieceKind::Unreadable, "resource", Some("file:///b")),
        (PieceKind::Unreadable, "text", None),
        (PieceKind::Unreadable, "", None),
    ];
    assert_eq!(pieces, expected);
}

#[tokio::test]
async fn an_answer_without_content_is_no_failure() {
    let running = connected().await;
    for tool in ["nothing", "null", "empty"] {
        let answer = running.server.call(tool, nothing(), PATIENCE).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.pieces.len(), answer.is_error), ("", 0, false), "{tool}");
    }
}

#[tokio::test]
async fn a_failure_is_the_tools_or_the_servers() {
    let running = connected().await;
    let failed = running.server.call("fails", nothing(), PATIENCE).await.unwrap();
    assert_eq!((failed.text.as_str(), failed.is_error), ("no such city", true));
    for (tool, message) in [("refuses", "bad arguments"), ("missing", "unknown tool: missing")] {
        let error = running.server.call(tool, nothing(), PATIENCE).await.unwrap_err();
        assert_eq!(error, McpError::Refused { code: -32602, message: message.to_owned() });
    }
    // An error without an id can only mean the one request that is under way.
    for tool in ["no-id", "null-id"] {
        let error = running.server.call(tool, nothing(), PATIENCE).await.unwrap_err();
        assert_eq!(error, McpError::Refused { code: -32600, message: "which one?".to_owned() });
    }
    assert_eq!(running.server.call("echo", text("on"), PATIENCE).await.unwrap().text, "on");
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled() {
    let running = connected().await;
    let error = running.server.call("hangs", nothing(), Duration::from_millis(50)).await.unwrap_err();
    assert_eq!(error, McpError::TimedOut { step: Step::Call });
    let heard = running.server.call("heard", nothing(), PATIENCE).await.unwrap().text;
    let heard: Vec<Value> = serde_json::from_str(&heard).unwrap();
    let methods: Vec<_> = heard.iter().filter_map(|message| message["method"].as_str()).collect();
    let expected = ["initialize", "notifications/initialized", "tools/call", "notifications/cancelled", "tools/call"];
    assert_eq!(methods, expected);
    assert_eq!(heard[3]["params"]["requestId"], 1);
}

#[tokio::test]
async fn a_server_gets_nothing_that_it_asks_for() {
    let running = connected().await;
    assert_eq!(running.server.call("asks", nothing(), PATIENCE).await.unwrap().text, "asked");
    let answers = async {
        loop {
            let heard = running.server.call("heard", nothing(), PATIENCE).await.unwrap().text;
            let heard: Vec<Value> = serde_json::from_str(&heard).unwrap();
            let answers: Vec<_> = heard.into_iter().filter(|message| message["method"].is_null()).collect();
            if answers.len() == 5 {
                return answers;
            }
        }
    };
    for answer in tokio::time::timeout(PATIENCE, answers).await.unwrap() {
        match answer["id"].as_str().unwrap() {
            "mine-ping" => assert_eq!(answer["result"], json!({})),
            _ => assert_eq!(answer["error"]["code"], -32601, "{answer}"),
        }
    }
    let heard = running.server.call("heard", nothing(), PATIENCE).await.unwrap().text;
    let heard: Vec<Value> = serde_json::from_str(&heard).unwrap();
    assert_eq!(heard[0]["params"]["capabilities"], json!({}));
}

#[tokio::test]
async fn a_change_of_the_tools_is_heard() {
    let running = connected().await;
    let mut changed = running.server.changed();
    assert!(!changed.has_changed().unwrap());
    running.server.call("changes", nothing(), PATIENCE).await.unwrap();
    tokio::time::timeout(PATIENCE, changed.changed()).await.unwrap().unwrap();
    assert_eq!(*changed.borrow(), 1);
}

#[tokio::test]
async fn notifications_and_empty_lines_disturb_no_call() {
    let running = connected().await;
    assert_eq!(running.server.call("chatter", nothing(), PATIENCE).await.unwrap().text, "done");
}

#[tokio::test]
async fn many_calls_at_once_each_get_their_answer() {
    let running = connected().await;
    let calls = (0..200).map(|n| {
        let server = &running.server;
        async move {
            let words = format!("call {n}");
            assert_eq!(server.call("echo", text(&words), PATIENCE).await.unwrap().text, words);
        }
    });
    let mut calls: Vec<_> = calls.map(Box::pin).collect();
    std::future::poll_fn(|context| {
        calls.retain_mut(|call| call.as_mut().poll(context).is_pending());
        if calls.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

#[tokio::test]
async fn a_closed_connection_ends_the_pipes_and_says_so() {
    let mut running = connected().await;
    let closed = running.server.closed();
    running.server.close().await;
    assert_eq!(closed.await, McpError::Closed);
    assert_eq!(running.server.call("echo", text("?"), PATIENCE).await, Err(McpError::Closed));
    // Its standard input ended, so that it ends by itself.
    let status = tokio::time::timeout(PATIENCE, running.program.wait()).await.unwrap().unwrap();
    assert!(status.success(), "{status}");
}
