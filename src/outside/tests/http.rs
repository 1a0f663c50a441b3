//! Servers over HTTP that misbehave, each a few lines of axum.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, StatusCode};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::{PATIENCE, nothing, text};
use candor_outside::mcp::{Authorization, HttpAddress, Limits, McpError, Server, Step};

/// What was asked: the method of HTTP, that of MCP, and the headers.
type Asked = Arc<Mutex<Vec<(Method, String, HeaderMap)>>>;

#[derive(Clone)]
struct Fake {
    asked: Asked,
    /// How it answers `initialize`.
    start: &'static str,
    /// What goes into its stream of notifications.
    notices: Arc<Mutex<Option<mpsc::Sender<&'static str>>>>,
}

async fn fake(start: &'static str) -> (Fake, HttpAddress) {
    let fake = Fake { asked: Asked::default(), start, notices: Arc::default() };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap()).parse().unwrap();
    let served = fake.clone();
    tokio::spawn(async move {
        let service = Router::new().fallback(answer).with_state(served);
        axum::serve(listener, service).await.unwrap();
    });
    (fake, HttpAddress { url, authorization: Authorization::Bearer("s3cret".to_owned().into()), insecure: false })
}

async fn answer(State(fake): State<Fake>, method: Method, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let name = message["method"].as_str().unwrap_or_default().to_owned();
    fake.asked.lock().unwrap().push((method.clone(), name.clone(), headers));
    let id = message["id"].to_string();
    let json = "application/json";
    let result = |result: Value| json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string();
    match (method, name.as_str()) {
        (Method::GET, _) => {
            let (sender, notices) = mpsc::channel(1);
            *fake.notices.lock().unwrap() = Some(sender);
            streamed(notices)
        }
        (Method::DELETE, _) => said(204, "", ""),
        (_, "initialize") => match fake.start {
            "" => {
                let result = result(json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": { "tools": {} },
                    "serverInfo": { "name": "fake", "version": "1" },
                }));
                let mut response = said(200, json, &result);
                response.headers_mut().insert("mcp-session-id", "session-7".parse().unwrap());
                response
            }
            "unauthorized" => said(401, "text/plain", "who are you?"),
            "elsewhere" => {
                let mut response = said(307, "", "");
                response.headers_mut().insert("location", "http://127.0.0.1:1/mcp".parse().unwrap());
                response
            }
            "page" => said(200, "text/html", "<html>"),
            "busy" => said(503, json, "{\"busy\": true}"),
            "silent" => std::future::pending().await,
            other => unreachable!("{other}"),
        },
        (_, "tools/call") => match message["params"]["name"].as_str().unwrap() {
            "echo" => {
                let words = &message["params"]["arguments"]["text"];
                said(200, json, &result(json!({ "content": [{ "type": "text", "text": words }] })))
            }
            "refuses" => {
                let error = json!({ "code": -32602, "message": "bad arguments" });
                said(400, json, &json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }).to_string())
            }
            "not-json" => said(200, json, "<html>"),
            "not-utf8" => Response::builder().header("content-type", json).body(Body::from(&b"\"\xff\""[..])).unwrap(),
            "empty" => said(200, json, ""),
            "accepted" => said(202, "", ""),
            "large" => said(200, json, &"x".repeat(10_000_000)),
            "stream-ends" => said(200, "text/event-stream", ": nothing\n\n"),
            "large-event" => said(200, "text/event-stream", &format!("data: {}", "x".repeat(10_000_000))),
            "event-not-json" => {
                let events = format!("data: here I am\n\ndata: {}\n\n", result(json!({ "content": [] })));
                said(200, "text/event-stream", &events)
            }
            "gateway" => said(502, "text/html", "<html>"),
            "other-id" => said(200, json, &result(json!({ "content": [] })).replace(&id, "77")),
            "hangs" => std::future::pending().await,
            "stream-hangs" => {
                let (sender, body) = mpsc::channel(1);
                tokio::spawn(async move {
                    sender.send(": wait\n\n").await.unwrap();
                    sender.closed().await;
                });
                streamed(body)
            }
            "forgotten" => said(404, "", ""),
            other => unreachable!("{other}"),
        },
        _ => said(202, "", ""),
    }
}

fn said(status: u16, media_type: &str, body: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_owned()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    if !media_type.is_empty() {
        response.headers_mut().insert("content-type", media_type.parse().unwrap());
    }
    response
}

/// A stream of events that stays open as long as its pieces come.
fn streamed(mut pieces: mpsc::Receiver<&'static str>) -> Response<Body> {
    let pieces = futures_util::stream::poll_fn(move |context| {
        pieces.poll_recv(context).map(|piece| piece.map(|piece| Ok::<_, Infallible>(Bytes::from(piece))))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    response.headers_mut().insert("content-type", "text/event-stream; charset=utf-8".parse().unwrap());
    response
}

async fn connected() -> (Fake, Server) {
    let (fake, address) = fake("").await;
    let server = Server::over_http(address, Limits::default()).await.unwrap();
    (fake, server)
}

#[tokio::test]
async fn a_session_carries_its_id_its_version_and_the_token() {
    let (fake, server) = connected().await;
    assert_eq!(server.call("echo", text("hällo"), PATIENCE).await.unwrap().text, "hällo");
    server.close().await;
    let asked = fake.asked.lock().unwrap().clone();
    let header = |headers: &HeaderMap, name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    for (method, name, headers) in &asked {
        assert_eq!(header(headers, "authorization").unwrap(), "Bearer s3cret", "{method} {name}");
        let is_first = name == "initialize";
        assert_eq!(header(headers, "mcp-session-id").is_none(), is_first, "{method} {name}");
        assert_eq!(header(headers, "mcp-protocol-version").is_none(), is_first, "{method} {name}");
    }
    let methods: Vec<_> = asked.iter().map(|(method, name, _)| (method.as_str(), name.as_str())).collect();
    let posted: Vec<_> = methods.iter().filter(|(method, _)| *method == "POST").map(|(_, name)| *name).collect();
    assert_eq!(posted, ["initialize", "notifications/initialized", "tools/call"]);
    assert_eq!(methods.last(), Some(&("DELETE", "")));
}

#[tokio::test]
async fn a_start_that_fails_says_how() {
    let unreachable = |what: &str| McpError::Unreachable { what: what.to_owned() };
    let cases = [
        ("unauthorized", unreachable("HTTP 401 Unauthorized: its token is missing or is not accepted")),
        (
            "elsewhere",
            unreachable(
                "HTTP 307 Temporary Redirect: it points elsewhere, where nobody follows; name that address if it is right",
            ),
        ),
        ("busy", unreachable("HTTP 503 Service Unavailable")),
        (
            "page",
            McpError::Malformed { what: "its answer is `text/html`, neither JSON nor a stream of events".to_owned() },
        ),
        ("silent", McpError::TimedOut { step: Step::Start }),
    ];
    for (start, expected) in cases {
        let (_fake, address) = fake(start).await;
        let limits = Limits { start: Duration::from_secs(2), ..Limits::default() };
        assert_eq!(Server::over_http(address, limits).await.err(), Some(expected), "{start}");
    }
}

#[tokio::test]
async fn an_address_is_encrypted_or_of_this_machine() {
    let address =
        |url: &str, insecure| HttpAddress { url: url.parse().unwrap(), authorization: Authorization::None, insecure };
    let refused = [
        ("http://example.org/mcp", "its address is not encrypted: write `https`, or allow it for a private network"),
        (
            "http://127.0.0.1.example.org/mcp",
            "its address is not encrypted: write `https`, or allow it for a private network",
        ),
        ("https://me:pass@example.org/mcp", "its address holds a name or a password: give a bearer token instead"),
        ("ftp://localhost/mcp", "its address begins with neither `https` nor `http`"),
    ];
    for (url, what) in refused {
        let error = Server::over_http(address(url, false), Limits::default()).await.err();
        assert_eq!(error, Some(McpError::Unreachable { what: what.to_owned() }), "{url}");
    }
    // A port that nobody listens on any more: the address is tried.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let error = Server::over_http(address(&format!("http://localhost:{port}/"), false), Limits::default()).await.err();
    let Some(McpError::Unreachable { what }) = error else { panic!("{error:?}") };
    assert!(what.to_lowercase().contains("refused"), "{what}");
}

#[tokio::test]
async fn an_answer_that_is_wrong_harms_only_its_call() {
    let malformed = |what: &str| McpError::Malformed { what: what.to_owned() };
    let too_large = |what| McpError::TooLarge { what, max: "1048576 bytes".to_owned() };
    let cases = [
        ("refuses", McpError::Refused { code: -32602, message: "bad arguments".to_owned() }),
        ("not-json", malformed("the body of its answer is not JSON: ‹html›")),
        ("not-utf8", malformed("the body of its answer is not UTF-8, from byte 1 on")),
        ("empty", malformed("the body of its answer is empty")),
        ("accepted", malformed("it answered a request with HTTP 202 Accepted and no content")),
        ("large", too_large("the body of its answer")),
        ("large-event", too_large("an event of its stream")),
        ("stream-ends", malformed("its stream of events ended without the answer")),
        ("gateway", McpError::Lost { what: "HTTP 502 Bad Gateway".to_owned() }),
    ];
    let (_fake, server) = connected().await;
    for (tool, expected) in cases {
        // Only a server that refuses says that it did nothing.
        assert_eq!(expected.may_have_run(), tool != "refuses", "{tool}");
        assert_eq!(server.call(tool, nothing(), PATIENCE).await, Err(expected), "{tool}");
    }
    assert!(server.call("event-not-json", nothing(), PATIENCE).await.is_ok());
    for tool in ["hangs", "stream-hangs"] {
        let late = server.call(tool, nothing(), Duration::from_millis(100)).await;
        assert_eq!(late, Err(McpError::TimedOut { step: Step::Call }), "{tool}");
    }
    assert_eq!(server.call("echo", text("on"), PATIENCE).await.unwrap().text, "on");
}

#[tokio::test]
async fn an_answer_to_another_request_and_a_forgotten_session_end_the_connection() {
    let (_fake, server) = connected().await;
    let expected = McpError::Malformed { what: "it answered the request `77`, which was never made".to_owned() };
    assert_eq!(server.call("other-id", nothing(), PATIENCE).await, Err(expected.clone()));
    assert_eq!(server.closed().await, expected);

    let (_fake, server) = connected().await;
    let over = McpError::Unreachable { what: "its session is over".to_owned() };
    assert_eq!(server.call("forgotten", nothing(), PATIENCE).await, Err(over.clone()));
    assert_eq!(server.closed().await, over);
}

#[tokio::test]
async fn a_change_of_the_tools_is_heard() {
    let (fake, server) = connected().await;
    let mut changed = server.changed();
    let opened = async {
        loop {
            if let Some(notices) = fake.notices.lock().unwrap().clone() {
                return notices;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let notices = tokio::time::timeout(PATIENCE, opened).await.unwrap();
    let notice = "data: {\"jsonrpc\": \"2.0\", \"method\": \"notifications/tools/list_changed\"}\n\n";
    notices.send(notice).await.unwrap();
    tokio::time::timeout(PATIENCE, changed.changed()).await.unwrap().unwrap();
}
