//! A collector on a free port of this machine, which is also the server of a chat model that answers from a script.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::protobuf::{Field, bytes_of, fields, text_of};

/// A model's answer that calls a tool.
pub(crate) fn calls(tool: &str, arguments: Value) -> Value {
    let function = json!({"name": tool, "arguments": arguments.to_string()});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": function}]});
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107});
    json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}], "usage": usage})
}

/// A model's answer in words.
pub(crate) fn says(words: &str) -> Value {
    let message = json!({"role": "assistant", "content": words});
    let usage = json!({"prompt_tokens": 120, "completion_tokens": 9, "total_tokens": 129});
    json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage})
}

#[derive(Default)]
struct Shared {
    scripts: Mutex<VecDeque<Value>>,
    exports: Mutex<Vec<u8>>,
}

/// The running server. It stops when it is dropped.
pub(crate) struct Collector {
    address: SocketAddr,
    shared: Arc<Shared>,
    _runtime: Runtime,
}

/// Everything that was exported. Several requests are one message, as protobuf has it.
pub(crate) struct Exported {
    pub(crate) bytes: Vec<u8>,
    pub(crate) service: String,
    pub(crate) spans: Vec<Span>,
}

/// A span as it arrived.
#[derive(Debug)]
pub(crate) struct Span {
    id: Vec<u8>,
    parent: Vec<u8>,
    pub(crate) name: String,
    pub(crate) kind: u64,
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) is_error: bool,
    /// It has an event, a link, or the description of an error.
    pub(crate) has_more: bool,
}

impl Collector {
    /// The model answers with these, in order, and then no more.
    pub(crate) fn start(scripts: Vec<Value>) -> Self {
        let runtime = Runtime::new().unwrap();
        let shared = Arc::new(Shared { scripts: Mutex::new(scripts.into()), ..Shared::default() });
        let app = Router::new()
            .route("/v1/traces", post(take))
            .route("/v1/chat/completions", post(answer))
            .with_state(shared.clone());
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self { address, shared, _runtime: runtime }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn exported(&self) -> Exported {
        let bytes = self.shared.exports.lock().unwrap().clone();
        let mut spans = Vec::new();
        let mut service = String::new();
        for of_resource in bytes_of(&bytes, 1) {
            for resource in bytes_of(of_resource, 1) {
                let attributes = attributes(&bytes_of(resource, 1));
                service = attributes.get("service.name").cloned().unwrap_or_default();
            }
            for scope in bytes_of(of_resource, 2) {
                spans.extend(bytes_of(scope, 2).into_iter().map(Span::read));
            }
        }
        Exported { bytes, service, spans }
    }
}

impl Span {
    pub(crate) const INTERNAL: u64 = 1;
    pub(crate) const SERVER: u64 = 2;
    pub(crate) const CLIENT: u64 = 3;

    fn read(span: &[u8]) -> Self {
        let bytes = |number| bytes_of(span, number).first().map(|bytes| bytes.to_vec()).unwrap_or_default();
        let number = |message: &[u8], wanted| {
            fields(message).into_iter().find_map(|field| match field {
                Field::Number(number, value) if number == wanted => Some(value),
                _ => None,
            })
        };
        let status = bytes(15);
        let has_text = !text_of(&status, 2).is_empty();
        Self {
            id: bytes(2),
            parent: bytes(4),
            name: text_of(span, 5),
            kind: number(span, 6).unwrap_or_default(),
            attributes: attributes(&bytes_of(span, 9)),
            is_error: number(&status, 3) == Some(2),
            has_more: has_text || !bytes_of(span, 11).is_empty() || !bytes_of(span, 13).is_empty(),
        }
    }

    /// Its name behind those of the spans that it is part of.
    pub(crate) fn path(&self, spans: &[Self]) -> String {
        match spans.iter().find(|span| span.id == self.parent) {
            Some(parent) => format!("{} > {}", parent.path(spans), self.name),
            None if self.parent.is_empty() => self.name.clone(),
            None => format!("… > {}", self.name),
        }
    }

    /// The value of an attribute; empty if it is not there.
    pub(crate) fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
}

fn attributes(pairs: &[&[u8]]) -> BTreeMap<String, String> {
    let value = |pair: &&[u8]| bytes_of(pair, 2).first().map(|value| shown(value)).unwrap_or_default();
    pairs.iter().map(|pair| (text_of(pair, 1), value(pair))).collect()
}

/// An attribute's value as text; a list in brackets.
fn shown(value: &[u8]) -> String {
    match fields(value).first() {
        Some(Field::Bytes(1, text)) => String::from_utf8(text.to_vec()).unwrap(),
        Some(Field::Bytes(5, list)) => {
            format!("[{}]", bytes_of(list, 1).into_iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        Some(Field::Number(_, number)) => number.to_string(),
        other => panic!("{other:?}"),
    }
}

async fn take(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    if headers.get("content-type").is_none_or(|form| form != "application/x-protobuf") {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE;
    }
    shared.exports.lock().unwrap().extend_from_slice(&body);
    StatusCode::OK
}

async fn answer(State(shared): State<Arc<Shared>>) -> Result<Json<Value>, StatusCode> {
    shared.scripts.lock().unwrap().pop_front().map(Json).ok_or(StatusCode::BAD_REQUEST)
}
