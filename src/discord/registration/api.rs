//! REST requests about commands. They bypass serenity's rate limiter, which would wait for hours in silence and hides
//! how long Discord asks to wait.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::{Client, Response};
use serde_json::Value;
use serenity::http::{LightMethod, Request, Route};
use serenity::model::id::{ApplicationId, CommandId, GuildId};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{info, warn};

use crate::registration::error::ApiError;
use crate::rest::Rest;
use candor_core::registration::Scope;

/// The longest wait within a request. A longer one is stored, and the registered commands keep working meanwhile.
const WAIT_MAX: Duration = Duration::from_secs(15);

/// How often one request is retried after short waits.
const TRIES_MAX: usize = 4;

/// The longest pause made before Discord demands one.
const PACE_MAX: Duration = Duration::from_secs(60);

/// The longest accepted wait: Discord's limits last a day at most.
const BELIEVED_MAX: Duration = Duration::from_hours(24);

/// The wait after a rate-limit response that gives no time.
const UNSAID: Duration = Duration::from_secs(60);

/// At this number of request kinds, elapsed pauses are forgotten: each cleaned server is a kind of its own.
const PACES_MAX: usize = 100;

pub(crate) struct Api {
    rest: Arc<Rest>,
    client: Client,
    application: ApplicationId,
    /// When a kind of request may be sent again, by Discord's last response.
    pace: Mutex<BTreeMap<(&'static str, Scope), Instant>>,
}

impl Api {
    pub(crate) fn new(rest: Arc<Rest>, client: Client, application: ApplicationId) -> Self {
        Self { rest, client, application, pace: Mutex::default() }
    }

    pub(super) async fn refusals_kept(&self) {
        self.rest.refusals_kept().await;
    }

    pub(crate) fn application(&self) -> u64 {
        self.application.get()
    }

    pub(crate) async fn list(&self, scope: Scope) -> Result<Vec<Value>, ApiError> {
        // Without this Discord leaves out the localizations, and each would look like a difference.
        let languages = vec![("with_localizations", "true".to_owned())];
        let listed = self.send(scope, Request::new(self.all(scope), LightMethod::Get).params(Some(languages))).await?;
        match listed {
            Value::Array(commands) => Ok(commands),
            _ => Err(ApiError::Lost("what came is not a list of commands".to_owned())),
        }
    }

    /// Creates a command. Discord overwrites one of the same type and name.
    pub(crate) async fn create(&self, scope: Scope, payload: &Value) -> Result<(), ApiError> {
        self.write(scope, Request::new(self.all(scope), LightMethod::Post), payload).await
    }

    pub(crate) async fn update(&self, scope: Scope, id: u64, body: &Value) -> Result<(), ApiError> {
        self.write(scope, Request::new(self.one(scope, id), LightMethod::Patch), body).await
    }

    pub(crate) async fn overwrite(&self, scope: Scope, commands: &[Value]) -> Result<(), ApiError> {
        self.write(scope, Request::new(self.all(scope), LightMethod::Put), &Value::Array(commands.to_vec())).await
    }

    /// Deletes a command, and with it the permissions that administrators gave it.
    pub(crate) async fn remove(&self, scope: Scope, id: u64) -> Result<(), ApiError> {
        self.send(scope, Request::new(self.one(scope, id), LightMethod::Delete)).await.map(drop)
    }

    async fn write(&self, scope: Scope, request: Request<'_>, body: &Value) -> Result<(), ApiError> {
        self.send(scope, request.body(Some(body.to_string().into_bytes()))).await.map(drop)
    }

    fn all(&self, scope: Scope) -> Route<'static> {
        match scope {
            Scope::Global => Route::Commands { application_id: self.application },
            Scope::Guild(guild) => {
                Route::GuildCommands { application_id: self.application, guild_id: GuildId::new(guild.0) }
            }
        }
    }

    fn one(&self, scope: Scope, id: u64) -> Route<'static> {
        let command_id = CommandId::new(id);
        match scope {
            Scope::Global => Route::Command { application_id: self.application, command_id },
            Scope::Guild(guild) => {
                Route::GuildCommand { application_id: self.application, guild_id: GuildId::new(guild.0), command_id }
            }
        }
    }

    async fn send(&self, scope: Scope, request: Request<'_>) -> Result<Value, ApiError> {
        let kind = (kind(*request.method_ref()), scope);
        let mut limited = UNSAID;
        for _try in 0..TRIES_MAX {
            self.keep_pace(kind).await;
            self.rest.spared().map_err(|problem| ApiError::Lost(problem.to_string()))?;
            let built = request.clone().build(&self.client, self.rest.token(), self.rest.proxy.as_deref());
            let built = built.map_err(|problem| ApiError::Lost(problem.to_string()))?;
            let response = built.send().await.map_err(|problem| ApiError::of_way(&problem))?;
            self.note_pace(kind, &response);
            let status = response.status().as_u16();
            let is_shared = response.headers().get("x-ratelimit-scope").is_some_and(|scope| scope == "shared");
            self.rest.answered(status, is_shared).await;
            let wait = seconds(&response, "retry-after");
            let bytes = response.bytes().await.map_err(|problem| ApiError::of_way(&problem))?;
            let read = serde_json::from_slice(&bytes);
            if (200..300).contains(&status) && read.is_err() && !bytes.is_empty() {
                // A page of a proxy: it is unknown whether anything is in place.
                return Err(ApiError::Lost("what answered is not Discord".to_owned()));
            }
            let body: Value = read.unwrap_or_default();
            match status {
                200..300 => return Ok(body),
                429 => {
                    let asked = body.get("retry_after").and_then(Value::as_f64);
                    limited = asked
                        .and_then(|wait| Duration::try_from_secs_f64(wait).ok())
                        .or(wait)
                        .unwrap_or(UNSAID)
                        .min(BELIEVED_MAX);
                    if WAIT_MAX < limited {
                        break;
                    }
                    info!(wait_s = limited.as_secs_f64(), "Discord limits the rate of changes to commands; waiting");
                    sleep(limited).await;
                }
                _ => return Err(ApiError::of_answer(status, &body)),
            }
        }
        Err(ApiError::Limited(limited))
    }

    async fn keep_pace(&self, kind: (&'static str, Scope)) {
        let free_at = self.pace.lock().unwrap_or_else(PoisonError::into_inner).get(&kind).copied();
        if let Some(free_at) = free_at {
            sleep_until(free_at).await;
        }
    }

    /// Stores how long Discord accepts no more requests of a kind.
    fn note_pace(&self, kind: (&'static str, Scope), response: &Response) {
        let remaining = response.headers().get("x-ratelimit-remaining").and_then(|value| value.to_str().ok());
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        match (remaining, seconds(response, "x-ratelimit-reset-after")) {
            (Some("0"), Some(reset)) => {
                if PACE_MAX < reset {
                    warn!(reset_s = reset.as_secs(), "Discord asks for a long pause between changes to commands");
                }
                if PACES_MAX <= pace.len() {
                    let now = Instant::now();
                    pace.retain(|_, free_at| now < *free_at);
                }
                pace.insert(kind, Instant::now() + reset.min(PACE_MAX));
            }
            _ => {
                pace.remove(&kind);
            }
        }
    }
}

/// Returns the kind of a request. Every change in a scope is one kind: Discord may limit them together, and hitting the
/// limit costs more than a pause.
fn kind(method: LightMethod) -> &'static str {
    match method {
        LightMethod::Get => "read",
        _ => "write",
    }
}

/// Parses a header of seconds with a fraction.
fn seconds(response: &Response, header: &str) -> Option<Duration> {
    let value = response.headers().get(header)?.to_str().ok()?;
    Duration::try_from_secs_f64(value.parse().ok()?).ok()
}
