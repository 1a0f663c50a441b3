//! The web requests of a sign-in.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, Request};
use rmcp::transport::auth::{
    AuthorizationMetadata, OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};
use url::{Host, Url};

use crate::mcp::address::is_loopback;
use crate::mcp::error::{McpError, said};
use candor_core::contract::is_public;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of an answer: descriptions of servers, and tokens.
const ANSWER_MAX: usize = 256 * 1024;
const REDIRECTS_MAX: usize = 3;

/// The permitted addresses of a sign-in, because a server could name any: encrypted ones of the public internet, those
/// of the server's own host, and those of this machine if the server runs here.
#[derive(Clone, Debug)]
pub(super) struct Endpoints {
    server: Url,
}

impl Endpoints {
    pub(super) fn of(server: &Url) -> Self {
        Self { server: server.clone() }
    }

    /// Checks every address that a sign-in would use.
    pub(super) fn check_all(&self, named: &AuthorizationMetadata) -> Result<(), McpError> {
        let endpoints = [&named.authorization_endpoint, &named.token_endpoint].into_iter();
        for endpoint in endpoints.chain(&named.registration_endpoint) {
            let url = Url::parse(endpoint).map_err(|problem| problem.to_string());
            url.and_then(|url| self.check(&url)).map_err(|why| McpError::SignIn { what: said(&why) })?;
        }
        Ok(())
    }

    /// Returns an error if an address may not be used.
    pub(super) fn check(&self, url: &Url) -> Result<(), String> {
        let host = url.host().filter(|_| matches!(url.scheme(), "http" | "https"));
        let Some(host) = host else {
            return Err(format!("the server names `{}:…`, which is no address of a server", url.scheme()));
        };
        let is_here = is_loopback(&self.server) && is_loopback(url);
        let is_own = self.server.host() == Some(host.clone());
        if url.scheme() == "http" && !is_here && !(is_own && self.server.scheme() == "http") {
            return Err(format!("the server names the host `{host}` without encryption"));
        }
        let is_private = match host {
            Host::Domain(_) => is_loopback(url),
            Host::Ipv4(address) => !is_public(IpAddr::V4(address)),
            Host::Ipv6(address) => !is_public(IpAddr::V6(address)),
        };
        if is_private && !is_here && !is_own {
            return Err(format!("the server names `{host}`, which is no address of the public internet"));
        }
        Ok(())
    }
}

/// Resolves a host to its permitted addresses only.
impl Resolve for Endpoints {
    fn resolve(&self, name: Name) -> Resolving {
        let is_own = self.server.host_str() == Some(name.as_str());
        let is_here = is_loopback(&self.server);
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let is_allowed = |address: IpAddr| is_own || is_public(address) || is_here && address.is_loopback();
            let allowed: Vec<SocketAddr> = found.filter(|address| is_allowed(address.ip())).collect();
            if allowed.is_empty() {
                return Err(format!("`{}` leads to no address of the public internet", name.as_str()).into());
            }
            let addresses: Addrs = Box::new(allowed.into_iter());
            Ok(addresses)
        })
    }
}

/// An HTTP client with and without redirects: a request with tokens goes only to the address it was made for.
pub(super) struct Web {
    endpoints: Endpoints,
    follows: Client,
    stops: Client,
}

impl Web {
    /// Creates a client that connects only to these endpoints.
    pub(super) fn new(endpoints: Endpoints) -> Result<Self, McpError> {
        let client = |redirects: Policy| {
            let client = Client::builder().user_agent(concat!("candor/", env!("CARGO_PKG_VERSION")));
            let client = client.connect_timeout(CONNECT_TIMEOUT).timeout(TIMEOUT).redirect(redirects).no_proxy();
            let client = client.dns_resolver(std::sync::Arc::new(endpoints.clone()));
            client.build().map_err(|problem| McpError::unreachable(problem.to_string()))
        };
        let known = endpoints.clone();
        let follows = client(Policy::custom(move |attempt| match known.check(attempt.url()) {
            Ok(()) if attempt.previous().len() <= REDIRECTS_MAX => attempt.follow(),
            Ok(()) => attempt.error("there are too many redirects"),
            Err(why) => attempt.error(why),
        }))?;
        let stops = client(Policy::none())?;
        Ok(Self { endpoints, follows, stops })
    }
}

impl OAuthHttpClient for Web {
    fn execute(&self, asked: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let client = match asked.redirect_policy {
                OAuthHttpRedirectPolicy::Follow => &self.follows,
                _ => &self.stops,
            };
            let request = Request::try_from(asked.request)?;
            self.endpoints.check(request.url())?;
            let mut response = client.execute(request).await?;
            let mut answer = http::Response::builder().status(response.status());
            if let Some(headers) = answer.headers_mut() {
                headers.clone_from(response.headers());
            }
            let mut body = Vec::new();
            while let Some(chunk) = response.chunk().await? {
                if ANSWER_MAX < body.len() + chunk.len() {
                    return Err(format!("an answer is larger than {ANSWER_MAX} bytes").into());
                }
                body.extend(chunk);
            }
            Ok(answer.body(body)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Endpoints;

    #[test]
    fn a_server_names_only_what_is_encrypted_and_public_or_its_own() {
        let cases = [
            // The server, what it names, and whether that is used.
            ("https://tools.example/mcp", "https://login.example/authorize", true),
            ("https://tools.example/mcp", "https://tools.example:8443/token", true),
            ("https://tools.example/mcp", "http://login.example/authorize", false),
            ("https://tools.example/mcp", "http://tools.example/authorize", false),
            ("https://tools.example/mcp", "javascript:alert(1)", false),
            ("https://tools.example/mcp", "file:///etc/passwd", false),
            ("https://tools.example/mcp", "data:text/html,x", false),
            ("https://tools.example/mcp", "https://169.254.169.254/latest", false),
            ("https://tools.example/mcp", "https://10.0.0.7/token", false),
            ("https://tools.example/mcp", "https://[::ffff:192.168.0.1]/token", false),
            ("https://tools.example/mcp", "https://[fe80::1]/token", false),
            ("https://tools.example/mcp", "https://127.0.0.1/token", false),
            ("https://tools.example/mcp", "http://127.0.0.1:9180/reload", false),
            ("https://tools.example/mcp", "http://localhost/token", false),
            ("https://10.0.0.7/mcp", "https://10.0.0.7:9000/token", true),
            ("https://10.0.0.7/mcp", "https://10.0.0.8/token", false),
            ("http://10.0.0.7/mcp", "http://10.0.0.7/token", true),
            ("http://127.0.0.1:4000/mcp", "http://127.0.0.1:4001/token", true),
            ("http://localhost:4000/mcp", "http://127.0.0.1:4001/token", true),
            ("http://127.0.0.1:4000/mcp", "https://login.example/authorize", true),
            ("http://127.0.0.1:4000/mcp", "http://login.example/authorize", false),
            ("http://127.0.0.1:4000/mcp", "http://169.254.169.254/latest", false),
        ];
        for (server, named, expected) in cases {
            let checked = Endpoints::of(&server.parse().unwrap()).check(&named.parse().unwrap());
            assert_eq!(checked.is_ok(), expected, "{server} names {named}: {checked:?}");
        }
    }
}
