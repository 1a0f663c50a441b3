//! Reads from hosts on the public internet, for modules.
//!
//! The core decides which host a module may read from, for each address and each redirect. This edge checks the
//! resolved addresses, on the connection that uses them: so a name that resolves differently the second time gains
//! nothing. There are no cookies, no tokens and no proxy: with a proxy, only the proxy would know where a connection
//! ends.

#[cfg(test)]
mod tests;

use std::error::Error as _;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{
    CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION,
};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Response, StatusCode, Url};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};
use tracing::info;

use candor_core::contract::{Http, HttpError, HttpGet, HttpResponse, RESPONSE_SIZE_MAX, Validators, is_public};
use candor_core::text::{no_connection, with_causes};

/// A host that takes longer to accept a connection counts as unreachable.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest that one address is read, including its redirects. A command with an earlier deadline stops it then.
const WITHIN: Duration = Duration::from_secs(10);

const AT_ONCE_MAX: usize = 8;

/// The longest wait for a free slot.
const PLACE_WITHIN: Duration = Duration::from_secs(2);

const REDIRECTS_MAX: usize = 3;

/// The longest header that is handed on.
const HEADER_SIZE_MAX: usize = 256;

/// Reads from hosts on the public internet.
pub struct Web {
    client: Client,
    room: Semaphore,
    within: Duration,
    /// The scheme and port of a test's own server.
    #[cfg(test)]
    stand_in: Option<(&'static str, u16)>,
}

/// Why nothing was read, with details for the operator only.
#[derive(Debug)]
struct Failed {
    error: HttpError,
    detail: Option<String>,
}

impl From<HttpError> for Failed {
    fn from(error: HttpError) -> Self {
        Self { error, detail: None }
    }
}

impl Web {
    /// Creates a reader with the machine's own resolver. Does not connect yet.
    pub fn new() -> Result<Self, reqwest::Error> {
        Ok(Self::over(client(PublicNames { names: Arc::new(SystemNames), is_public }).build()?))
    }

    fn over(client: Client) -> Self {
        Self {
            client,
            room: Semaphore::new(AT_ONCE_MAX),
            within: WITHIN,
            #[cfg(test)]
            stand_in: None,
        }
    }

    async fn read(&self, get: &HttpGet<'_>) -> Result<HttpResponse, Failed> {
        let mut url = get.url.clone();
        for _ in 0..=REDIRECTS_MAX {
            let response = self.send(url.clone(), get.known).await?;
            let Some(next) = next(&url, &response) else { return whole(response).await };
            url = get.hosts.admit(&next?)?;
        }
        Err(HttpError::Redirects.into())
    }

    async fn send(&self, url: Url, known: &Validators) -> Result<Response, Failed> {
        let mut request = self.client.get(self.on_the_wire(url));
        for (name, known) in [(IF_NONE_MATCH, &known.etag), (IF_MODIFIED_SINCE, &known.last_modified)] {
            // A value that cannot be a header never came from one.
            if let Some(known) = known.as_ref().and_then(|known| HeaderValue::try_from(known).ok()) {
                request = request.header(name, known);
            }
        }
        request.send().await.map_err(failed)
    }

    /// Returns the address that is requested; tests replace it.
    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "a test has a server of its own")]
    fn on_the_wire(&self, url: Url) -> Url {
        url
    }

    #[cfg(test)]
    fn on_the_wire(&self, mut url: Url) -> Url {
        if let Some((scheme, port)) = self.stand_in {
            url.set_scheme(scheme).unwrap();
            url.set_port(Some(port)).unwrap();
        }
        url
    }
}

/// Returns a client that connects only to addresses from this resolver.
fn client(names: PublicNames) -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("candor/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .dns_resolver(Arc::new(names))
        // Each redirect is checked by itself, like the first address.
        .redirect(Policy::none())
        .referer(false)
        .no_proxy()
        .pool_max_idle_per_host(0)
}

#[async_trait]
impl Http for Web {
    async fn get(&self, get: HttpGet<'_>) -> Result<HttpResponse, HttpError> {
        let began = Instant::now();
        let Ok(Ok(_place)) = timeout(PLACE_WITHIN, self.room.acquire()).await else {
            return Err(HttpError::Busy);
        };
        let read = timeout(self.within, self.read(&get)).await.unwrap_or(Err(HttpError::TimedOut.into()));
        // Only a host that the manifest names is logged: any other host, and errors about it, may be a person's words.
        let host = get.url.host_str().and_then(|host| get.hosts.named(host));
        let (status, bytes) = read.as_ref().map(|page| (page.status, page.body.len())).ok().unzip();
        let failed = read.as_ref().err();
        let outcome = failed.map_or("answered", |failed| failed.error.name());
        let detail = failed.and_then(|failed| failed.detail.as_deref()).filter(|_| host.is_some());
        let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        info!(module.name = get.module, host, outcome, status, bytes, duration_ms, detail, "read over the web");
        read.map_err(|failed| failed.error)
    }
}

/// Returns the target of a redirect; `None` if the response is not one.
fn next(url: &Url, response: &Response) -> Option<Result<String, HttpError>> {
    let is_redirect = matches!(
        response.status(),
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    is_redirect.then(|| {
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let next = location.and_then(|location| url.join(location).ok());
        next.map(String::from).ok_or(HttpError::Redirects)
    })
}

/// Reads the whole response, decompressed.
async fn whole(mut response: Response) -> Result<HttpResponse, Failed> {
    let header = |name: HeaderName| {
        let value = response.headers().get(name)?.to_str().ok()?;
        (value.len() <= HEADER_SIZE_MAX).then(|| value.to_owned())
    };
    let validators = Validators { etag: header(ETAG), last_modified: header(LAST_MODIFIED) };
    let status = response.status().as_u16();
    let content_type = header(CONTENT_TYPE);
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(failed)? {
        if RESPONSE_SIZE_MAX < body.len() + piece.len() {
            return Err(HttpError::TooLarge.into());
        }
        body.extend_from_slice(&piece);
    }
    Ok(HttpResponse { status, content_type, validators, body })
}

fn failed(problem: reqwest::Error) -> Failed {
    let mut causes = std::iter::successors(problem.source(), |&cause| cause.source());
    let error = match causes.any(|cause| cause.is::<NotPublic>()) {
        true => HttpError::NotPublic,
        false if problem.is_timeout() => HttpError::TimedOut,
        false => HttpError::Unreachable,
    };
    let detail = match problem.is_connect() {
        true => no_connection(problem.url().and_then(Url::host_str), &problem),
        false => with_causes(&problem.without_url()),
    };
    Failed { error, detail: Some(detail) }
}

#[async_trait]
trait Names: Send + Sync {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

struct SystemNames;

#[async_trait]
impl Names for SystemNames {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// The error for a host without a public address.
#[derive(Debug, thiserror::Error)]
#[error("the name leads to no public address")]
struct NotPublic;

/// The client's resolver: asked for each connection, it returns only the public addresses of a host.
struct PublicNames {
    names: Arc<dyn Names>,
    /// [`is_public`](candor_core::contract::is_public()), except for a test's own server.
    is_public: fn(IpAddr) -> bool,
}

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        let names = Arc::clone(&self.names);
        let is_public = self.is_public;
        Box::pin(async move {
            let found = names.addresses(name.as_str()).await?;
            let public: Vec<_> = found.iter().copied().filter(|address| is_public(*address)).collect();
            if public.is_empty() && !found.is_empty() {
                return Err(NotPublic.into());
            }
            // The port of the URL replaces 0.
            let addresses: Addrs = Box::new(public.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}
