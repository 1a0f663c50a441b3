//! The server on the operator's port: `GET /livez`, `GET /readyz`, `GET /metrics` and `POST /reload`.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Json};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tracing::info;

use crate::edges::admin::connections::accept;
use crate::edges::admin::metrics;
use crate::edges::admin::state::AdminState;

/// The header of a request that changes something.
pub(super) const ASKED: &str = "x-candor";

/// Serves until `stopped`, for requests to an IP address, `localhost` or one of `hosts`. Fails at once if the port
/// cannot be bound.
pub async fn serve(
    listen: SocketAddr,
    hosts: &[String],
    state: AdminState,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(listen).await?;
    let listen = listener.local_addr()?;
    let routes = Router::new()
        .route("/livez", get(live))
        .route("/readyz", get(ready))
        .route("/metrics", get(measured))
        .route("/reload", post(reload))
        .with_state(state);
    tokio::spawn(accept(listener, routes, hosts.into(), stopped));
    info!(%listen, "health checks are answered here");
    Ok(listen)
}

async fn live() -> Json<Value> {
    Json(json!({ "live": true }))
}

async fn ready(State(AdminState { readiness, shards, reloads, .. }): State<AdminState>) -> (StatusCode, Json<Value>) {
    let missing = readiness.missing();
    let status = if missing.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let mut answer = json!({ "ready": missing.is_empty(), "missing": missing });
    if let Some(shards) = shards {
        let seconds = |ago: Option<Duration>| ago.map(|ago| ago.as_secs());
        let shards = shards().into_iter().map(|shard| {
            let (heartbeat, event) = (seconds(shard.acknowledged), seconds(shard.event));
            json!({ "connected": shard.is_connected, "heartbeat_age_s": heartbeat, "event_age_s": event })
        });
        answer["shards"] = shards.collect();
    }
    if let Some(reloads) = reloads.filter(|reloads| (reloads.has_failed)()) {
        // What was in force before is in force: the bot is ready, and its operator should look.
        answer["note"] = json!("the last reload of the modules failed, and the commands from before it are in force");
        answer["reloads_failed"] = json!((reloads.failed)());
    }
    (status, Json(answer))
}

/// Reloads the modules. The header keeps a web page of another origin from asking for it: a browser would ask first.
async fn reload(State(AdminState { reloads, .. }): State<AdminState>, headers: HeaderMap) -> (StatusCode, String) {
    let Some(reloads) = reloads.filter(|_| headers.contains_key(ASKED)) else {
        return (StatusCode::FORBIDDEN, format!("ask with the header `{ASKED}`, as `candor reload` does"));
    };
    match (reloads.now)().await {
        Ok(told) => (StatusCode::OK, told),
        Err(told) => (StatusCode::CONFLICT, told),
    }
}

async fn measured(State(state): State<AdminState>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], metrics::text(&state))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::edges::admin::state::States;
    use candor_core::record::{Counters, GuardFinding, Latch, Readiness, ToolCallEnd, TurnEnd};

    async fn scrape(listen: SocketAddr) -> (String, String) {
        let response = reqwest::get(format!("http://{listen}/metrics")).await.unwrap();
        assert_eq!(response.status().as_u16(), 200);
        let content_type = response.headers()["content-type"].to_str().unwrap().to_owned();
        (content_type, response.text().await.unwrap())
    }

    #[tokio::test]
    async fn what_is_counted_is_read_over_the_port() {
        let (readiness, counters) = (Arc::new(Readiness::default()), Arc::new(Counters::default()));
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let (readiness_read, counters_read) = (Arc::clone(&readiness), Arc::clone(&counters));
        let state = AdminState {
            readiness: readiness_read,
            counters: counters_read,
            is_breaker_open: None,
            registered: None,
            shards: None,
            lines_dropped: Arc::new(|| 3),
            reloads: None,
        };
        let listen = serve(listen, &[], state, std::future::pending()).await.unwrap();
        let version = env!("CARGO_PKG_VERSION");
        let page = scrape(listen).await.1.replace(&format!("\"{version}\""), "\"VERSION\"");
        insta::assert_snapshot!(page, @r#"
        # HELP candor_build_info The version that runs.
        # TYPE candor_build_info gauge
        candor_build_info{version="VERSION"} 1
        # HELP candor_ready Whether everything is ready, as /readyz says.
        # TYPE candor_ready gauge
        candor_ready 0
        # HELP candor_log_lines_dropped_total Lines of the log that were dropped because too many waited to be written.
        # TYPE candor_log_lines_dropped_total counter
        candor_log_lines_dropped_total 3
        # HELP candor_chat_turns_total Chat turns, by how they ended.
        # TYPE candor_chat_turns_total counter
        candor_chat_turns_total{ending="prose"} 0
        candor_chat_turns_total{ending="stopped"} 0
        candor_chat_turns_total{ending="failed"} 0
        # HELP candor_tool_calls_total Tool calls of the chat model, by what became of them.
        # TYPE candor_tool_calls_total counter
        candor_tool_calls_total{outcome="done"} 0
        candor_tool_calls_total{outcome="refused"} 0
        candor_tool_calls_total{outcome="failed"} 0
        candor_tool_calls_total{outcome="timed-out"} 0
        candor_tool_calls_total{outcome="unknown"} 0
        candor_tool_calls_total{outcome="not-run"} 0
        # HELP candor_guard_findings_total What chat turns found in what the model did, by check.
        # TYPE candor_guard_findings_total counter
        candor_guard_findings_total{check="tool-text"} 0
        candor_guard_findings_total{check="made-up-result"} 0
        candor_guard_findings_total{check="call-in-text"} 0
        candor_guard_findings_total{check="touched"} 0
        candor_guard_findings_total{check="unknown-command-name"} 0
        candor_guard_findings_total{check="unknown-receipt"} 0
        candor_guard_findings_total{check="unknown-tool"} 0
        candor_guard_findings_total{check="invalid-call"} 0
        candor_guard_findings_total{check="broken-block"} 0
        candor_guard_findings_total{check="steps-spent"} 0
        candor_guard_findings_total{check="corrections-spent"} 0
        candor_guard_findings_total{check="time-spent"} 0
        candor_guard_findings_total{check="recovered"} 0
        # HELP candor_interaction_timing_total Interactions that came late, or whose answer did.
        # TYPE candor_interaction_timing_total counter
        candor_interaction_timing_total{what="dropped-late"} 0
        candor_interaction_timing_total{what="deferred"} 0
        candor_interaction_timing_total{what="told-still-running"} 0
        candor_interaction_timing_total{what="answer-kept"} 0
        # HELP candor_unknown_interactions_total Interactions that named something that is not there, by what.
        # TYPE candor_unknown_interactions_total counter
        candor_unknown_interactions_total{what="command"} 0
        candor_unknown_interactions_total{what="subcommand"} 0
        candor_unknown_interactions_total{what="stale"} 0
        candor_unknown_interactions_total{what="component"} 0
        candor_unknown_interactions_total{what="modal"} 0
        candor_unknown_interactions_total{what="menu"} 0
        candor_unknown_interactions_total{what="entry-point"} 0
        candor_unknown_interactions_total{what="completion"} 0
        candor_unknown_interactions_total{what="undecodable"} 0
        candor_unknown_interactions_total{what="message"} 0
        # HELP candor_not_plain_total Typed commands that did not run because they do not stand plainly, by why.
        # TYPE candor_not_plain_total counter
        candor_not_plain_total{why="quote"} 0
        candor_not_plain_total{why="code"} 0
        candor_not_plain_total{why="quotation-marks"} 0
        candor_not_plain_total{why="backslash"} 0
        candor_not_plain_total{why="formatted"} 0
        candor_not_plain_total{why="link"} 0
        candor_not_plain_total{why="lookalike"} 0
        candor_not_plain_total{why="hidden"} 0
        candor_not_plain_total{why="mention"} 0
        candor_not_plain_total{why="below"} 0
        # HELP candor_denials_total Commands that were denied, by the rule.
        # TYPE candor_denials_total counter
        candor_denials_total{rule="blocked"} 0
        candor_denials_total{rule="operators-only"} 0
        candor_denials_total{rule="gone"} 0
        candor_denials_total{rule="not-a-tool"} 0
        candor_denials_total{rule="not-confirmed"} 0
        candor_denials_total{rule="owners"} 0
        candor_denials_total{rule="users"} 0
        candor_denials_total{rule="roles"} 0
        candor_denials_total{rule="channels"} 0
        candor_denials_total{rule="discord"} 0
        candor_denials_total{rule="context"} 0
        candor_denials_total{rule="age"} 0
        candor_denials_total{rule="picker"} 0
        candor_denials_total{rule="cooldown"} 0
        candor_denials_total{rule="chat"} 0
        candor_denials_total{rule="chat-rate"} 0
        # HELP candor_chat_day_tokens Tokens of chat on the UTC day of this process's last turn, by who counted them.
        # TYPE candor_chat_day_tokens gauge
        candor_chat_day_tokens{by="server"} 0
        candor_chat_day_tokens{by="estimate"} 0
        # HELP candor_chat_day_turns Chat turns that began on the UTC day of this process's last turn.
        # TYPE candor_chat_day_turns gauge
        candor_chat_day_turns 0
        # HELP candor_unsent_total What was not sent, so that a flood is not answered by one.
        # TYPE candor_unsent_total counter
        candor_unsent_total{what="notice"} 0
        "#);

        for _turn in 0..3 {
            counters.findings.count(GuardFinding::Touched);
        }
        counters.turns.count(TurnEnd::Prose);
        counters.tool_calls.count(ToolCallEnd::NotRun);
        Latch::ALL.into_iter().for_each(|latch| readiness.set(latch, true));
        let (content_type, page) = scrape(listen).await;
        assert_eq!(content_type, "text/plain; version=0.0.4");
        let counted: Vec<_> = page.lines().filter(|line| !line.starts_with('#') && !line.ends_with(" 0")).collect();
        let build = format!("candor_build_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION"));
        let expected = [
            build.as_str(),
            "candor_ready 1",
            "candor_log_lines_dropped_total 3",
            "candor_chat_turns_total{ending=\"prose\"} 1",
            "candor_tool_calls_total{outcome=\"not-run\"} 1",
            "candor_guard_findings_total{check=\"touched\"} 3",
        ];
        assert_eq!(counted, expected);
    }

    #[test]
    fn a_configured_models_breaker_is_told_as_it_is() {
        let is_open = Arc::new(AtomicBool::new(false));
        let read = Arc::clone(&is_open);
        let state = AdminState {
            readiness: Arc::default(),
            counters: Arc::default(),
            is_breaker_open: Some(Arc::new(move || read.load(Ordering::Relaxed))),
            registered: None,
            shards: None,
            lines_dropped: Arc::new(|| 0),
            reloads: None,
        };
        let shown =
            || metrics::text(&state).lines().filter(|line| line.contains("breaker")).collect::<Vec<_>>().join("\n");
        insta::assert_snapshot!(shown(), @r"
        # HELP candor_model_breaker_open Whether the model's server failed too often, so that requests to it are paused.
        # TYPE candor_model_breaker_open gauge
        candor_model_breaker_open 0
        ");
        is_open.store(true, Ordering::Relaxed);
        assert!(shown().ends_with("\ncandor_model_breaker_open 1"), "{}", shown());
    }

    #[test]
    fn the_state_of_the_commands_is_one_of_all_names() {
        let registered = States { names: &["in-place", "failed"], now: Arc::new(|| "failed") };
        let (readiness, counters) = (Arc::default(), Arc::default());
        let state = AdminState {
            readiness,
            counters,
            is_breaker_open: None,
            registered: Some(registered),
            shards: None,
            lines_dropped: Arc::new(|| 7),
            reloads: None,
        };
        let page = metrics::text(&state);
        let shown = page.lines().filter(|line| line.contains("registered")).collect::<Vec<_>>().join("\n");
        insta::assert_snapshot!(shown, @r#"
        # HELP candor_commands_registered How the commands stand at Discord.
        # TYPE candor_commands_registered gauge
        candor_commands_registered{state="in-place"} 0
        candor_commands_registered{state="failed"} 1
        "#);
    }
}
