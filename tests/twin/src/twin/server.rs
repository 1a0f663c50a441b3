//! The HTTP server: REST, the gateway's websockets and the page on one port.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, RawQuery, WebSocketUpgrade};
use axum::http::{HeaderMap, Method, Uri};
use axum::routing::any;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::gateway::Silence;
use crate::rest;
use crate::twin::page;
use crate::twin::state::State;

/// Discord accepts request bodies of up to 25 MiB.
const BODY_BYTES_MAX: usize = 25 * 1024 * 1024;

/// Serves until the sender of `stop` is gone.
pub(crate) async fn serve(state: Arc<State>, listener: TcpListener, stop: watch::Receiver<bool>) {
    let mut stopped = stop.clone();
    let stopping = async move {
        // Both results mean the same: the last handle of the twin is gone.
        drop(stopped.changed().await);
    };
    // Without TCP_NODELAY, a small frame waits until the peer has acknowledged the frame before it.
    let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
    // This task cannot report an error: if the port is lost, requests fail and the tests show it.
    drop(axum::serve(listener, router(state, stop)).with_graceful_shutdown(stopping).await);
}

fn router(state: Arc<State>, stop: watch::Receiver<bool>) -> Router {
    let sockets = Arc::clone(&state);
    let gateway = any(async move |RawQuery(query): RawQuery, upgrade: WebSocketUpgrade| {
        if sockets.hub().silence == Some(Silence::Upgrade) {
            std::future::pending::<()>().await;
        }
        upgrade.on_upgrade(async move |socket| {
            crate::gateway::serve(sockets, socket, query.unwrap_or_default(), stop).await;
        })
    });
    let requests = async move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        if page::is_page(uri.path()) {
            return page::handle(&state, &method, uri.path(), &headers, &body).await;
        }
        rest::handle(state, method, uri, headers, body).await
    };
    Router::new()
        .route("/gateway", gateway.clone())
        .route("/gateway/", gateway)
        .fallback(requests)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
}
