//! The chat model's wire: any server that speaks OpenAI's chat completions, asked once and read whole.
//!
//! What a server may send is read leniently where leniency cannot change the answer, and refused where it
//! could: `answer` says which is which. There are no retries: the person is told at once, and asks again.

mod answer;
mod detail;
mod key;
mod request;
mod retry_after;

use std::fmt;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tracing::{info, warn};
use url::Url;

pub use key::{KeyError, read_key};

use crate::agent::{Exchange, Model, ModelFailure};
use crate::causes::with_causes;
use crate::config::ModelSettings;
use crate::router::ChatText;
use request::ChatRequest;

/// No chat answer needs more: 100,000 characters, each escaped, are well below it.
const BODY_LENGTH_MAX: usize = 4 * 1024 * 1024;

/// A server that takes longer to accept a connection is as good as not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// More than a small server works on at once. Further requests wait their turn here, within their own timeout.
const IN_FLIGHT_MAX: usize = 8;

/// A client of one server that speaks OpenAI's chat completions.
pub struct OpenAiCompatible {
    client: Client,
    endpoint: Url,
    key: Option<SecretString>,
    timeout: Duration,
    max_tokens: Option<u32>,
    in_flight: Semaphore,
}

/// Why there can be no client.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Nothing can be appended to the address, or it is not one of HTTP.
    #[error("`[model] base_url` must be an http or https address, such as `http://127.0.0.1:11434/v1`")]
    Address,
    /// The key holds characters that no header may.
    #[error("the model's key must be visible ASCII characters only")]
    Key,
    /// TLS or the resolver could not be set up.
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

impl OpenAiCompatible {
    /// A client with these settings. Sends the key, if there is one, with every request. Connects to nothing yet.
    pub fn new(settings: &ModelSettings, key: Option<SecretString>) -> Result<Self, SetupError> {
        if !key.as_ref().is_none_or(|key| key::is_visible(key.expose_secret())) {
            return Err(SetupError::Key);
        }
        let client = Client::builder()
            .user_agent(concat!("candor/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            // A redirect could carry the conversation to a host that the operator never named, and so could a
            // proxy that happens to be set in the environment.
            .redirect(Policy::none())
            .no_proxy()
            // A new connection for each question. A kept one may be closed by its server just when it is used, and
            // with no retries that would be a failure for nothing.
            .pool_max_idle_per_host(0)
            .build()
            .map_err(SetupError::Client)?;
        Ok(Self {
            client,
            endpoint: request::endpoint(&settings.base_url).ok_or(SetupError::Address)?,
            key,
            timeout: settings.timeout,
            max_tokens: settings.max_tokens,
            in_flight: Semaphore::new(IN_FLIGHT_MAX),
        })
    }

    /// Asks, and logs one line that says how it went. The line never holds what was said or answered.
    async fn ask(&self, request: &ChatRequest<'_>) -> Result<String, ModelFailure> {
        let started = Instant::now();
        let Ended { outcome, status, detail } = self.exchange(request, started + self.timeout).await;
        let model = request.model();
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &outcome {
            Ok(_) => info!(model.name = model, outcome = "answered", duration_ms, status, "model asked"),
            Err(failure) => {
                warn!(model.name = model, outcome = failure.name(), duration_ms, status, detail, "model asked");
            }
        }
        outcome
    }

    async fn exchange(&self, request: &ChatRequest<'_>, deadline: Instant) -> Ended {
        let Ok(Ok(_turn)) = timeout_at(deadline, self.in_flight.acquire()).await else {
            return Ended::without_response(ModelFailure::Busy, None);
        };
        let response = match timeout_at(deadline, self.post(request).send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(problem)) => return Ended::without_response(ModelFailure::Unreachable, Some(causes(problem))),
            Err(_elapsed) => return Ended::without_response(ModelFailure::TimedOut(self.timeout), None),
        };
        let status = response.status();
        let wait = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let wait = wait.and_then(|value| retry_after::parse(value, SystemTime::now()));
        let body = match timeout_at(deadline, read(response)).await {
            Ok(read) => read,
            Err(_elapsed) => Err((ModelFailure::TimedOut(self.timeout), None)),
        };
        let body = match body {
            Ok(body) => body,
            // A status that says what is wrong says it without its body, too.
            Err(_) if !status.is_success() => Vec::new(),
            Err((failure, detail)) => return Ended { outcome: Err(failure), status: Some(status.as_u16()), detail },
        };
        let outcome = answer::answer_of(status.as_u16(), wait, &body);
        let secret = self.key.as_ref().map(|key| key.expose_secret());
        let detail = outcome.as_ref().err().and_then(|failure| detail::detail(failure, &body, secret));
        Ended { outcome, status: Some(status.as_u16()), detail }
    }

    fn post(&self, request: &ChatRequest<'_>) -> reqwest::RequestBuilder {
        let post = self.client.post(self.endpoint.clone()).json(request);
        match &self.key {
            // Marked as sensitive by the client, so that no layer below prints it.
            Some(key) => post.bearer_auth(key.expose_secret()),
            None => post,
        }
    }
}

#[async_trait]
impl Model for OpenAiCompatible {
    async fn answer(
        &self,
        model: &str,
        system: &str,
        history: &[Exchange],
        words: &ChatText,
    ) -> Result<String, ModelFailure> {
        self.ask(&ChatRequest::new(model, system, history, words.as_str(), self.max_tokens)).await
    }
}

/// Says whether there is a key and nothing of it. The address stays out, too: it may hold a password.
impl fmt::Debug for OpenAiCompatible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiCompatible")
            .field("has_key", &self.key.is_some())
            .field("timeout", &self.timeout)
            .field("max_tokens", &self.max_tokens)
            .finish_non_exhaustive()
    }
}

/// How a request ended, with what only the operator reads.
struct Ended {
    outcome: Result<String, ModelFailure>,
    status: Option<u16>,
    detail: Option<String>,
}

impl Ended {
    fn without_response(failure: ModelFailure, detail: Option<String>) -> Self {
        Self { outcome: Err(failure), status: None, detail }
    }
}

/// The body, piece by piece, so that a server cannot make the bot hold more than it is willing to read.
async fn read(mut response: Response) -> Result<Vec<u8>, (ModelFailure, Option<String>)> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) if BODY_LENGTH_MAX < body.len() + piece.len() => {
                return Err((ModelFailure::TooLarge, None));
            }
            Ok(Some(piece)) => body.extend_from_slice(&piece),
            Ok(None) => return Ok(body),
            Err(problem) => return Err((ModelFailure::Unreachable, Some(causes(problem)))),
        }
    }
}

/// What went wrong on the wire, down to the operating system's words. Without the address, which may hold a
/// password, and without any `Debug` form, which may hold headers.
fn causes(problem: reqwest::Error) -> String {
    with_causes(&problem.without_url())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(base_url: &str) -> ModelSettings {
        ModelSettings {
            base_url: base_url.parse().unwrap(),
            models: vec!["llama".to_owned()],
            key_file: None,
            timeout: Duration::from_millis(20),
            max_tokens: None,
        }
    }

    #[tokio::test]
    async fn a_request_beyond_the_limit_waits_its_timeout_and_is_then_told_as_busy() {
        let model = OpenAiCompatible::new(&settings("http://127.0.0.1:1/v1"), None).unwrap();
        let every_turn = model.in_flight.acquire_many(u32::try_from(IN_FLIGHT_MAX).unwrap()).await.unwrap();
        let request = ChatRequest::new("llama", "", &[], "hello", None);
        assert_eq!(model.ask(&request).await, Err(ModelFailure::Busy));
        drop(every_turn);
        assert_ne!(model.ask(&request).await, Err(ModelFailure::Busy));
    }

    #[test]
    fn neither_address_nor_key_is_in_the_debug_form() {
        let key = SecretString::from("sk-secret");
        let model = OpenAiCompatible::new(&settings("http://name:password@example.com/v1"), Some(key)).unwrap();
        let debug = format!("{model:?}");
        assert!(debug.contains("has_key: true"), "{debug}");
        assert!(!debug.contains("secret") && !debug.contains("password"), "{debug}");
    }

    #[test]
    fn settings_that_cannot_work_are_refused_in_words() {
        let of = |base_url: &str, key: Option<&str>| {
            OpenAiCompatible::new(&settings(base_url), key.map(SecretString::from)).unwrap_err().to_string()
        };
        assert!(of("mailto:someone@example.com", None).contains("base_url"));
        assert!(of("ftp://example.com/v1", None).contains("base_url"));
        assert!(of("http://example.com/v1", Some("two\nlines")).contains("visible ASCII"));
    }
}
