//! A chat model's server that answers from a script, on a free port of this machine.
//!
//! Scripts are written as answers of OpenAI's chat completions. Asked in another API, by its path, it answers in that form.
//!
//! Each request takes the next script, so that a test reads as the conversation it describes. What was asked is
//! kept for the test to look at.

#![expect(clippy::unwrap_used, reason = "a test whose server cannot run should stop there")]

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream::{self, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::support::other_apis;

/// The only key that the server knows.
pub(crate) const KEY: &str = "sk-the-one-key-of-these-tests";

/// The tool by which the bot finds out how a model calls tools.
const PROBE: &str = "ready";

/// The question by which the bot finds out whether a model takes images.
const IMAGE_PROBE: &str = "Which colour fills this image?";

/// A running server. It stops when it is dropped.
pub(crate) struct ScriptedModel {
    base_url: String,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

struct Shared {
    scripts: Mutex<VecDeque<Script>>,
    /// What is wrong with a request's messages, if anything is. A request that is refused takes no script.
    refuses: fn(&[Value]) -> Option<String>,
    /// The answer to each probe of how the model calls tools. A probe takes no script and is not kept.
    probed: Script,
    /// Whether the model sees the picture of a probe of that.
    sees: bool,
    /// How often that was probed.
    n_shown: Mutex<usize>,
    asked: Mutex<Vec<Asked>>,
}

/// A request as it arrived.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) body: Value,
    pub(crate) authorization: Authorization,
    pub(crate) headers: HeaderMap,
}

/// What a request's `Authorization` header said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Authorization {
    /// There was none.
    Absent,
    /// `Bearer` and [`KEY`].
    Expected,
    /// Something else.
    Other,
}

/// One answer of the server.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    delivery: Delivery,
}

/// How an answer's body is sent.
#[derive(Clone, Debug)]
enum Delivery {
    Whole,
    /// One half, then the connection breaks.
    BrokenOff,
    /// A byte at a time.
    Dripped(Duration),
    /// Not even the status is sent.
    Never,
    /// In these pieces.
    Pieces(Vec<Piece>),
}

/// A piece of an answer's body.
#[derive(Clone, Debug)]
enum Piece {
    Bytes(Vec<u8>),
    /// Nothing, until the test says so.
    Wait(Arc<Notify>),
    /// The connection breaks.
    Break,
}

impl Script {
    /// A whole and ordinary answer with these words.
    pub(crate) fn says(words: &str) -> Self {
        Self::finish("stop", words)
    }

    /// Calls of these tools in the API's own form, each with an id and its arguments as JSON text.
    pub(crate) fn calls(calls: &[(&str, Value)]) -> Self {
        let call = |(n, (name, arguments)): (usize, &(&str, Value))| {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            json!({"id": format!("call_{n}"), "type": "function", "function": function})
        };
        let calls: Vec<_> = (1..).zip(calls).map(call).collect();
        Self::message("tool_calls", json!({"role": "assistant", "content": null, "tool_calls": calls}))
    }

    /// These events as a stream, with `[DONE]` behind them.
    pub(crate) fn stream(events: &[Value]) -> Self {
        let events = events.iter().map(|event| format!("data: {event}\n\n"));
        Self::events(events.chain(["data: [DONE]\n\n".to_owned()]).collect::<String>())
    }

    /// These words as a stream, a piece of them in each event, that has not ended yet.
    pub(crate) fn writes(words: &[&str]) -> Self {
        Self::events("").and(words)
    }

    /// More words of it.
    #[must_use]
    pub(crate) fn and(self, words: &[&str]) -> Self {
        let event = |words: &&str| json!({"choices": [{"index": 0, "delta": {"content": words}}]});
        words.iter().map(event).fold(self, |script, event| script.piece(format!("data: {event}\n\n")))
    }

    /// The end of a stream, for this reason.
    #[must_use]
    pub(crate) fn ends(self, reason: &str) -> Self {
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
        self.piece(format!("data: {end}\n\ndata: [DONE]\n\n"))
    }

    /// These bytes on their own.
    #[must_use]
    pub(crate) fn piece(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.then(Piece::Bytes(bytes.into()))
    }

    /// Nothing more until the test says so: perhaps never.
    #[must_use]
    pub(crate) fn waits(self, go_on: &Arc<Notify>) -> Self {
        self.then(Piece::Wait(Arc::clone(go_on)))
    }

    /// The connection breaks here.
    #[must_use]
    pub(crate) fn breaks(self) -> Self {
        self.then(Piece::Break)
    }

    fn then(mut self, piece: Piece) -> Self {
        match &mut self.delivery {
            Delivery::Pieces(pieces) => pieces.push(piece),
            _ => self.delivery = Delivery::Pieces(vec![piece]),
        }
        self
    }

    /// These bytes as a stream of events.
    pub(crate) fn events(body: impl Into<Vec<u8>>) -> Self {
        Self::raw(body).header("content-type", "text/event-stream")
    }

    /// These words, ended for this reason.
    pub(crate) fn finish(reason: impl Into<Value>, words: &str) -> Self {
        Self::message(reason, json!({"role": "assistant", "content": words}))
    }

    /// This message, ended for this reason.
    pub(crate) fn message(reason: impl Into<Value>, message: Value) -> Self {
        let choice = json!({"index": 0, "message": message, "finish_reason": reason.into()});
        Self::json(json!({"id": "1", "object": "chat.completion", "choices": [choice], "usage": {"total_tokens": 2}}))
    }

    /// This JSON, whatever it is.
    pub(crate) fn json(body: Value) -> Self {
        Self::raw(body.to_string()).header("content-type", "application/json")
    }

    /// These bytes, whatever they are.
    pub(crate) fn raw(body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, headers: Vec::new(), body: body.into(), delivery: Delivery::Whole }
    }

    /// This status, with an error as OpenAI writes one.
    pub(crate) fn status(status: u16) -> Self {
        let error = json!({"error": {"message": format!("scripted status {status}"), "type": "scripted"}});
        Self { status, ..Self::json(error) }
    }

    /// This status, with an error that says this.
    pub(crate) fn error(status: u16, message: &str) -> Self {
        let error = json!({"error": {"code": status, "message": message, "type": "invalid_request_error"}});
        Self { status, ..Self::json(error) }
    }

    /// No answer at all, for as long as the client waits.
    pub(crate) fn never() -> Self {
        Self { delivery: Delivery::Never, ..Self::raw("") }
    }

    #[must_use]
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Another status than success.
    #[must_use]
    pub(crate) fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The body is packed by gzip.
    #[must_use]
    pub(crate) fn packed(self) -> Self {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(&self.body).unwrap();
        Self { body: packer.finish().unwrap(), ..self }.header("content-encoding", "gzip")
    }

    /// The same in the form of the API that has this path, if the body is an answer of chat completions.
    fn in_form(self, path: &str) -> Self {
        let answer = serde_json::from_slice(&self.body).unwrap_or_default();
        match other_apis::in_form(path, &answer) {
            Some(events) => Self { body: events.into_bytes(), headers: Vec::new(), ..self }
                .header("content-type", "text/event-stream"),
            None => self,
        }
    }

    /// The body lacks its last bytes, and nothing says so.
    #[must_use]
    pub(crate) fn cut(mut self, n_bytes: usize) -> Self {
        self.body.truncate(self.body.len() - n_bytes);
        self
    }

    /// The connection breaks when half of the body was sent.
    #[must_use]
    pub(crate) fn broken_off(self) -> Self {
        Self { delivery: Delivery::BrokenOff, ..self }
    }

    /// The body is sent byte by byte with this pause between two of them.
    #[must_use]
    pub(crate) fn dripped(self, pause: Duration) -> Self {
        Self { delivery: Delivery::Dripped(pause), ..self }
    }
}

impl ScriptedModel {
    /// Starts a server that gives these answers in this order. Any further request is answered with status 500.
    pub(crate) async fn start(scripts: Vec<Script>) -> Self {
        Self::start_refusing(scripts, |_| None).await
    }

    /// The same, but this is the answer to each probe of how the model calls tools, in place of a call.
    pub(crate) async fn start_probed(scripts: Vec<Script>, probed: Script) -> Self {
        Self::start_with(scripts, |_| None, probed, false).await
    }

    /// The same with a model that sees pictures.
    pub(crate) async fn start_seeing(scripts: Vec<Script>) -> Self {
        Self::start_with(scripts, |_| None, Script::calls(&[(PROBE, json!({}))]), true).await
    }

    /// The same, but what `refuses` finds wrong with a request's messages is answered with status 400.
    pub(crate) async fn start_refusing(scripts: Vec<Script>, refuses: fn(&[Value]) -> Option<String>) -> Self {
        Self::start_with(scripts, refuses, Script::calls(&[(PROBE, json!({}))]), false).await
    }

    async fn start_with(
        scripts: Vec<Script>,
        refuses: fn(&[Value]) -> Option<String>,
        probed: Script,
        sees: bool,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (scripts, n_shown, asked) = (Mutex::new(scripts.into()), Mutex::default(), Mutex::default());
        let shared = Arc::new(Shared { scripts, refuses, probed, sees, n_shown, asked });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { base_url, shared, serving }
    }

    /// The address for `[model] base_url`: with `/v1`, without a slash behind it.
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// How many answers were not asked for yet.
    pub(crate) fn n_left(&self) -> usize {
        self.shared.scripts.lock().unwrap().len()
    }

    /// How often it was asked whether the model takes images.
    pub(crate) fn n_shown(&self) -> usize {
        *self.shared.n_shown.lock().unwrap()
    }

    /// Everything that was asked so far, in order: each with the JSON body that the bot sent.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap().clone()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let authorization = match headers.get(header::AUTHORIZATION) {
        None => Authorization::Absent,
        Some(value) if *value == format!("Bearer {KEY}") => Authorization::Expected,
        Some(_) => Authorization::Other,
    };
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = uri.path();
    let problem = other_apis::problem(path, &headers, &body);
    let tool = &body["tools"][0];
    if problem.is_none() && (tool["function"]["name"] == PROBE || tool["name"] == PROBE) {
        return deliver(shared.probed.clone().in_form(path)).await;
    }
    if asks_for_a_colour(&body) {
        *shared.n_shown.lock().unwrap() += 1;
        return deliver(Script::says(if shared.sees { "Orange." } else { "I see no image." }).in_form(path)).await;
    }
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let refused = problem.or_else(|| (shared.refuses)(messages));
    shared.asked.lock().unwrap().push(Asked { path: path.to_owned(), body, authorization, headers });
    if let Some(why) = refused {
        return deliver(Script::error(400, &why)).await;
    }
    let script = shared.scripts.lock().unwrap().pop_front();
    deliver(script.unwrap_or_else(|| Script::status(500)).in_form(path)).await
}

/// Whether it is found out whether the model takes images, in whichever API.
fn asks_for_a_colour(body: &Value) -> bool {
    let parts = [&body["messages"], &body["input"]].map(|messages| messages[0]["content"].as_array());
    let mut texts = parts.into_iter().flatten().flatten().filter_map(|part| part["text"].as_str());
    texts.any(|text| text.starts_with(IMAGE_PROBE))
}

async fn deliver(script: Script) -> Response {
    let Script { status, headers, body, delivery } = script;
    let body = match delivery {
        Delivery::Never => std::future::pending().await,
        Delivery::Whole => Body::from(body),
        Delivery::BrokenOff => {
            let half = Bytes::copy_from_slice(body.split_at(body.len() / 2).0);
            Body::from_stream(stream::iter([half]).map(Ok).chain(stream::once(async {
                // While the body is not ready the server sends what it has; without this not even the status would go.
                tokio::task::yield_now().await;
                Err(io::Error::other("broken off by the script"))
            })))
        }
        Delivery::Pieces(pieces) => Body::from_stream(stream::iter(pieces).then(|piece| async move {
            match piece {
                Piece::Bytes(bytes) => Ok(Bytes::from(bytes)),
                Piece::Wait(go_on) => {
                    go_on.notified().await;
                    Ok(Bytes::new())
                }
                Piece::Break => {
                    // So that what was sent so far goes out.
                    tokio::task::yield_now().await;
                    Err(io::Error::other("broken off by the script"))
                }
            }
        })),
        Delivery::Dripped(pause) => Body::from_stream(stream::iter(body).then(move |byte| async move {
            tokio::time::sleep(pause).await;
            Ok::<_, io::Error>(Bytes::copy_from_slice(&[byte]))
        })),
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    for (name, value) in headers {
        response.headers_mut().insert(name, value.parse().unwrap());
    }
    response
}
