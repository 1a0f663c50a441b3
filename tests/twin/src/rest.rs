//! The REST side: one entrance that checks, routes and records every request.

mod applications;
mod body;
mod channels;
mod commands;
mod interactions;

pub(crate) use commands::stored_command;

use crate::errors::Refusal;
use crate::fault::FaultAnswer;
use crate::payload;
use crate::record::Recorded;
use crate::state::State;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::Arc;

/// What all paths of this version begin with.
pub(crate) const BASE: &str = "/api/v10";

/// An accepted request's answer.
pub(crate) enum Answer {
    Json(u16, Value),
    Empty,
}

pub(crate) type Outcome = Result<Answer, Refusal>;

/// One request as the routes see it.
pub(crate) struct Call<'a> {
    pub(crate) state: &'a State,
    pub(crate) query: &'a str,
    pub(crate) body: &'a Value,
    pub(crate) has_files: bool,
}

impl Call<'_> {
    /// Whether the query says `key=true`.
    pub(crate) fn flag(&self, key: &str) -> bool {
        self.query.split('&').filter_map(|pair| pair.split_once('=')).any(|pair| pair == (key, "true"))
    }
}

/// Answers one request and records it.
pub(crate) async fn handle(state: Arc<State>, method: Method, uri: Uri, headers: HeaderMap, bytes: Bytes) -> Response {
    let path = uri.path().strip_prefix(BASE);
    let shown = path.unwrap_or(uri.path()).to_owned();
    let (delay, fault) = {
        let mut faults = state.faults();
        (faults.delay_for(method.as_str(), &shown), faults.take(method.as_str(), &shown))
    };
    let authorized = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.starts_with("Bot ") && state.options.accepts(value));
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let parsed = body::parse(content_type, &bytes);
    let injected = fault.is_some();
    let (status, body, retry_after) = match fault {
        Some(FaultAnswer { status, body, retry_after }) => (status, body, retry_after),
        None => {
            let query = uri.query().unwrap_or_default();
            let call = Call { state: &state, query, body: &parsed.json, has_files: parsed.has_files };
            let (status, body) = flat(decide(&call, &method, path, authorized, parsed.is_broken));
            (status, body, None)
        }
    };
    let refusal = (status >= 400).then(|| body.clone());
    let message_id = if injected || refusal.is_some() { None } else { message_of(&state, &shown, &body) };
    state.journal().push(Recorded {
        n: 0,
        at_ms: u64::try_from(state.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        method: method.as_str().to_owned(),
        path: shown,
        query: uri.query().map(str::to_owned),
        authorized,
        body: parsed.json,
        status,
        code: refusal.as_ref().and_then(|body| body["code"].as_i64()),
        refusal,
        message_id,
        injected,
    });
    state.changed.notify_waiters();
    if let Some(delay) = delay {
        tokio::time::sleep(delay).await;
    }
    respond(status, &body, retry_after)
}

/// The message that an accepted request created or changed.
fn message_of(state: &State, path: &str, answer: &Value) -> Option<u64> {
    let steps: Vec<&str> = path.split('/').skip(1).collect();
    let id = match steps.as_slice() {
        ["interactions", _, token, "callback"] => state.world().tickets.get(*token)?.original.clone()?,
        ["webhooks", ..] | ["channels", _, "messages", ..] => match answer["id"].as_str() {
            Some(id) => id.to_owned(),
            // A message that was taken away is only in the path.
            None => (*steps.last()?).to_owned(),
        },
        _ => return None,
    };
    id.parse().ok()
}

fn flat(outcome: Outcome) -> (u16, Value) {
    match outcome {
        Ok(Answer::Json(status, body)) => (status, body),
        Ok(Answer::Empty) => (204, Value::Null),
        Err(refusal) => (refusal.status, refusal.body()),
    }
}

fn respond(status: u16, body: &Value, retry_after: Option<String>) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = if body.is_null() { status.into_response() } else { (status, axum::Json(body)).into_response() };
    if let Some(seconds) = retry_after.and_then(|seconds| seconds.parse().ok()) {
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    response
}

fn decide(call: &Call<'_>, method: &Method, path: Option<&str>, authorized: bool, is_broken: bool) -> Outcome {
    let Some(path) = path else { return Err(Refusal::not_found()) };
    let steps: Vec<&str> = path.split('/').skip(1).collect();
    // The token in these paths is what authorizes them; the address of the gateway is public.
    let is_open = matches!(steps.as_slice(), ["interactions" | "webhooks", ..] | ["gateway"]);
    if !authorized && !is_open {
        return Err(Refusal::unauthorized());
    }
    if is_broken {
        return Err(Refusal::new(400, 50109, "The request body contains invalid JSON."));
    }
    route(call, method.as_str(), &steps)
}

fn route(call: &Call<'_>, method: &str, steps: &[&str]) -> Outcome {
    let gateway = call.state.gateway_url();
    match (method, steps) {
        ("GET", ["gateway"]) => Ok(Answer::Json(200, json!({"url": gateway}))),
        ("GET", ["gateway", "bot"]) => {
            let limit = json!({"total": 1000, "remaining": 999, "reset_after": 86_400_000, "max_concurrency": 1});
            let body = json!({"url": gateway, "shards": call.state.options.shards, "session_start_limit": limit});
            Ok(Answer::Json(200, body))
        }
        ("GET", ["users", "@me"]) => Ok(Answer::Json(200, payload::current_user())),
        ("POST", ["users", "@me", "channels"]) => Ok(Answer::Json(200, payload::dm_channel(payload::DM_CHANNEL_ID))),
        (_, ["oauth2", "applications", "@me"] | ["applications", ..]) => applications::route(call, method, steps),
        ("POST", ["interactions", id, token, "callback"]) => interactions::callback(call, id, token),
        (_, ["webhooks", application, token, rest @ ..]) => {
            interactions::webhook(call, method, application, token, rest)
        }
        (_, ["channels", channel, rest @ ..]) => channels::route(call, method, channel, rest),
        _ => Err(Refusal::not_found()),
    }
}
