//! The REST client, with what serenity leaves to its user: timeouts, a proxy that is really used, and an empty list of
//! allowed mentions.

use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use serenity::builder::CreateAllowedMentions;
use serenity::http::{Http, HttpBuilder};
use url::Url;

/// The timeout of a request to Discord: an interaction's answer is worthless after 3 s, all others can be sent again.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// A client for this token. With a proxy, serenity's rate limiter must be off: it ignores the proxy and would
/// send the token to Discord itself. A proxy limits by its own means.
pub(crate) fn build(token: &SecretString, proxy: Option<&Url>) -> Result<Http, reqwest::Error> {
    let http = HttpBuilder::new(token.expose_secret())
        .client(client()?)
        .default_allowed_mentions(CreateAllowedMentions::new());
    Ok(match proxy {
        Some(proxy) => http.proxy(proxy.as_str().trim_end_matches('/')).ratelimiter_disabled(true).build(),
        None => http.build(),
    })
}

/// The HTTP client.
pub(crate) fn client() -> Result<reqwest::Client, reqwest::Error> {
    // `HTTP_PROXY` of the environment is ignored: it would apply to a local stand-in too, and the gateway does not use
    // it. `[discord] proxy` is the setting for it.
    reqwest::Client::builder().no_proxy().timeout(REQUEST_TIMEOUT).connect_timeout(CONNECT_TIMEOUT).build()
}

/// The client for attached files: without a token, and without redirects but by that policy.
pub(crate) fn file_client(redirects: reqwest::redirect::Policy) -> Result<reqwest::Client, reqwest::Error> {
    let builder = reqwest::Client::builder().no_proxy().redirect(redirects);
    builder.timeout(REQUEST_TIMEOUT).connect_timeout(CONNECT_TIMEOUT).build()
}
