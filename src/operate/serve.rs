//! The HTTP server on the operator's port: `GET /livez`, `GET /readyz`, `GET /metrics`, `POST /reload`, and the page.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Json};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tracing::info;

use crate::connections::accept;
use crate::metrics;
use crate::page::{self, Page};
use crate::state::AdminState;

/// The required header of a request that changes something.
pub(super) const ASKED: &str = "x-candor";

/// Serves until `stopped`, for requests to an IP address, `localhost` or one of `hosts`; also the page, if given. Fails
/// at once if the port cannot be bound.
pub async fn serve(
    listen: SocketAddr,
    hosts: &[String],
    state: AdminState,
    page: Option<Page>,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(listen).await?;
    let listen = listener.local_addr()?;
    let page = page.map(|page| page::routes(page, state.clone()));
    let routes = Router::new()
        .route("/livez", get(live))
        .route("/readyz", get(ready))
        .route("/metrics", get(measured))
        .route("/reload", post(reload))
        .with_state(state);
    let has_page = page.is_some();
    let routes = page.map_or(routes.clone(), |page| routes.merge(page));
    tokio::spawn(accept(listener, routes, hosts.into(), stopped));
    info!(%listen, "health checks are answered here");
    if has_page {
        info!("the operator's page is at http://{listen}/");
    }
    Ok(listen)
}

async fn live() -> Json<Value> {
    Json(json!({ "live": true }))
}

async fn ready(State(state): State<AdminState>) -> (StatusCode, Json<Value>) {
    state.measured().await;
    let AdminState { readiness, shards, reloads, .. } = state;
    let missing = readiness.missing();
    let status = if missing.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let mut answer = json!({ "ready": missing.is_empty(), "missing": missing });
    if let Some(shards) = shards {
        let seconds = |ago: Option<Duration>| ago.map(|ago| ago.as_secs());
        let shards = shards().into_iter().map(|shard| {
            let heartbeat = seconds(shard.acknowledged);
            let event = seconds(shard.event);
            json!({ "connected": shard.is_connected, "heartbeat_age_s": heartbeat, "event_age_s": event })
        });
        answer["shards"] = shards.collect();
    }
    if let Some(reloads) = reloads.filter(|reloads| reloads.state.has_failed.load(Ordering::Relaxed)) {
        // The previous version stays in force: the bot is ready, but its operator should look.
        answer["note"] = json!("the last reload of the modules failed, and broken modules keep their old version");
        answer["reloads_failed"] = json!(reloads.state.failed.load(Ordering::Relaxed));
    }
    (status, Json(answer))
}

/// Reloads the modules. The required header keeps web pages of other origins out: a browser would send a preflight
/// request first.
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
    let measured = state.measured().await;
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], metrics::text(&state, measured))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::net::Ipv4Addr;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::state::{Modules, Reloads, States};
    use crate::{FAMILIES, Kind};
    use candor_core::record::{Arrival, Counters, GuardFinding, Latch, Origin, Outcome, Readiness};
    use candor_core::record::{Measured, ProcessFigures, ReloadState, RouteKind, ShardState, ToolCallEnd, TurnEnd};

    fn bare() -> AdminState {
        AdminState::new(Arc::default(), Arc::default(), Arc::new(|| 0))
    }

    /// A state of which everything is known.
    fn whole() -> AdminState {
        let measured = Measured { store_size: Some(4_096), disk_free: Some(1 << 30) };
        let acknowledged = Some(Duration::from_secs(3));
        let event = Some(Duration::from_secs(1));
        let shard = ShardState { is_connected: true, acknowledged, event };
        let process = ProcessFigures {
            memory: 20 << 20,
            processor_time: Duration::from_millis(1_500),
            started: 1_795_000_000,
            open_files: Some(21),
        };
        let counters = Counters::default();
        counters.logins_left.set(Some(998));
        AdminState {
            is_breaker_open: Some(Arc::new(|| false)),
            registered: Some(States { names: &["in-place", "failed"], now: Arc::new(|| "failed") }),
            shards: Some(Arc::new(move || vec![shard, ShardState { is_connected: false, ..shard }])),
            reloads: Some(Reloads {
                now: Arc::new(|| Box::pin(async { Ok(String::new()) })),
                state: Arc::new(ReloadState { done: 2.into(), failed: 1.into(), ..ReloadState::default() }),
            }),
            look: Some(Arc::new(move || Box::pin(async move { measured }))),
            modules: Some(Arc::new(|| Modules { modules: 6, rejected: 1, commands: 29, unavailable: 2 })),
            process: Some(Arc::new(move || Some(process))),
            ..AdminState::new(Arc::default(), Arc::new(counters), Arc::new(|| 7))
        }
    }

    async fn page(state: &AdminState) -> String {
        metrics::text(state, state.measured().await)
    }

    /// The lines of these families.
    fn lines<'a>(page: &'a str, families: &[&str]) -> Vec<&'a str> {
        let is_of = |line: &&str| {
            let sample = line.trim_start_matches("# HELP ").trim_start_matches("# TYPE ");
            families.iter().any(|family| sample.starts_with(family))
        };
        page.lines().filter(is_of).collect()
    }

    async fn scrape(listen: SocketAddr) -> (String, String) {
        let response = reqwest::get(format!("http://{listen}/metrics")).await.unwrap();
        assert_eq!(response.status().as_u16(), 200);
        let content_type = response.headers()["content-type"].to_str().unwrap().to_owned();
        (content_type, response.text().await.unwrap())
    }

    #[tokio::test]
    async fn what_is_counted_is_read_over_the_port() {
        let state = AdminState { lines_dropped: Arc::new(|| 3), ..bare() };
        let readiness = state.readiness.clone();
        let counters = state.counters.clone();
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listen = serve(listen, &[], state, None, std::future::pending()).await.unwrap();
        for _turn in 0..3 {
            counters.findings.count(GuardFinding::ToolText);
        }
        counters.turns.count(TurnEnd::Prose);
        counters.tool_calls.count(ToolCallEnd::NotRun);
        counters.routes.count(Arrival::Message, RouteKind::UnknownCommand);
        counters.runs.count(Origin::Model, Outcome::Refused);
        counters.run_times.took(Duration::from_millis(20));
        let all: Vec<_> = Latch::ALL.iter().map(|&latch| readiness.set(latch, true)).collect();
        assert_eq!(all, [true; 4]);
        let (content_type, page) = scrape(listen).await;
        assert_eq!(content_type, "text/plain; version=0.0.4");
        let counted = page.lines().filter(|line| !line.starts_with('#') && !line.ends_with(" 0"));
        let counted = counted.collect::<Vec<_>>().join("\n").replace(env!("CARGO_PKG_VERSION"), "VERSION");
        insta::assert_snapshot!(counted, @r#"
        candor_build_info{version="VERSION"} 1
        candor_ready 1
        candor_part_ready{part="registry"} 1
        candor_part_ready{part="store"} 1
        candor_part_ready{part="disk"} 1
        candor_part_ready{part="gateway"} 1
        candor_command_runs_total{by="model",outcome="refused"} 1
        candor_command_duration_seconds_bucket{le="0.02"} 1
        candor_command_duration_seconds_bucket{le="0.1"} 1
        candor_command_duration_seconds_bucket{le="0.5"} 1
        candor_command_duration_seconds_bucket{le="1.5"} 1
        candor_command_duration_seconds_bucket{le="3"} 1
        candor_command_duration_seconds_bucket{le="10"} 1
        candor_command_duration_seconds_bucket{le="30"} 1
        candor_command_duration_seconds_bucket{le="120"} 1
        candor_command_duration_seconds_bucket{le="+Inf"} 1
        candor_command_duration_seconds_sum 0.02
        candor_command_duration_seconds_count 1
        candor_routes_total{arrival="message",route="unknown-command"} 1
        candor_chat_turns_total{ending="prose"} 1
        candor_tool_calls_total{outcome="not-run"} 1
        candor_guard_findings_total{check="tool-text"} 3
        candor_log_lines_dropped_total 3
        "#);
    }

    #[tokio::test]
    async fn every_family_is_on_the_page_of_a_whole_bot_in_its_order_and_nothing_else() {
        let page = page(&whole()).await;
        let heads: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("# HELP ")).collect();
        let listed: Vec<_> = FAMILIES.iter().map(|family| format!("{} {}", family.name, family.help)).collect();
        assert_eq!(heads, listed);
        let types: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
        let listed: Vec<_> = FAMILIES.iter().map(|family| format!("{} {}", family.name, family.kind.name())).collect();
        assert_eq!(types, listed);
    }

    #[tokio::test]
    async fn every_sample_has_the_labels_of_its_family_with_values_of_their_sets() {
        let page = page(&whole()).await;
        let mut seen = BTreeSet::new();
        for line in page.lines().filter(|line| !line.starts_with('#')) {
            let (sample, value) = line.rsplit_once(' ').unwrap();
            assert!(value.parse::<f64>().is_ok_and(|value| value >= 0.0), "{line}");
            let (name, labels) = sample.split_once('{').unwrap_or((sample, "}"));
            let is_of = |family: &&crate::Family| match family.kind {
                Kind::Histogram => {
                    ["_bucket", "_sum", "_count"].iter().any(|end| name == format!("{}{end}", family.name))
                }
                Kind::Counter | Kind::Gauge => name == family.name,
            };
            let family = FAMILIES.iter().find(is_of).unwrap_or_else(|| panic!("{line}"));
            assert!(seen.insert(sample), "twice: {line}");
            let labels = labels.trim_end_matches('}').split(',').filter(|label| !label.is_empty());
            let labels: Vec<_> = labels.filter(|label| !label.starts_with("le=")).collect();
            assert_eq!(labels.len(), family.labels.len(), "{line}");
            for (label, declared) in labels.iter().zip(family.labels) {
                let (name, value) = label.split_once('=').unwrap();
                let value = value.trim_matches('"');
                assert_eq!(name, declared.name, "{line}");
                assert!(declared.values.fixed().is_none_or(|values| values.contains(&value)), "{line}");
            }
        }
        let n_listed = FAMILIES.iter().map(|family| family.name).collect::<BTreeSet<_>>().len();
        assert_eq!(n_listed, FAMILIES.len(), "a family is listed twice");
    }

    #[tokio::test]
    async fn what_nobody_knows_is_left_out() {
        let page = page(&bare()).await;
        let unknown = ["candor_model_breaker_open", "candor_store_bytes", "candor_gateway_logins_left", "process_"];
        assert_eq!(lines(&page, &unknown), [""; 0]);
        assert_eq!(lines(&page, &["candor_shard"]), [""; 0]);
    }

    #[tokio::test]
    async fn a_histogram_counts_up_to_each_step() {
        let state = bare();
        for ms in [1, 1, 300, 2_000] {
            state.counters.run_times.took(Duration::from_millis(ms));
        }
        insta::assert_snapshot!(lines(&page(&state).await, &["candor_command_duration_seconds"]).join("\n"), @r#"
        # HELP candor_command_duration_seconds How long handlers of commands ran.
        # TYPE candor_command_duration_seconds histogram
        candor_command_duration_seconds_bucket{le="0.001"} 2
        candor_command_duration_seconds_bucket{le="0.005"} 2
        candor_command_duration_seconds_bucket{le="0.02"} 2
        candor_command_duration_seconds_bucket{le="0.1"} 2
        candor_command_duration_seconds_bucket{le="0.5"} 3
        candor_command_duration_seconds_bucket{le="1.5"} 3
        candor_command_duration_seconds_bucket{le="3"} 4
        candor_command_duration_seconds_bucket{le="10"} 4
        candor_command_duration_seconds_bucket{le="30"} 4
        candor_command_duration_seconds_bucket{le="120"} 4
        candor_command_duration_seconds_bucket{le="+Inf"} 4
        candor_command_duration_seconds_sum 2.302
        candor_command_duration_seconds_count 4
        "#);
    }

    #[tokio::test]
    async fn a_configured_models_breaker_is_told_as_it_is() {
        let is_open = Arc::new(AtomicBool::new(false));
        let read = Arc::clone(&is_open);
        let state = AdminState { is_breaker_open: Some(Arc::new(move || read.load(Ordering::Relaxed))), ..bare() };
        assert!(page(&state).await.contains("\ncandor_model_breaker_open 0\n"));
        is_open.store(true, Ordering::Relaxed);
        assert!(page(&state).await.contains("\ncandor_model_breaker_open 1\n"));
    }

    #[tokio::test]
    async fn shards_modules_and_the_state_of_the_commands_are_told() {
        let page = page(&whole()).await;
        let wanted = ["candor_commands", "candor_modules", "candor_shard", "candor_gateway_logins", "process_"];
        let told = lines(&page, &wanted).into_iter().filter(|line| !line.starts_with('#')).collect::<Vec<_>>();
        insta::assert_snapshot!(told.join("\n"), @r#"
        candor_shard_connected{shard="0"} 1
        candor_shard_connected{shard="1"} 0
        candor_shard_heartbeat_age_seconds{shard="0"} 3
        candor_shard_heartbeat_age_seconds{shard="1"} 3
        candor_shard_event_age_seconds{shard="0"} 1
        candor_shard_event_age_seconds{shard="1"} 1
        candor_gateway_logins_left 998
        candor_commands_registered{state="in-place"} 0
        candor_commands_registered{state="failed"} 1
        candor_commands{state="in-force"} 29
        candor_commands{state="unavailable"} 2
        candor_modules{state="in-force"} 6
        candor_modules{state="rejected"} 1
        process_resident_memory_bytes 20971520
        process_cpu_seconds_total 1.5
        process_open_fds 21
        process_start_time_seconds 1795000000
        "#);
    }

    #[tokio::test]
    async fn a_store_that_is_lost_is_found_when_somebody_asks_whether_all_is_ready() {
        let readiness = Arc::new(Readiness::default());
        assert!(Latch::ALL.iter().all(|&latch| readiness.set(latch, true)));
        let looked = readiness.clone();
        let is_well = Arc::new(AtomicBool::new(true));
        let read = is_well.clone();
        let look: crate::Look = Arc::new(move || {
            looked.set(Latch::Store, read.load(Ordering::Relaxed));
            Box::pin(async { Measured::default() })
        });
        let state = AdminState { readiness, look: Some(look), ..bare() };
        let ask = async || ready(State(state.clone())).await;
        assert_eq!(ask().await.0, StatusCode::OK);
        is_well.store(false, Ordering::Relaxed);
        let (status, Json(answer)) = ask().await;
        assert_eq!(
            (status, answer),
            (StatusCode::SERVICE_UNAVAILABLE, json!({ "ready": false, "missing": ["store"] }))
        );
        let page = page(&state).await;
        for line in
            ["candor_ready 0", "candor_part_ready{part=\"store\"} 0", "candor_part_losses_total{part=\"store\"} 1"]
        {
            assert!(page.contains(&format!("\n{line}\n")), "{line}\n{page}");
        }
    }
}
