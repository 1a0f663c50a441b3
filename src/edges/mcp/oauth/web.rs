//! What a sign-in asks over the web.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Request};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest};

use crate::error::McpError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of an answer: descriptions of servers, and tokens.
const ANSWER_MAX: usize = 256 * 1024;
const REDIRECTS_MAX: usize = 3;

/// A client of two kinds: tokens go to no address that was not asked.
pub(super) struct Web {
    follows: Client,
    stops: Client,
}

impl Web {
    /// Encrypted alone, unless the server itself may be reached without.
    pub(super) fn new(is_plain_allowed: bool) -> Result<Self, McpError> {
        let client = |redirects: Policy| {
            let client = Client::builder().user_agent(concat!("candor/", env!("CARGO_PKG_VERSION")));
            let client = client.connect_timeout(CONNECT_TIMEOUT).timeout(TIMEOUT).redirect(redirects).no_proxy();
            client.https_only(!is_plain_allowed).build().map_err(|problem| McpError::unreachable(problem.to_string()))
        };
        Ok(Self { follows: client(Policy::limited(REDIRECTS_MAX))?, stops: client(Policy::none())? })
    }
}

impl OAuthHttpClient for Web {
    fn execute(&self, asked: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let client = match asked.redirect_policy {
                OAuthHttpRedirectPolicy::Follow => &self.follows,
                _ => &self.stops,
            };
            let mut response = client.execute(Request::try_from(asked.request)?).await?;
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
