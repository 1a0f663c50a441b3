//! Accepts connections on the operator's port, with limits on number and time, so that no client can exhaust the
//! resources of the health checks.

use std::collections::VecDeque;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::warn;

/// Connections open at once. Others wait to be accepted.
const CONNECTIONS_MAX: usize = 192;
/// Open connections without a whole request. One more closes the oldest.
const SILENT_MAX: usize = 64;
/// Requests answered at once. `/livez` is exempt.
const REQUESTS_MAX: usize = 64;
/// The time for a client to send its request's headers.
const HEADERS_WITHIN: Duration = Duration::from_secs(5);
/// The time for a whole connection, which carries one request.
const CONNECTION_WITHIN: Duration = Duration::from_secs(15);
/// The time for a reload request, which lasts until all modules have started.
const RELOAD_WITHIN: Duration = Duration::from_secs(600);
/// The pause after the system refused to accept a connection, for example for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

#[derive(Clone)]
struct Bounds {
    hosts: Arc<[String]>,
    places: Arc<Semaphore>,
}

#[derive(Clone, Default)]
struct Client {
    /// Whether its request is complete or the connection has ended.
    has_asked: Arc<AtomicBool>,
    close: CancellationToken,
}

pub(crate) async fn accept(
    listener: TcpListener,
    routes: Router,
    hosts: Arc<[String]>,
    stopped: impl Future<Output = ()>,
) {
    let bounds = Bounds { hosts, places: Arc::new(Semaphore::new(REQUESTS_MAX)) };
    let routes = TowerToHyperService::new(routes.layer(from_fn_with_state(bounds, within_bounds)));
    let connections = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut silent = VecDeque::<Client>::new();
    tokio::pin!(stopped);
    loop {
        let accepting = async {
            // The semaphore is never closed.
            let place = Arc::clone(&connections).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, stream) = tokio::select! {
            (place, accepted) = accepting => match accepted {
                Ok((stream, _)) => (place, stream),
                Err(problem) => {
                    warn!(error = %problem, "a health check cannot be accepted");
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            () = &mut stopped => return,
        };
        silent.retain(|client| !client.has_asked.load(Ordering::Relaxed));
        if SILENT_MAX <= silent.len()
            && let Some(oldest) = silent.pop_front()
        {
            oldest.close.cancel();
        }
        let client = Client::default();
        silent.push_back(client.clone());
        let routes = routes.clone();
        let is_reload = Arc::new(AtomicBool::new(false));
        let noted = is_reload.clone();
        let has_asked = client.has_asked.clone();
        let noted = service_fn(move |request: hyper::Request<Incoming>| {
            has_asked.store(true, Ordering::Relaxed);
            let is_reload = request.method() == Method::POST && request.uri().path() == "/reload";
            noted.fetch_or(is_reload, Ordering::Relaxed);
            routes.call(request)
        });
        let serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS_WITHIN)
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), noted);
        tokio::spawn(async move {
            tokio::pin!(serving);
            let serving = client.close.run_until_cancelled(async {
                let is_over = timeout(CONNECTION_WITHIN, &mut serving).await.is_ok();
                if !is_over && is_reload.load(Ordering::Relaxed) {
                    let _over_or_too_slow = timeout(RELOAD_WITHIN, serving).await;
                }
            });
            let _over_or_closed = serving.await;
            client.has_asked.store(true, Ordering::Relaxed);
            drop(place);
        });
    }
}

/// Refuses a request for a host name that is not this port's. A web page can make a browser send requests to any
/// address under its own name (DNS rebinding), but it cannot choose the `Host` header. Also refuses a request with two
/// `Host` headers, or beyond the limit of requests.
async fn within_bounds(State(Bounds { hosts, places }): State<Bounds>, request: Request, next: Next) -> Response {
    let mut named = request.headers().get_all(header::HOST).into_iter();
    let host = named.next().and_then(|host| host.to_str().ok());
    if named.next().is_some() {
        return (StatusCode::BAD_REQUEST, "a request has one `Host` header\n").into_response();
    }
    if !host.is_some_and(|host| is_known(host, &hosts)) {
        let help = "ask by IP address or as `localhost`, or name this host in `[admin] hosts`\n";
        return (StatusCode::MISDIRECTED_REQUEST, help).into_response();
    }
    let place = places.try_acquire();
    if place.is_err() && request.uri().path() != "/livez" {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many requests at once\n").into_response();
    }
    next.run(request).await
}

/// Returns whether a `Host` header is an IP address, `localhost` or a configured name, with any port.
fn is_known(host: &str, hosts: &[String]) -> bool {
    let Ok(uri) = host.parse::<Uri>() else { return false };
    let Some(name) = uri.host() else { return false };
    let is_address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
    is_address || name.eq_ignore_ascii_case("localhost") || hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;

    #[test]
    fn only_addresses_localhost_and_configured_names_are_known() {
        let hosts = ["candor".to_owned()];
        for host in ["127.0.0.1:9180", "10.0.0.7", "[::1]:9180", "localhost", "LocalHost:9180", "candor:9180", "Candor"]
        {
            assert!(is_known(host, &hosts), "{host}");
        }
        for host in ["", "evil.example", "evil.example:9180", "localhost.evil.example", "127.0.0.1.evil.example", "a b"]
        {
            assert!(!is_known(host, &hosts), "{host}");
        }
    }

    async fn response(mut stream: TcpStream, request: &str) -> String {
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = String::new();
        let _reset = stream.read_to_string(&mut response).await;
        response
    }

    #[tokio::test]
    async fn l3_half_sent_requests_keep_nobody_waiting_and_are_closed() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let routes = Router::new().route("/", get(async || "here"));
        tokio::spawn(accept(listener, routes, Arc::from([]), std::future::pending()));

        let mut half_sent = Vec::new();
        for _ in 0..2 * SILENT_MAX {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: ").await.unwrap();
            half_sent.push(stream);
        }
        let whole = TcpStream::connect(address).await.unwrap();
        let answered = response(whole, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").await;
        assert!(answered.starts_with("HTTP/1.1 200 ") && answered.ends_with("here"), "{answered}");
        // The newest of them is still open: nobody waited for the end of their time.
        let newest = half_sent.last().unwrap().try_read(&mut [0]).unwrap_err();
        assert_eq!(newest.kind(), std::io::ErrorKind::WouldBlock);
        for mut stream in half_sent {
            let mut rest = Vec::new();
            let _reset = stream.read_to_end(&mut rest).await;
        }

        for (hosts, expected) in [
            ("Host: evil.example\r\n", "HTTP/1.1 421 "),
            ("Host: 127.0.0.1\r\nHost: evil.example\r\n", "HTTP/1.1 400 "),
            ("Host: evil.example\r\nHost: 127.0.0.1\r\n", "HTTP/1.1 400 "),
            ("Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n", "HTTP/1.1 400 "),
        ] {
            let stream = TcpStream::connect(address).await.unwrap();
            let refused = response(stream, &format!("GET / HTTP/1.1\r\n{hosts}\r\n")).await;
            assert!(refused.starts_with(expected), "{hosts}: {refused}");
        }
    }

    #[tokio::test]
    async fn requests_that_are_not_answered_yet_leave_room_to_ask_whether_the_bot_lives() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (running, mut is_running) = tokio::sync::mpsc::unbounded_channel();
        let slow = move || {
            running.send(()).unwrap();
            std::future::pending::<String>()
        };
        let routes = Router::new().route("/slow", get(slow)).route("/livez", get(async || "alive"));
        tokio::spawn(accept(listener, routes, Arc::from([]), std::future::pending()));
        let asked = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let mut streams = Vec::new();
        for _ in 0..REQUESTS_MAX {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(asked("/slow").as_bytes()).await.unwrap();
            is_running.recv().await.unwrap();
            streams.push(stream);
        }
        let busy = response(TcpStream::connect(address).await.unwrap(), &asked("/slow")).await;
        assert!(busy.starts_with("HTTP/1.1 503 "), "{busy}");
        let alive = response(TcpStream::connect(address).await.unwrap(), &asked("/livez")).await;
        assert!(alive.starts_with("HTTP/1.1 200 ") && alive.ends_with("alive"), "{alive}");
    }
}
