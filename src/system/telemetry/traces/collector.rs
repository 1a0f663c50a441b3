//! The collector: its address, and the HTTP client that reaches it.

use std::time::Duration;

use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use reqwest::Client;
use reqwest::redirect::Policy;
use tokio::runtime::Handle;

use candor_core::settings::{AddressError, is_readable_on_the_way, web_address};

const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// The most bytes of an answer that are read. A collector's answers are short.
const ANSWER_LENGTH_MAX: usize = 64 * 1024;

/// The variable with the collector's address for traces, and the one for all signals.
const ADDRESSES: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// Why traces are not exported although the environment names a collector. Never repeats the address.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoTraces {
    #[error("{0} {1}")]
    Address(&'static str, AddressError),
    #[error(
        "{0} is `http://` to another machine: write `https://`, or set OTEL_EXPORTER_OTLP_INSECURE=true if nobody else \
         can read what is on the way"
    )]
    Readable(&'static str),
    /// Another invalid variable, or TLS cannot be set up.
    #[error("the exporter cannot be set up: {0}")]
    Setup(String),
}

/// The HTTP client. Requests run on the bot's runtime, whichever thread waits for them.
#[derive(Debug)]
pub(super) struct Collector {
    client: Client,
    runtime: Handle,
}

impl Collector {
    /// Creates a client for the collector that the environment names. Does not connect yet.
    pub(super) fn named(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, NoTraces> {
        if !is_to_export(&variable)? {
            return Ok(None);
        }
        let setup = |problem: String| NoTraces::Setup(problem);
        let client = Client::builder()
            .user_agent(concat!("candor/", env!("CARGO_PKG_VERSION")))
            .timeout(ANSWER_WITHIN)
            // Headers may hold a key, which is for the named host only.
            .redirect(Policy::none())
            .no_proxy()
            .build();
        let client = client.map_err(|problem| setup(problem.to_string()))?;
        let runtime = Handle::try_current().map_err(|problem| setup(problem.to_string()))?;
        Ok(Some(Self { client, runtime }))
    }
}

/// Returns whether the environment names a collector for traces and allows the export.
fn is_to_export(variable: &impl Fn(&str) -> Option<String>) -> Result<bool, NoTraces> {
    let is_true = |name| variable(name).is_some_and(|value| value.trim().eq_ignore_ascii_case("true"));
    let is_off = is_true("OTEL_SDK_DISABLED") || variable("OTEL_TRACES_EXPORTER").is_some_and(|value| value == "none");
    let named = ADDRESSES.into_iter().find_map(|name| Some((name, variable(name)?)));
    let (false, Some((name, address))) = (is_off, named) else { return Ok(false) };
    let address = web_address(&address).map_err(|problem| NoTraces::Address(name, problem))?;
    if is_readable_on_the_way(&address) && !is_true("OTEL_EXPORTER_OTLP_INSECURE") {
        return Err(NoTraces::Readable(name));
    }
    Ok(true)
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let request = reqwest::Request::try_from(request)?;
        let client = self.client.clone();
        self.runtime.spawn(async move { sent(&client, request).await }).await?
    }
}

async fn sent(client: &Client, request: reqwest::Request) -> Result<Response<Bytes>, HttpError> {
    let mut answer = client.execute(request).await?;
    let status = answer.status();
    let headers = std::mem::take(answer.headers_mut());
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await? {
        if body.len() + piece.len() > ANSWER_LENGTH_MAX {
            return Err("the collector's answer is too long".into());
        }
        body.extend_from_slice(&piece);
    }
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}
