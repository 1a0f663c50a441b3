//! The REST client, with what serenity leaves to its user: timeouts, a proxy that is really used, an empty list of
//! allowed mentions, and a rate limiter that forgets.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use secrecy::{ExposeSecret as _, SecretString};
use serenity::builder::CreateAllowedMentions;
use serenity::http::{Http, HttpBuilder, HttpError};
use tokio::time::interval;
use url::Url;

/// The timeout of a request to Discord: an interaction's answer is worthless after 3 s, all others can be sent again.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// How often expired entries of the rate limiter are removed.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

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

/// Removes expired rate-limit entries that nobody holds. serenity keeps one for every interaction and never drops it:
/// about 350 bytes each.
pub(crate) async fn sweep(http: Arc<Http>) {
    let Some(limiter) = &http.ratelimiter else { return };
    let mut every = interval(SWEEP_EVERY);
    loop {
        every.tick().await;
        let now = SystemTime::now();
        limiter.routes().write().await.retain(|_, entry| {
            let ahead = |reset: Option<SystemTime>| reset.is_some_and(|at| now < at);
            1 < Arc::strong_count(entry) || entry.try_lock().map_or(true, |entry| ahead(entry.reset()))
        });
    }
}

/// An error of serenity as it may be logged. Its own texts hold URLs, and the URL of an interaction holds its token.
pub(crate) fn describe(problem: &serenity::Error) -> String {
    match problem {
        serenity::Error::Http(HttpError::UnsuccessfulRequest(response)) => {
            let error = &response.error;
            format!("status {}, code {}: {}", response.status_code.as_u16(), error.code, error.message)
        }
        serenity::Error::Http(HttpError::Request(problem)) if problem.is_timeout() => "no answer in time".to_owned(),
        serenity::Error::Http(HttpError::Request(problem)) if problem.is_connect() => "no connection".to_owned(),
        serenity::Error::Http(HttpError::Request(_)) => "the request failed on the way".to_owned(),
        other => other.to_string(),
    }
}

/// The HTTP status of a refused request.
pub(crate) fn status(problem: &serenity::Error) -> Option<u16> {
    match problem {
        serenity::Error::Http(HttpError::UnsuccessfulRequest(response)) => Some(response.status_code.as_u16()),
        _ => None,
    }
}

/// Whether we can no longer respond to an interaction: unknown or too late (10062), answered already (40060), its token
/// expired (10015, 50027). A second response would fail as well.
pub(crate) fn is_dead(problem: &serenity::Error) -> bool {
    match problem {
        serenity::Error::Http(HttpError::UnsuccessfulRequest(response)) => {
            matches!(response.error.code, 10_062 | 40_060 | 10_015 | 50_027)
        }
        _ => false,
    }
}
