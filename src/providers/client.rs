//! The HTTP client of a provider, for each of the APIs.
//!
//! Also the providers of all models for conversations, by the names that people choose.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Proxy};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};
use tracing::{Instrument as _, info, warn};
use url::Url;

use crate::arrival::{Arrival, Clocks, ReadFailure, whole};
use crate::breaker::{Admission, Breaker, BreakerChange, ServerHealth};
use crate::capabilities::Learned;
use crate::retry::{Failed, Limits, RetryPolicy};
use crate::thoughts::Thoughts;
use crate::wire::content::thoughts_of;
use crate::wire::refusal::{Offer, refuses_count, refuses_stream, refuses_system};
use crate::wire::request::{AnswerForm, ChatRequest};
use crate::wire::{answer, apis, detail, request};
use crate::{retry, spans};
use candor_core::agent::tools::{Completion, Cut};
use candor_core::agent::{ConversationKey, Growth, Model, ModelFailure, Request};
use candor_core::settings::{ModelApi, ModelSettings};
use candor_core::text::{no_connection, with_causes};
use candor_engine::is_visible;

/// A server that takes longer to accept a connection counts as unreachable.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum number of requests in flight, more than a small server works on at once. Further requests wait here, in
/// order.
const IN_FLIGHT_MAX: usize = 8;

/// The maximum wait for a free slot. By then the person has long left.
const PLACE_WITHIN: Duration = Duration::from_secs(10 * 60);

/// The maximum wait for an answer, for any caller: a duration that the clock can represent.
const WITHIN_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A client of one server that speaks one of the [APIs](ModelApi).
pub struct OpenAiCompatible {
    client: Client,
    api: ModelApi,
    /// Its name in the settings, for the log.
    name: Option<String>,
    endpoint: Url,
    key: Option<SecretString>,
    /// The header of the key, in place of `Authorization: Bearer`.
    key_header: Option<HeaderName>,
    /// Further fields of each body.
    body: Map<String, Value>,
    first_token: Duration,
    stall: Duration,
    max_tokens: Option<u32>,
    learned: Learned,
    thoughts: Thoughts,
    in_flight: Semaphore,
    patience: RetryPolicy,
    breaker: Mutex<Breaker>,
}

/// The reason why a client cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The address is not an HTTP address, or nothing can be appended to it.
    #[error("`[model] base_url` must be an http or https address, such as `http://127.0.0.1:11434/v1`")]
    Address,
    /// The key contains characters that a header must not contain.
    #[error("the model's key must be visible ASCII characters only")]
    Key,
    /// A header that requests must not have.
    #[error("`headers` and `key_header` of a model's server must be names and values of HTTP headers")]
    Header,
    /// TLS or the resolver could not be set up.
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

/// A request and the observer of its answer.
#[derive(Clone, Copy)]
struct PendingRequest<'a> {
    conversation: Option<&'a ConversationKey>,
    request: &'a ChatRequest<'a>,
    offer: Offer,
    /// The time from the first token to the last.
    within: Duration,
    growth: &'a dyn Growth,
}

/// An answer, perhaps cut short. The details are for the operator only.
struct Answered {
    completion: Completion,
    status: u16,
    began: Option<Instant>,
    health: ServerHealth,
    /// The reason for the cut.
    detail: Option<String>,
}

impl OpenAiCompatible {
    /// Creates a client that sends the key, if any, with every request. Does not connect yet.
    pub fn new(settings: &ModelSettings, key: Option<SecretString>) -> Result<Self, SetupError> {
        if !key.as_ref().is_none_or(|key| is_visible(key.expose_secret())) {
            return Err(SetupError::Key);
        }
        let api = settings.api;
        let key_header = settings.key_header.as_deref().or(apis::key_header(api)).map(HeaderName::try_from).transpose();
        let key_header = key_header.map_err(|_invalid| SetupError::Header)?;
        let mut headers = HeaderMap::new();
        for (name, value) in &settings.headers {
            let header = HeaderName::try_from(name).ok().zip(HeaderValue::try_from(value).ok());
            headers.extend([header.ok_or(SetupError::Header)?]);
        }
        for (name, value) in apis::headers(api) {
            headers.entry(*name).or_insert(HeaderValue::from_static(value));
        }
        let mut client = Client::builder()
            .user_agent(concat!("candor/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .connect_timeout(CONNECT_TIMEOUT)
            // A redirect could carry the conversation to a host that the operator never named. So could a proxy from
            // the environment.
            .redirect(Policy::none())
            .no_proxy()
            // A new connection for each request. A server may close a pooled one just before it is used, which would
            // fail the request and cost a retry.
            .pool_max_idle_per_host(0);
        if let Some(proxy) = &settings.proxy {
            client = client.proxy(Proxy::all(proxy.clone()).map_err(SetupError::Client)?);
        }
        Ok(Self {
            client: client.build().map_err(SetupError::Client)?,
            api,
            name: settings.name.clone(),
            key_header,
            body: settings.body.clone(),
            endpoint: request::endpoint(&settings.base_url, api).ok_or(SetupError::Address)?,
            key,
            first_token: settings.first_token,
            stall: settings.stall,
            max_tokens: settings.max_tokens,
            learned: Learned::default(),
            thoughts: Thoughts::default(),
            in_flight: Semaphore::new(IN_FLIGHT_MAX),
            patience: RetryPolicy::default(),
            breaker: Mutex::new(Self::breaker(RetryPolicy::default())),
        })
    }

    #[must_use]
    pub fn with_patience(self, patience: RetryPolicy) -> Self {
        Self { patience, breaker: Mutex::new(Self::breaker(patience)), ..self }
    }

    /// Returns whether the breaker is open or half-open: requests are paused, or one is tried.
    pub fn is_open(&self) -> bool {
        self.lock_breaker().is_open()
    }

    /// Sends a request and logs one line on the outcome. The line holds no text of the conversation.
    async fn ask(&self, pending: PendingRequest<'_>) -> Result<Completion, ModelFailure> {
        let model = pending.request.model();
        let server = self.name.as_deref();
        let Ok(Ok(_place)) = timeout(PLACE_WITHIN, self.in_flight.acquire()).await else {
            warn!(model.server = server, model.name = model, outcome = ModelFailure::Busy.name(), "model not asked");
            return Err(ModelFailure::Busy);
        };
        let started = Instant::now();
        let admission = self.lock_breaker().admit(started).map_err(|again_in| {
            let failure = ModelFailure::Unavailable { again_in };
            warn!(model.server = server, model.name = model, outcome = failure.name(), "model not asked");
            failure
        })?;
        let patience = match admission {
            Admission::Normal => self.patience,
            Admission::Probe => RetryPolicy { n_retries: 0, ..self.patience },
        };
        // No try begins after the deadline for the first token.
        let deadline = started + self.first_token;
        let limits = Limits { deadline, wait_max: self.first_token };
        let mut n_tries = 0;
        let outcome = retry::with_retries(model, patience, limits, || {
            n_tries += 1;
            self.exchange(pending, deadline)
        })
        .await;
        let health = match &outcome {
            Ok(answered) => answered.health,
            Err(failed) => failed.health,
        };
        self.note(health, pending.conversation);
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let duration_ms = ms(started.elapsed());
        match outcome {
            Ok(Answered { completion, status, began, detail, .. }) => {
                let first_token_ms = began.map(|began| ms(began - started));
                let outcome = "answered";
                let cut = completion.cut.map(Cut::name);
                #[rustfmt::skip]
                info!(
                    model.server = server, model.name = model, outcome, duration_ms, first_token_ms, status, n_tries, cut, detail,
                    "model asked"
                );
                Ok(completion)
            }
            Err(Failed { failure, status, detail, .. }) => {
                let outcome = failure.name();
                warn!(
                    model.server = server,
                    model.name = model,
                    outcome,
                    duration_ms,
                    status,
                    n_tries,
                    detail,
                    "model asked"
                );
                Err(failure)
            }
        }
    }

    /// Makes one try. If the model's template refuses a system message, the try is repeated without one, and later
    /// requests omit it.
    async fn exchange(&self, pending: PendingRequest<'_>, first_token: Instant) -> Result<Answered, Failed> {
        let model = pending.request.model();
        if !self.learned.refuses_system(model) {
            let outcome = self.exchange_in_some_form(pending, first_token).await;
            let refused = outcome.as_ref().err().map(|failed| (failed.status, failed.detail.as_deref()));
            if !refused.is_some_and(|(status, error)| refuses_system(status, error)) {
                return outcome;
            }
        }
        let folded = pending.request.without_system();
        let outcome = self.exchange_in_some_form(PendingRequest { request: &folded, ..pending }, first_token).await;
        if outcome.is_ok() {
            self.learned.set_refuses_system(model);
        }
        outcome
    }

    /// Sends the request in a form that the server accepts. If the server refuses a stream or the count of its tokens,
    /// the request is repeated without, and later requests omit it.
    async fn exchange_in_some_form(
        &self,
        pending: PendingRequest<'_>,
        first_token: Instant,
    ) -> Result<Answered, Failed> {
        let mut form = self.learned.form();
        loop {
            let outcome = self.send(pending, form, first_token).await;
            let refused = outcome.as_ref().err().map(|failed| (failed.status, failed.detail.as_deref()));
            form = match (form, refused) {
                (AnswerForm::CountedStream, Some((status, error))) if refuses_count(status, error) => {
                    AnswerForm::Stream
                }
                (AnswerForm::CountedStream | AnswerForm::Stream, Some((status, error)))
                    if refuses_stream(status, error) =>
                {
                    AnswerForm::Whole
                }
                (_, Some(_)) => return outcome,
                (_, None) => {
                    self.learned.settle_on(form);
                    return outcome;
                }
            };
        }
    }

    async fn send(
        &self,
        pending: PendingRequest<'_>,
        form: AnswerForm,
        first_token: Instant,
    ) -> Result<Answered, Failed> {
        let sent = Instant::now();
        let within = pending.within.min(WITHIN_MAX);
        // A whole answer arrives only after its last token.
        let beyond = if form == AnswerForm::Whole { within } else { Duration::ZERO };
        let first_token = first_token + beyond;
        let limit = self.first_token + beyond;
        // Excludes earlier tries, which are not the server's time.
        let had = first_token.saturating_duration_since(sent);
        let late = || Failed {
            health: ServerHealth::of_time_out(had, limit),
            ..Failed::without_response(ModelFailure::TimedOut(limit), None)
        };
        pending.growth.asked();
        let mut response = match timeout_at(first_token, self.post(pending.request, form).send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(problem)) => {
                return Err(Failed::without_response(ModelFailure::Unreachable, Some(causes(problem))));
            }
            Err(_elapsed) => return Err(late()),
        };
        let status = response.status();
        let wait = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let wait = wait.and_then(|value| retry::parse_wait(value, SystemTime::now()));
        let answered = |failed| Failed { status: Some(status.as_u16()), wait, ..failed };
        let secret = self.key.as_ref().map(|key| key.expose_secret());
        let failed = |failure, body: &[u8]| {
            let detail = detail::detail(&failure, body, secret);
            let failed = Failed::without_response(failure, detail);
            answered(if detail::is_told(body) { failed.told() } else { failed })
        };
        if !status.is_success() {
            // A status that explains the failure is enough without its body.
            let body = whole(response, first_token).await.unwrap_or_default();
            let failure = answer::refusal(status.as_u16(), wait, pending.offer, &body);
            return Err(failed(failure, &body));
        }

        let clocks = Clocks { first_token, stall: self.stall, within };
        let is_held = self.learned.thinks_unmarked(pending.request.model());
        let mut arrival = Arrival::new(self.api, clocks, pending.growth, is_held);
        let read = arrival.read(&mut response).await;
        let began_in_thought = arrival.began_in_thought();
        let began = arrival.began();
        let read = match read {
            Ok(whole) => answer::completion(&whole, wait, pending.offer)
                .inspect(|completion| {
                    spans::answered(&whole);
                    self.keep_thoughts(pending, &whole, completion);
                })
                .map_err(|failure| failed(failure, whole.to_string().as_bytes())),
            Err(ReadFailure::Late) if began.is_none() => Err(answered(late())),
            // It does answer, only not in time.
            Err(ReadFailure::Late) => Err(answered(Failed {
                health: ServerHealth::Up,
                ..Failed::without_response(ModelFailure::TimedOut(sent.elapsed()), None)
            })),
            Err(ReadFailure::Lost(failure, problem)) => {
                Err(answered(Failed::without_response(failure, problem.map(causes))))
            }
            Err(ReadFailure::Unreadable(body)) => Err(failed(ModelFailure::NotJson, &body)),
        };
        let status = status.as_u16();
        let answered = match read {
            Ok(completion) => Answered { completion, status, began, health: ServerHealth::Up, detail: None },
            Err(failed) => match arrival.cut_short(&failed.failure) {
                Some(completion) => {
                    Answered { completion, status, began, health: failed.health, detail: failed.detail }
                }
                None => return Err(failed),
            },
        };
        match (began_in_thought, answered.completion.cut) {
            (Some(true), _) => self.learned.set_thinks_unmarked(pending.request.model(), true),
            // If a model thinks without a mark, a cut answer may be only its thinking.
            (Some(false), Some(_)) if is_held => {
                return Err(Failed {
                    health: answered.health,
                    ..failed(ModelFailure::CutOff, b"it was cut off while it was thinking")
                });
            }
            // A whole answer without thinking: only one reply was like that.
            (Some(false), None) => self.learned.set_thinks_unmarked(pending.request.model(), false),
            (Some(false) | None, _) => {}
        }
        arrival.ended(&answered.completion.text);
        Ok(answered)
    }

    /// Keeps the model's thinking before these calls, which must be sent back with their results.
    fn keep_thoughts(&self, pending: PendingRequest<'_>, answer: &Value, completion: &Completion) {
        let Some(conversation) = pending.conversation.filter(|_| self.api == ModelApi::Messages) else { return };
        let calls: Option<Vec<_>> = completion.calls.iter().map(|call| call.id.clone()).collect();
        let thoughts = thoughts_of(&answer["choices"][0]["message"]);
        self.thoughts.keep(conversation, pending.request.model(), calls.unwrap_or_default(), thoughts);
    }

    /// Records the server's health in the breaker, and logs a change for the operator.
    fn note(&self, health: ServerHealth, conversation: Option<&ConversationKey>) {
        let change = self.lock_breaker().record(health, conversation, Instant::now());
        let RetryPolicy { n_failures, rest, .. } = self.patience;
        match change {
            Some(BreakerChange::Opened) => {
                warn!(n_failures, rest_s = rest.as_secs(), "the model's server is left alone")
            }
            Some(BreakerChange::Closed) => info!("the model's server is asked again"),
            None => {}
        }
    }

    fn breaker(patience: RetryPolicy) -> Breaker {
        Breaker::new(patience.n_failures, patience.rest)
    }

    fn lock_breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn post(&self, request: &ChatRequest<'_>, form: AnswerForm) -> reqwest::RequestBuilder {
        let post = self.client.post(self.endpoint.clone()).json(&apis::body(self.api, request, form));
        match (&self.key, &self.key_header) {
            // The client marks it as sensitive, so no layer below prints it.
            (Some(key), None) => post.bearer_auth(key.expose_secret()),
            (Some(key), Some(name)) => match HeaderValue::try_from(key.expose_secret()) {
                Ok(mut value) => {
                    value.set_sensitive(true);
                    post.header(name, value)
                }
                Err(_checked_before) => post,
            },
            (None, _) => post,
        }
    }
}

#[async_trait]
impl Model for OpenAiCompatible {
    async fn complete(&self, request: Request<'_>, growth: &dyn Growth) -> Result<Completion, ModelFailure> {
        let Request { conversation, model, transcript, tools, within } = request;
        let request = ChatRequest::new(model, transcript.messages(), tools, self.max_tokens)
            .showing(transcript.pictures())
            .recalling(|calls| self.thoughts.of(conversation?, model, calls))
            .with(&self.body);
        let pending = PendingRequest { conversation, request: &request, offer: Offer::of(tools), within, growth };
        let span = spans::of_request(self.api, model);
        let outcome = self.ask(pending).instrument(span.clone()).await;
        if let Err(failure) = &outcome {
            spans::failed(&span, failure);
        }
        outcome
    }
}

/// Shows only whether there is a key. The address is left out too, because it may hold a password.
impl fmt::Debug for OpenAiCompatible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiCompatible")
            .field("has_key", &self.key.is_some())
            .field("first_token", &self.first_token)
            .field("stall", &self.stall)
            .field("max_tokens", &self.max_tokens)
            .finish_non_exhaustive()
    }
}

/// Describes a failure of the transport, down to the operating system's message. Leaves out the address, which may hold
/// a password, and any `Debug` form, which may hold headers.
fn causes(problem: reqwest::Error) -> String {
    match problem.is_connect() {
        true => no_connection(problem.url().and_then(Url::host_str), &problem),
        false => with_causes(&problem.without_url()),
    }
}

/// A client for each provider, and the provider of each model.
#[derive(Debug, Default)]
pub struct ModelServers {
    clients: Vec<OpenAiCompatible>,
    /// The index of the client and the model's name there, by the name that people choose.
    models: BTreeMap<String, (usize, String)>,
}

impl ModelServers {
    /// Adds a provider with its key. Does not connect yet.
    pub fn add(&mut self, settings: &ModelSettings, key: Option<SecretString>) -> Result<(), SetupError> {
        let index = self.clients.len();
        self.clients.push(OpenAiCompatible::new(settings, key)?);
        self.models.extend(settings.models.iter().map(|name| (settings.chosen_as(name), (index, name.clone()))));
        Ok(())
    }

    /// Returns whether requests to a provider are paused after repeated failures.
    pub fn is_open(&self) -> bool {
        self.clients.iter().any(OpenAiCompatible::is_open)
    }
}

#[async_trait]
impl Model for ModelServers {
    async fn complete(&self, request: Request<'_>, growth: &dyn Growth) -> Result<Completion, ModelFailure> {
        let model = self.models.get(request.model);
        let Some((client, name)) = model.and_then(|(index, name)| Some((self.clients.get(*index)?, name))) else {
            return Err(ModelFailure::UnknownModel);
        };
        client.complete(Request { model: name, ..request }, growth).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::agent::Unwatched;
    use candor_core::agent::tools::OfferedSet;

    fn settings(base_url: &str) -> ModelSettings {
        ModelSettings {
            first_token: Duration::from_millis(20),
            ..ModelSettings::at(base_url.parse().unwrap(), vec!["llama".to_owned()])
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_beyond_the_limit_waits_for_a_place_and_is_then_told_as_busy() {
        let model = OpenAiCompatible::new(&settings("http://127.0.0.1:1/v1"), None).unwrap();
        let request = ChatRequest::new("llama", &[], &OfferedSet::none(), None);
        let within = Duration::from_secs(60);
        let offer = Offer::Nothing;
        let pending = PendingRequest { conversation: None, request: &request, offer, within, growth: &Unwatched };
        let every_place = model.in_flight.acquire_many(u32::try_from(IN_FLIGHT_MAX).unwrap()).await.unwrap();
        let began = Instant::now();
        assert_eq!(model.ask(pending).await, Err(ModelFailure::Busy));
        assert_eq!(began.elapsed(), PLACE_WITHIN, "however little time the answer itself has");
        drop(every_place);
        tokio::time::resume();
        assert_eq!(model.ask(pending).await, Err(ModelFailure::Unreachable));
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
