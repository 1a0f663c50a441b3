//! The operator's own port: `GET /livez` and `GET /readyz`, and the question that `candor health` asks.
//!
//! `/livez` answers 200 as long as this process answers at all: a Discord outage must not restart it, for
//! every restart costs one of a thousand logins a day. `/readyz` answers 200 when everything is ready, else
//! 503 with what is missing.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Json;
use axum::routing::get;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tracing::{info, warn};

use crate::readiness::Readiness;

/// A health check that takes longer is a failed one.
const ASK_WITHIN: Duration = Duration::from_secs(2);

/// Serves until `stopped`. Fails at once if the port cannot be had.
pub async fn serve(
    listen: SocketAddr,
    readiness: Arc<Readiness>,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(listen).await?;
    let listen = listener.local_addr()?;
    let routes = Router::new().route("/livez", get(live)).route("/readyz", get(ready)).with_state(readiness);
    tokio::spawn(async move {
        if let Err(problem) = axum::serve(listener, routes).with_graceful_shutdown(stopped).await {
            warn!(error = %problem, "health checks are no longer answered");
        }
    });
    info!(%listen, "health checks are answered here");
    Ok(listen)
}

async fn live() -> Json<Value> {
    Json(json!({ "live": true }))
}

async fn ready(State(readiness): State<Arc<Readiness>>) -> (StatusCode, Json<Value>) {
    let missing = readiness.missing();
    let status = if missing.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(json!({ "ready": missing.is_empty(), "missing": missing })))
}

/// What a running bot said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Whether it is well.
    pub ok: bool,
    /// Its own words.
    pub body: String,
}

/// Asks a running bot.
pub async fn ask(listen: SocketAddr, path: &str) -> Result<Health, reqwest::Error> {
    let client = reqwest::Client::builder().no_proxy().timeout(ASK_WITHIN).build()?;
    let response = client.get(format!("http://{listen}{path}")).send().await?;
    let ok = response.status().is_success();
    Ok(Health { ok, body: response.text().await? })
}
