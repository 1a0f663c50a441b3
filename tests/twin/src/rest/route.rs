//! Takes each request: reads it, holds it to the rate limits, routes it and records it with its answer.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use crate::record::Recorded;
use crate::rest::errors::Refusal;
use crate::rest::rate::Verdict;
use crate::rest::{Reply, SentFile, applications, channels, interactions, parse};
use crate::twin::state::State;
use crate::{load, payload};

/// The prefix of all paths of this API version.
pub(crate) const BASE: &str = "/api/v10";

/// The prefix of the paths of files.
const FILES: &str = "/files";

/// The answer to an accepted request.
pub(crate) enum Answer {
    Json(u16, Value),
    Empty,
}

pub(crate) type Outcome = Result<Answer, Refusal>;

/// The parts of a request that the routes need.
pub(crate) struct Call<'a> {
    pub(crate) state: &'a State,
    pub(crate) query: &'a str,
    pub(crate) body: &'a Value,
    pub(crate) files: &'a [SentFile],
}

impl Call<'_> {
    /// Whether the query says `key=true`.
    pub(crate) fn flag(&self, key: &str) -> bool {
        says(self.query, key)
    }
}

/// Whether a query says `key=true`, or `key=1` as discord.py writes it.
pub(crate) fn says(query: &str, key: &str) -> bool {
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .any(|(name, value)| name == key && matches!(value, "true" | "1"))
}

/// Answers one request and records it.
pub(crate) async fn handle(state: Arc<State>, method: Method, uri: Uri, headers: HeaderMap, bytes: Bytes) -> Response {
    if let Some(reply) = load::meter::answered(&state, &method, &uri, &headers, &bytes) {
        return reply.into_response();
    }
    if let Some(path) = uri.path().strip_prefix(FILES) {
        return file(&state, path);
    }
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
    let parsed = parse(content_type(&headers), &bytes);
    let injected = fault.is_some();
    let segments: Vec<&str> = shown.split('/').skip(1).collect();
    let is_carried_out = fault.as_ref().is_none_or(|fault| fault.is_carried_out);
    let carried_out = is_carried_out.then(|| {
        let standing =
            state.limiter().pass(&state.options.rate_limits, method.as_str(), &segments, payload::snowflake::now_ms());
        let query = uri.query().unwrap_or_default();
        let call = Call { state: &state, query, body: &parsed.json, files: &parsed.files };
        let outcome = match standing.verdict {
            Verdict::Allowed => decide(&call, &method, path, authorized, parsed.is_broken),
            verdict => {
                let seconds = Duration::from_millis(standing.reset_after_ms).as_secs_f64();
                Err(Refusal::rate_limited(seconds, verdict == Verdict::Global))
            }
        };
        Reply::of(outcome, &standing)
    });
    let accepted = carried_out.as_ref().filter(|reply| reply.status < 400);
    let message_id = accepted.and_then(|reply| message_of(&state, &shown, &reply.body));
    let Some(mut reply) = fault.map(Reply::injected).or(carried_out) else {
        unreachable!("a request without a fault is carried out")
    };
    if reply.is_invalid() {
        state.world().n_invalid += 1;
    }
    let (status, body) = (reply.status, &reply.body);
    let refusal = (status >= 400).then(|| body.clone());
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
        rule: reply.rule.take(),
        files: parsed.files,
        message_id,
        injected,
    });
    state.changed.notify_waiters();
    if let Some(delay) = delay {
        tokio::time::sleep(delay).await;
    }
    reply.into_response()
}

/// A file of a message. Whoever knows the address may read it.
fn file(state: &State, path: &str) -> Response {
    match state.world().files.get(path) {
        Some(content) => content.clone().into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The content type of a request, empty if it has none.
pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The id of the message that an accepted request created, edited or deleted.
fn message_of(state: &State, path: &str, answer: &Value) -> Option<u64> {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let id = match segments.as_slice() {
        ["interactions", _, token, "callback"] => state.world().interactions.get(*token)?.original.clone()?,
        ["webhooks", ..] | ["channels", _, "messages", ..] => match answer["id"].as_str() {
            Some(id) => id.to_owned(),
            // After a DELETE, the id is only in the path.
            None => (*segments.last()?).to_owned(),
        },
        _ => return None,
    };
    id.parse().ok()
}

fn decide(call: &Call<'_>, method: &Method, path: Option<&str>, authorized: bool, is_broken: bool) -> Outcome {
    let Some(path) = path else { return Err(Refusal::not_found()) };
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    // Interaction paths are authorized by the token in the path, and `GET /gateway` is public.
    let is_open = matches!(segments.as_slice(), ["interactions" | "webhooks", ..] | ["gateway"]);
    if !authorized && !is_open {
        return Err(Refusal::unauthorized());
    }
    if is_broken {
        return Err(Refusal::new(400, 50109, "The request body contains invalid JSON."));
    }
    route(call, method.as_str(), &segments)
}

fn route(call: &Call<'_>, method: &str, segments: &[&str]) -> Outcome {
    let gateway = call.state.gateway_url();
    match (method, segments) {
        ("GET", ["gateway"]) => Ok(Answer::Json(200, json!({"url": gateway}))),
        ("GET", ["gateway", "bot"]) => {
            let (total, remaining) = (call.state.options.session_starts, call.state.session_starts_left());
            let limit = json!({
                "total": total, "remaining": remaining, "reset_after": 86_400_000, "max_concurrency": 1,
            });
            let body = json!({"url": gateway, "shards": call.state.options.shards, "session_start_limit": limit});
            Ok(Answer::Json(200, body))
        }
        ("GET", ["users", "@me"]) => Ok(Answer::Json(200, payload::current_user())),
        ("POST", ["users", "@me", "channels"]) => Ok(Answer::Json(200, payload::dm_channel(payload::DM_CHANNEL_ID))),
        (_, ["oauth2", "applications", "@me"] | ["applications", ..]) => applications::route(call, method, segments),
        ("POST", ["interactions", id, token, "callback"]) => interactions::callback(call, id, token),
        (_, ["webhooks", application, token, rest @ ..]) => {
            interactions::webhook(call, method, application, token, rest)
        }
        ("GET", ["guilds", guild]) if *guild == payload::GUILD_ID.to_string() => {
            Ok(Answer::Json(200, payload::guild()))
        }
        ("GET", ["guilds", guild, "members", user]) if *guild == payload::GUILD_ID.to_string() => {
            let user = user.parse().unwrap_or_default();
            let changed = call.state.world().members.get(&user).cloned();
            let roles = changed.unwrap_or_else(|| Some(Vec::new()));
            let roles = roles.ok_or_else(|| Refusal::new(404, 10007, "Unknown Member"))?;
            Ok(Answer::Json(200, payload::member_of_guild(user, &roles)))
        }
        (_, ["channels", channel, rest @ ..]) => channels::route(call, method, channel, rest),
        _ => Err(Refusal::not_found()),
    }
}
