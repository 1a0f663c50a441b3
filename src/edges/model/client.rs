//! The HTTP client of a server that speaks OpenAI's chat completions.

use std::error::Error as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use std::{fmt, io};

use async_trait::async_trait;
use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tracing::{info, warn};
use url::Url;

use crate::edges::model::key;
use crate::edges::model::retrying::breaker::{Admission, Breaker, Change, Health};
use crate::edges::model::retrying::retry::{Failed, Limits};
use crate::edges::model::retrying::retry_policy::RetryPolicy;
use crate::edges::model::retrying::{retry, retry_after};
use crate::edges::model::wire::refusal::Offer;
use crate::edges::model::wire::request::ChatRequest;
use crate::edges::model::wire::{answer, detail, request};
use candor_core::agent::tools::Completion;
use candor_core::agent::{Growth, Model, ModelFailure, Request};
use candor_core::settings::ModelSettings;
use candor_core::text::with_causes;

/// The longest body read. 100,000 characters, each escaped, are well below it.
const BODY_LENGTH_MAX: usize = 4 * 1024 * 1024;

/// A server that takes longer to accept a connection counts as unreachable.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The most requests in flight: more than a small server works on at once. Further requests wait here, within their own
/// timeout.
const IN_FLIGHT_MAX: usize = 8;

/// The longest wait for an answer, whatever a caller says: an end that the clock can count to.
const WITHIN_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A client of one server that speaks OpenAI's chat completions.
pub struct OpenAiCompatible {
    client: Client,
    endpoint: Url,
    key: Option<SecretString>,
    timeout: Duration,
    max_tokens: Option<u32>,
    in_flight: Semaphore,
    patience: RetryPolicy,
    breaker: Mutex<Breaker>,
}

/// Why a client cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Nothing can be appended to the address, or it is not an HTTP address.
    #[error("`[model] base_url` must be an http or https address, such as `http://127.0.0.1:11434/v1`")]
    Address,
    /// The key holds characters that no header may hold.
    #[error("the model's key must be visible ASCII characters only")]
    Key,
    /// TLS or the resolver could not be set up.
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

impl OpenAiCompatible {
    /// A client with these settings. Sends the key, if there is one, with every request. Does not connect yet.
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
            // A new connection for each request. A kept one may be closed by its server just when it is used: a failure
            // for nothing, and a retry spent on it.
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
            patience: RetryPolicy::default(),
            breaker: Mutex::new(Self::breaker(RetryPolicy::default())),
        })
    }

    /// The same client with another retry policy.
    #[must_use]
    pub fn with_patience(self, patience: RetryPolicy) -> Self {
        Self { patience, breaker: Mutex::new(Self::breaker(patience)), ..self }
    }

    /// Whether the server is assumed to be down: then requests are paused, or one is tried.
    pub fn is_open(&self) -> bool {
        self.lock_breaker().is_open()
    }

    /// Sends a request, and logs one line on the outcome. The line holds no text of the conversation.
    async fn ask(&self, request: &ChatRequest<'_>, offer: Offer, within: Duration) -> Result<Completion, ModelFailure> {
        let model = request.model();
        let started = Instant::now();
        let admission = self.lock_breaker().admit(started).map_err(|again_in| {
            let failure = ModelFailure::Unavailable { again_in };
            warn!(model.name = model, outcome = failure.name(), "model not asked");
            failure
        })?;
        let patience = match admission {
            Admission::Normal => self.patience,
            Admission::Probe => RetryPolicy { n_retries: 0, ..self.patience },
        };
        let deadline = started + within.min(WITHIN_MAX);
        let limits = Limits { deadline, wait_max: self.timeout };
        let mut n_tries = 0;
        let outcome = retry::with_retries(model, patience, limits, || {
            n_tries += 1;
            self.exchange(request, offer, deadline)
        })
        .await;
        self.note(outcome.as_ref().map_or_else(|failed| failed.health, |_| Health::Up));
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match outcome {
            Ok((completion, status)) => {
                info!(model.name = model, outcome = "answered", duration_ms, status, n_tries, "model asked");
                Ok(completion)
            }
            Err(Failed { failure, status, detail, .. }) => {
                let outcome = failure.name();
                warn!(model.name = model, outcome, duration_ms, status, n_tries, detail, "model asked");
                Err(failure)
            }
        }
    }

    /// One try, with the status of its answer.
    async fn exchange(
        &self,
        request: &ChatRequest<'_>,
        offer: Offer,
        deadline: Instant,
    ) -> Result<(Completion, u16), Failed> {
        let time = self.timeout.min(deadline.saturating_duration_since(Instant::now()));
        let deadline = Instant::now() + time;
        let Ok(Ok(_turn)) = timeout_at(deadline, self.in_flight.acquire()).await else {
            return Err(Failed::without_response(ModelFailure::Busy, None));
        };
        // Waiting for a slot is no time that the server had.
        let had = deadline.saturating_duration_since(Instant::now());
        let timed_out = || Failed {
            health: Health::of_time_out(had, self.timeout),
            ..Failed::without_response(ModelFailure::TimedOut(time), None)
        };
        let response = match timeout_at(deadline, self.post(request).send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(problem)) => {
                return Err(Failed::without_response(ModelFailure::Unreachable, Some(causes(problem))));
            }
            Err(_elapsed) => return Err(timed_out()),
        };
        let status = response.status();
        let wait = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let wait = wait.and_then(|value| retry_after::parse(value, SystemTime::now()));
        let answered = |failed| Failed { status: Some(status.as_u16()), wait, ..failed };
        let failed = |failure, detail| answered(Failed::without_response(failure, detail));
        let body = match timeout_at(deadline, read(response)).await {
            Ok(Ok(body)) => body,
            // A status that says what is wrong is enough without its body.
            Ok(Err(_)) | Err(_) if !status.is_success() => Vec::new(),
            Ok(Err((failure, detail))) => return Err(failed(failure, detail)),
            Err(_elapsed) => return Err(answered(timed_out())),
        };
        answer::answer_of(status.as_u16(), wait, offer, &body).map(|completion| (completion, status.as_u16())).map_err(
            |failure| {
                let secret = self.key.as_ref().map(|key| key.expose_secret());
                let detail = detail::detail(&failure, &body, secret);
                failed(failure, detail)
            },
        )
    }

    /// Records the server's health in the breaker, and informs the operator if that changes something.
    fn note(&self, health: Health) {
        let change = self.lock_breaker().record(health, Instant::now());
        let RetryPolicy { n_failures, rest, .. } = self.patience;
        match change {
            Some(Change::Opened) => warn!(n_failures, rest_s = rest.as_secs(), "the model's server is left alone"),
            Some(Change::Closed) => info!("the model's server is asked again"),
            None => {}
        }
    }

    fn breaker(patience: RetryPolicy) -> Breaker {
        Breaker::new(patience.n_failures, patience.rest)
    }

    fn lock_breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
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
    async fn complete(&self, request: Request<'_>, growth: &dyn Growth) -> Result<Completion, ModelFailure> {
        let Request { model, transcript, tools, within } = request;
        let question = ChatRequest::new(model, transcript.messages(), tools, self.max_tokens);
        let completion = self.ask(&question, Offer::of(tools), within).await?;
        growth.began();
        growth.grew(&completion.text);
        Ok(completion)
    }
}

/// Shows whether there is a key and nothing of it. The address is left out, too: it may hold a password.
impl fmt::Debug for OpenAiCompatible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiCompatible")
            .field("has_key", &self.key.is_some())
            .field("timeout", &self.timeout)
            .field("max_tokens", &self.max_tokens)
            .finish_non_exhaustive()
    }
}

/// Reads the body in chunks, decompressed, so that a server cannot make the bot hold more than the limit.
async fn read(mut response: Response) -> Result<Vec<u8>, (ModelFailure, Option<String>)> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) if BODY_LENGTH_MAX < body.len() + piece.len() => {
                return Err((ModelFailure::TooLarge, None));
            }
            Ok(Some(piece)) => body.extend_from_slice(&piece),
            Ok(None) => return Ok(body),
            Err(problem) if is_bad_packing(&problem) => return Err((ModelFailure::NotJson, Some(causes(problem)))),
            Err(problem) => return Err((ModelFailure::Interrupted, Some(causes(problem)))),
        }
    }
}

/// Whether a body is not compressed as its header says. A truncated one is another matter.
fn is_bad_packing(problem: &reqwest::Error) -> bool {
    let causes = std::iter::successors(problem.source(), |&cause| cause.source());
    let mut broken = causes.filter_map(|cause| cause.downcast_ref::<io::Error>());
    broken.any(|cause| matches!(cause.kind(), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput))
}

/// What went wrong in the transport, down to the operating system's message. Without the address, which may hold a
/// password, and without any `Debug` form, which may hold headers.
fn causes(problem: reqwest::Error) -> String {
    with_causes(&problem.without_url())
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::agent::tools::OfferedSet;

    fn settings(base_url: &str) -> ModelSettings {
        ModelSettings {
            base_url: base_url.parse().unwrap(),
            models: vec!["llama".to_owned()],
            key_file: None,
            timeout: Duration::from_millis(20),
            max_tokens: None,
        }
    }

    const PATIENT: Duration = Duration::from_secs(60);

    fn question() -> ChatRequest<'static> {
        ChatRequest::new("llama", &[], &OfferedSet::none(), None)
    }

    #[tokio::test]
    async fn a_request_beyond_the_limit_waits_its_timeout_and_is_then_told_as_busy() {
        let model = OpenAiCompatible::new(&settings("http://127.0.0.1:1/v1"), None).unwrap();
        let every_turn = model.in_flight.acquire_many(u32::try_from(IN_FLIGHT_MAX).unwrap()).await.unwrap();
        assert_eq!(model.ask(&question(), Offer::Nothing, PATIENT).await, Err(ModelFailure::Busy));
        drop(every_turn);
        assert_eq!(model.ask(&question(), Offer::Nothing, PATIENT).await, Err(ModelFailure::Unreachable));
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
