//! The HTTP clients: reqwest for rare requests, and a hyper client that answers interactions.
//!
//! They add the parts that serenity leaves to its user: timeouts, a proxy that is really used, and an empty list of
//! allowed mentions.

use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT};
use hyper::{Method, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use secrecy::{ExposeSecret as _, SecretString};
use serenity::builder::CreateAllowedMentions;
use serenity::http::{Http, HttpBuilder, LightMethod, Route};
use tokio::time::timeout;
use url::Url;

use crate::rest::error::RequestError;
use candor_core::text::no_connection;

/// Timeout of a request to Discord: an interaction's answer is worthless after 3 s, and all others can be retried.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Builds a client for this token. With a proxy, serenity's rate limiter must be off: it ignores the proxy and would
/// send the token to Discord itself. A proxy has its own rate limiter.
pub(crate) fn build(token: &SecretString, proxy: Option<&Url>) -> Result<Http, reqwest::Error> {
    let http = HttpBuilder::new(token.expose_secret())
        .client(client()?)
        .default_allowed_mentions(CreateAllowedMentions::new());
    Ok(match proxy {
        Some(proxy) => http.proxy(proxy.as_str().trim_end_matches('/')).ratelimiter_disabled(true).build(),
        None => http.build(),
    })
}

pub(crate) fn client() -> Result<reqwest::Client, reqwest::Error> {
    // `HTTP_PROXY` of the environment is ignored: it would apply to a local stand-in too, and the gateway does not use
    // it. `[discord] proxy` is the setting for it.
    reqwest::Client::builder().no_proxy().timeout(REQUEST_TIMEOUT).connect_timeout(CONNECT_TIMEOUT).build()
}

/// Builds the client for attached files, without a token. `redirects` decides which redirects it follows.
pub(crate) fn file_client(redirects: reqwest::redirect::Policy) -> Result<reqwest::Client, reqwest::Error> {
    let builder = reqwest::Client::builder().no_proxy().redirect(redirects);
    builder.timeout(REQUEST_TIMEOUT).connect_timeout(CONNECT_TIMEOUT).build()
}

const DISCORD: &str = "https://discord.com";
/// How long an idle connection is kept. Discord closes it later.
const IDLE_MAX: Duration = Duration::from_secs(90);
/// How often an idle connection is probed: a router may have dropped it.
const KEEPALIVE: Duration = Duration::from_secs(15);
/// The maximum of idle connections, equal to the maximum of concurrent requests.
const CONNECTIONS_MAX: usize = 64;
/// The maximum size of an answer in bytes: more than a message needs.
const ANSWER_BYTES_MAX: usize = 8 << 20;

pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    /// `None` if it broke off.
    pub(super) body: Option<Bytes>,
}

/// Sends the answers to interactions. They have 3 s, so each is one request over a connection that is already open.
///
/// The address holds the interaction's token, which is enough for Discord: the bot's token is not sent.
pub(super) struct AnswerClient {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// The origin of the proxy, which replaces Discord's.
    proxy: Option<String>,
    headers: HeaderMap,
}

impl AnswerClient {
    pub(super) fn new(proxy: Option<&str>) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.enforce_http(false);
        connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
        connector.set_keepalive(Some(KEEPALIVE));
        connector.set_keepalive_interval(Some(KEEPALIVE));
        connector.set_keepalive_retries(Some(3));
        let connector =
            HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().wrap_connector(connector);
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (USER_AGENT, HeaderValue::from_static(serenity::constants::USER_AGENT)),
        ];
        Self {
            client: Client::builder(TokioExecutor::new())
                .pool_idle_timeout(IDLE_MAX)
                .pool_max_idle_per_host(CONNECTIONS_MAX)
                .pool_timer(TokioTimer::new())
                .build(connector),
            proxy: proxy.map(|proxy| proxy.trim_end_matches('/').to_owned()),
            headers: headers.into_iter().collect(),
        }
    }

    /// Sends a body to a route, once. Another connection is used only if no byte was written.
    pub(super) async fn send(
        &self,
        method: LightMethod,
        route: &Route<'_>,
        body: &[u8],
    ) -> Result<Response, RequestError> {
        let path = route.path();
        let address = match &self.proxy {
            Some(proxy) => path.replacen(DISCORD, proxy, 1),
            None => path.into_owned(),
        };
        let uri: Uri = address.parse().map_err(|_| RequestError::Unbuilt)?;
        let host = uri.host().map(str::to_owned);
        let mut request = hyper::Request::new(Full::new(Bytes::copy_from_slice(body)));
        *request.method_mut() = method_of(method);
        *request.uri_mut() = uri;
        request.headers_mut().clone_from(&self.headers);
        let answered = async {
            let response = self.client.request(request).await.map_err(|problem| match problem.is_connect() {
                true => RequestError::Unreached(no_connection(host.as_deref(), &problem)),
                false => RequestError::Unanswered("the request failed on the way"),
            })?;
            let (head, body) = response.into_parts();
            let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await.ok().map(|body| body.to_bytes());
            Ok(Response { status: head.status.as_u16(), headers: head.headers, body })
        };
        timeout(REQUEST_TIMEOUT, answered).await.unwrap_or(Err(RequestError::Unanswered("no answer in time")))
    }
}

fn method_of(method: LightMethod) -> Method {
    match method {
        LightMethod::Delete => Method::DELETE,
        LightMethod::Patch => Method::PATCH,
        LightMethod::Post => Method::POST,
        LightMethod::Put => Method::PUT,
        _ => Method::GET,
    }
}
