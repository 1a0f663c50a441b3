//! Stands between the bot and the model's server: keeps every request, and puts the model under pressure.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::IntoResponse;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::server::Server;

/// The first token of a call in `tests/real_model/tools.jinja`.
const CALL_MARK: &str = "<jupyter_code>";

/// How fond of that token a model is made: nothing else comes to its mind. Texts in arguments would be full of it, too.
const FONDNESS: u32 = 20;

/// How the model is brought to call tools. It still chooses which.
#[derive(Clone, Copy)]
pub(super) enum Pressure {
    /// Not at all.
    Leave,
    /// Its first answer of the turn is a call.
    Call,
    /// Each of its answers is a call of something that was never offered.
    Invent,
}

/// A request of the bot as it arrived, and the status of its answer.
pub(super) struct Asked {
    pub(super) request: Value,
    pub(super) status: u16,
}

/// A running proxy. It stops when it is dropped.
pub(super) struct Proxy {
    base_url: String,
    shared: Arc<Shared>,
    _runtime: Runtime,
}

struct Shared {
    upstream: String,
    client: reqwest::Client,
    call_mark: Value,
    pressure: Mutex<Pressure>,
    asked: Mutex<Vec<Asked>>,
}

impl Proxy {
    /// Starts one in front of this server.
    pub(super) fn start(server: &Server) -> Self {
        let runtime = Runtime::new().unwrap();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let upstream = server.url().to_owned();
        let call_mark = runtime.block_on(token(&client, &upstream));
        let shared = Arc::new(Shared {
            upstream,
            client,
            call_mark,
            pressure: Mutex::new(Pressure::Leave),
            asked: Mutex::default(),
        });
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let router = Router::new().fallback(pass_on).with_state(Arc::clone(&shared));
        runtime.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { base_url, shared, _runtime: runtime }
    }

    /// The address for `[model] base_url`.
    pub(super) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The pressure of the turn that comes next.
    pub(super) fn press(&self, pressure: Pressure) {
        *self.shared.pressure.lock().unwrap() = pressure;
    }

    /// What was asked since the last time.
    pub(super) fn take(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.shared.asked.lock().unwrap())
    }
}

/// The number of the call's mark in the model's vocabulary.
async fn token(client: &reqwest::Client, upstream: &str) -> Value {
    let text = json!({"content": CALL_MARK, "parse_special": true});
    let answer = client.post(format!("{upstream}/tokenize")).json(&text).send().await.unwrap();
    let tokens: Value = answer.json().await.unwrap();
    assert_eq!(tokens["tokens"].as_array().map(Vec::len), Some(1), "{CALL_MARK} is one token: {tokens}");
    tokens["tokens"][0].clone()
}

async fn pass_on(State(shared): State<Arc<Shared>>, uri: Uri, body: Bytes) -> impl IntoResponse {
    let request: Value = serde_json::from_slice(&body).unwrap();
    let pressed = shared.pressed(&request);
    let answer = shared.client.post(format!("{}{uri}", shared.upstream)).json(&pressed).send().await.unwrap();
    let status = answer.status();
    let answer = answer.bytes().await.unwrap();
    shared.asked.lock().unwrap().push(Asked { request, status: status.as_u16() });
    (StatusCode::from_u16(status.as_u16()).unwrap(), [(header::CONTENT_TYPE, "application/json")], answer)
}

impl Shared {
    /// The request as the model's server gets it.
    fn pressed(&self, request: &Value) -> Value {
        let is_first = self.asked.lock().unwrap().is_empty();
        let has_tools = request.get("tools").is_some();
        let mut pressed = request.clone();
        match *self.pressure.lock().unwrap() {
            Pressure::Call if is_first && has_tools => {
                for tool in pressed["tools"].as_array_mut().unwrap() {
                    tool["function"]["parameters"] = no_arguments();
                }
                pressed["logit_bias"] = json!([[self.call_mark, FONDNESS]]);
            }
            Pressure::Call if is_first => pressed["grammar"] = block(r#""status" | "tasks_list""#).into(),
            Pressure::Invent if has_tools => {
                pressed["tools"] = json!([drop_table()]);
                pressed["logit_bias"] = json!([[self.call_mark, FONDNESS]]);
            }
            Pressure::Invent => pressed["grammar"] = block("[a-z_]{4,16}").into(),
            // This model does not know when to stop; an answer that is cut off is shown to nobody.
            Pressure::Leave | Pressure::Call => pressed["stop"] = json!(["\n\n"]),
        }
        pressed
    }
}

/// A tool that the bot does not have.
fn drop_table() -> Value {
    json!({"type": "function", "function": {
        "name": "drop_table", "description": "Drop a table", "parameters": no_arguments()
    }})
}

fn no_arguments() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

/// The grammar of a block of the text protocol with one call, of a name by this rule.
fn block(name: &str) -> String {
    format!(
        r#"root ::= "{{\"reasoning\": \"" words "\", \"tool_calls\": [{{\"tool\": \"" name "\", \"parameters\": {{}}}}]}}"
words ::= [a-zA-Z ]{{4,24}}
name ::= {name}"#
    )
}
