//! A server of MCP that is signed in to by OAuth, with its authorization server, in a few lines of axum. It has one tool,
//! `echo`; whoever comes with the code `c0de` is let in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use url::Url;

/// The server.
#[derive(Clone)]
pub(crate) struct Fake {
    url: Url,
    state: Arc<Mutex<Known>>,
}

/// What it knows.
#[derive(Default)]
pub(crate) struct Known {
    /// How long its tokens hold, in seconds.
    pub(crate) expires_in: u64,
    /// The token that it accepts now, by its number.
    pub(crate) accepted: u64,
    /// How many tokens it gave, and by which grants.
    pub(crate) grants: Vec<String>,
    /// Whether it takes refresh tokens no more.
    pub(crate) is_revoked: bool,
    /// Where it says that people sign in, and that tokens are, in place of its own addresses.
    pub(crate) authorization_endpoint: Option<String>,
    pub(crate) token_endpoint: Option<String>,
}

/// Starts it on a free port.
pub(crate) async fn fake() -> Fake {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    let fake = Fake { url, state: Arc::new(Mutex::new(Known { expires_in: 3_600, ..Known::default() })) };
    let router = Router::new()
        .route("/mcp", post(mcp))
        .route("/.well-known/oauth-protected-resource/mcp", get(resource))
        .route("/.well-known/oauth-authorization-server", get(authorization_server))
        .route("/register", post(register))
        .route("/token", post(token))
        .with_state(fake.clone());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    fake
}

impl Fake {
    pub(crate) fn at(&self, path: &str) -> String {
        self.url.join(path).unwrap().to_string()
    }

    pub(crate) fn known<T>(&self, of: impl FnOnce(&mut Known) -> T) -> T {
        of(&mut self.state.lock().unwrap())
    }
}

async fn resource(State(fake): State<Fake>) -> Json<Value> {
    Json(json!({ "resource": fake.at("mcp"), "authorization_servers": [fake.at("")], "scopes_supported": ["dice"] }))
}

async fn authorization_server(State(fake): State<Fake>) -> Json<Value> {
    let named = fake.known(|known| [known.authorization_endpoint.clone(), known.token_endpoint.clone()]);
    let [authorize, token] = named;
    Json(json!({
        "issuer": fake.at(""),
        "authorization_endpoint": authorize.unwrap_or_else(|| fake.at("authorize")),
        "token_endpoint": token.unwrap_or_else(|| fake.at("token")),
        "registration_endpoint": fake.at("register"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    }))
}

async fn register(Json(asked): Json<Value>) -> Json<Value> {
    assert_eq!(asked["client_name"], "Candor");
    Json(json!({ "client_id": "candor-7", "redirect_uris": asked["redirect_uris"] }))
}

async fn token(State(fake): State<Fake>, body: Bytes) -> Response {
    let asked: HashMap<String, String> = url::form_urlencoded::parse(&body).into_owned().collect();
    assert_eq!(asked["client_id"], "candor-7");
    let is_right = match asked["grant_type"].as_str() {
        "authorization_code" => asked["code"] == "c0de" && !asked["code_verifier"].is_empty(),
        "client_credentials" => asked["client_secret"] == "s3cret" && asked["scope"] == "dice",
        "refresh_token" => asked["refresh_token"] == "refresh" && !fake.known(|known| known.is_revoked),
        _ => false,
    };
    if !is_right {
        return (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_grant" }))).into_response();
    }
    let (n, expires_in) = fake.known(|known| {
        known.grants.push(asked["grant_type"].clone());
        known.accepted += 1;
        (known.accepted, known.expires_in)
    });
    let token = json!({
        "access_token": format!("token-{n}"),
        "token_type": "Bearer",
        "expires_in": expires_in,
        "refresh_token": (asked["grant_type"] != "client_credentials").then_some("refresh"),
    });
    Json(token).into_response()
}

async fn mcp(State(fake): State<Fake>, headers: HeaderMap, body: Bytes) -> Response {
    let wanted = format!("Bearer token-{}", fake.known(|known| known.accepted));
    if headers.get(header::AUTHORIZATION).is_none_or(|given| given.as_bytes() != wanted.as_bytes()) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "fake", "version": "1" },
        }),
        "tools/list" => json!({ "tools": [{ "name": "echo", "inputSchema": { "type": "object", "properties": {
            "text": { "type": "string" },
        } } }] }),
        "tools/call" => json!({ "content": [{ "type": "text", "text": message["params"]["arguments"]["text"] }] }),
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    Json(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).into_response()
}
