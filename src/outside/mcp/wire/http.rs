//! Messages over streamable HTTP: each is posted, and its answer is JSON or a stream of events.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult,
};
use secrecy::ExposeSecret as _;
use tokio::sync::{OnceCell, mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tracing::warn;

use crate::mcp::address::{Authorization, HttpAddress};
use crate::mcp::end::End;
use crate::mcp::error::McpError;
use crate::mcp::oauth::Tokens;
use crate::mcp::wire::message;
use crate::mcp::wire::message::EventStream;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// The pause before an ended notification stream is opened again.
const LISTEN_AGAIN: Duration = Duration::from_secs(5);
/// The most messages that wait to be read.
const WAITING_MAX: usize = 64;
/// The longest session id that is sent back, in bytes.
const SESSION_MAX: usize = 256;

pub(crate) struct Http {
    session: Arc<Session>,
    arrived: mpsc::Receiver<ServerJsonRpcMessage>,
}

struct Session {
    client: Client,
    address: HttpAddress,
    max: usize,
    end: End,
    arriving: mpsc::Sender<ServerJsonRpcMessage>,
    state: Mutex<State>,
    /// The tokens of the sign-in, once they are loaded.
    tokens: OnceCell<Tokens>,
}

#[derive(Default)]
struct State {
    id: Option<String>,
    version: Option<String>,
    /// Requests in flight. Dropping a sender stops the wait for its answer.
    awaited: HashMap<RequestId, oneshot::Sender<()>>,
    listening: Option<AbortHandle>,
}

impl Http {
    pub(crate) fn new(address: HttpAddress, max: usize, end: End) -> Result<Self, McpError> {
        address.check()?;
        let client = Client::builder()
            .user_agent(concat!("candor/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            // Neither may carry the token to a host that the operator never named.
            .redirect(Policy::none())
            .no_proxy()
            .build()
            .map_err(|problem| unreachable(&problem))?;
        let (arriving, arrived) = mpsc::channel(WAITING_MAX);
        let state = Mutex::default();
        let tokens = OnceCell::new();
        let session = Session { client, address, max, end, arriving, state, tokens };
        Ok(Self { session: Arc::new(session), arrived })
    }

    pub(super) fn send(
        &self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), McpError>> + Send + 'static {
        let session = Arc::clone(&self.session);
        async move { session.send(message).await }
    }

    /// Returns the next message; `None` when the session ended. Cancel-safe.
    pub(super) async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        tokio::select! {
            // A message that arrived before the end counts.
            biased;
            message = self.arrived.recv() => message,
            _ = self.session.end.wait() => None,
        }
    }

    pub(super) async fn close(&self) {
        let has_session = self.session.state().id.is_some();
        if has_session {
            let told = self.session.request(self.session.client.delete(self.session.address.url.clone()));
            // Best effort: servers also expire sessions by themselves.
            let told = async { told.await.ok()?.send().await.ok() };
            drop(timeout(CLOSE_TIMEOUT, told).await);
        }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        if let Some(listening) = self.session.state().listening.take() {
            listening.abort();
        }
    }
}

impl Session {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // The state is consistent between any two statements, so a panic cannot break it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn request(&self, request: RequestBuilder) -> Result<RequestBuilder, McpError> {
        let request = match &self.address.authorization {
            Authorization::None => request,
            Authorization::Bearer(token) => request.bearer_auth(token.expose_secret()),
            Authorization::OAuth(_) | Authorization::Machine(_) => {
                let tokens = self.tokens.get_or_try_init(|| Tokens::of(&self.address)).await?;
                request.bearer_auth(tokens.access().await?.expose_secret())
            }
        };
        let state = self.state();
        let headers = [(SESSION, &state.id), (VERSION, &state.version)];
        let headers = headers.into_iter().filter_map(|(name, value)| value.as_ref().map(|value| (name, value)));
        Ok(headers.fold(request, |request, (name, value)| request.header(name, value)))
    }

    async fn send(self: Arc<Self>, message: ClientJsonRpcMessage) -> Result<(), McpError> {
        let request = match &message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let mut is_initialized = false;
        let (awaited, given_up) = oneshot::channel();
        match (&request, &message) {
            (Some(id), _) => drop(self.state().awaited.insert(id.clone(), awaited)),
            (None, JsonRpcMessage::Notification(notification)) => match &notification.notification {
                ClientNotification::CancelledNotification(cancelled) => {
                    let id = cancelled.params.request_id.as_ref();
                    drop(id.and_then(|id| self.state().awaited.remove(id)));
                }
                ClientNotification::InitializedNotification(_) => is_initialized = true,
                _ => {}
            },
            _ => {}
        }
        let sent = match &request {
            Some(id) => {
                let sent = tokio::select! {
                    sent = self.post(&message, Some(id)) => sent,
                    _ = given_up => Ok(()),
                };
                self.state().awaited.remove(id);
                sent
            }
            None => self.post(&message, None).await,
        };
        if is_initialized && sent.is_ok() {
            let listening = tokio::spawn(listen(Arc::clone(&self))).abort_handle();
            self.state().listening = Some(listening);
        }
        sent
    }

    async fn post(&self, message: &ClientJsonRpcMessage, request: Option<&RequestId>) -> Result<(), McpError> {
        let mut response = self.posted(message).await?;
        if response.status() == StatusCode::UNAUTHORIZED
            && let Some(tokens) = self.tokens.get()
        {
            tokens.renew().await?;
            response = self.posted(message).await?;
        }
        self.note_session(&response)?;
        let status = response.status();
        let had_session = self.state().id.is_some();
        if status == StatusCode::NOT_FOUND && had_session {
            let over = McpError::unreachable("its session is over");
            self.end.set(over.clone());
            return Err(over);
        }
        let Some(id) = request else {
            return if status.is_success() { Ok(()) } else { Err(refused(status)) };
        };
        match media_type(&response).as_str() {
            "application/json" if status.is_success() || status.is_client_error() || status.is_server_error() => {
                let body = self.body(response).await?;
                match message::read(&body, "the body of its answer") {
                    Ok(Some(message)) => self.arrived(message).await,
                    // For example an error page of a proxy or a gateway.
                    _ if !status.is_success() => Err(refused(status)),
                    Ok(None) => Err(McpError::malformed("the body of its answer is empty")),
                    Err(fault) => Err(fault),
                }
            }
            _ if !status.is_success() => Err(refused(status)),
            "text/event-stream" => self.events(response, Some(id)).await,
            "" => Err(McpError::malformed(format!("it answered a request with HTTP {status} and no content"))),
            other => {
                let other = crate::mcp::error::said(other);
                Err(McpError::malformed(format!("its answer is `{other}`, neither JSON nor a stream of events")))
            }
        }
    }

    async fn posted(&self, message: &ClientJsonRpcMessage) -> Result<Response, McpError> {
        let post = self.request(self.client.post(self.address.url.clone())).await?;
        let post = post.header(ACCEPT, "application/json, text/event-stream").json(message);
        post.send().await.map_err(|problem| if problem.is_connect() { unreachable(&problem) } else { lost(&problem) })
    }

    fn note_session(&self, response: &Response) -> Result<(), McpError> {
        let Some(id) = response.headers().get(SESSION) else { return Ok(()) };
        let fitting = id.to_str().ok().filter(|id| id.len() <= SESSION_MAX);
        let id = fitting.ok_or_else(|| {
            McpError::malformed(format!("its session id is not visible ASCII of at most {SESSION_MAX} characters"))
        })?;
        self.state().id.get_or_insert_with(|| id.to_owned());
        Ok(())
    }

    async fn body(&self, mut response: Response) -> Result<Vec<u8>, McpError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|problem| lost(&problem))? {
            if self.max < body.len() + chunk.len() {
                let max = format!("{} bytes", self.max);
                return Err(McpError::TooLarge { what: "the body of its answer", max });
            }
            body.extend(chunk);
        }
        Ok(body)
    }

    /// Forwards the messages of a stream, up to the answer of the request or the end of the stream.
    async fn events(&self, mut response: Response, until: Option<&RequestId>) -> Result<(), McpError> {
        let mut stream = EventStream::new(self.max);
        while let Some(chunk) = response.chunk().await.map_err(|problem| lost(&problem))? {
            for event in stream.take(&chunk)? {
                let message = match message::read(&event, "an event of its stream") {
                    Ok(Some(message)) => message,
                    Ok(None) => continue,
                    // A bad event says nothing about the next one.
                    Err(fault) => {
                        warn!(error = %fault, "ignored invalid output of an MCP server");
                        continue;
                    }
                };
                let answered = match &message {
                    JsonRpcMessage::Response(response) => Some(response.id.clone()),
                    JsonRpcMessage::Error(error) => error.id.clone(),
                    _ => None,
                };
                self.arrived(message).await?;
                if answered.is_some() && answered.as_ref() == until {
                    return Ok(());
                }
            }
        }
        match until {
            Some(_) => Err(McpError::malformed("its stream of events ended without the answer")),
            None => Ok(()),
        }
    }

    async fn arrived(&self, message: ServerJsonRpcMessage) -> Result<(), McpError> {
        if let JsonRpcMessage::Response(response) = &message
            && let ServerResult::InitializeResult(result) = &response.result
        {
            let version = result.protocol_version.to_string();
            // The version check comes next and refuses a version that no header can carry.
            let fits = version.bytes().all(|byte| byte.is_ascii_graphic());
            self.state().version = fits.then_some(version);
        }
        self.arriving.send(message).await.map_err(|_| McpError::Closed)
    }
}

/// Reads the server's notification stream, if it has one.
async fn listen(session: Arc<Session>) {
    loop {
        let get = match session.request(session.client.get(session.address.url.clone())).await {
            Ok(get) => get.header(ACCEPT, "text/event-stream"),
            Err(fault) => return session.end.set(fault),
        };
        match get.send().await {
            Ok(response) if response.status().is_success() && media_type(&response) == "text/event-stream" => {
                match session.events(response, None).await {
                    Ok(()) | Err(McpError::Unreachable { .. } | McpError::Lost { .. }) => {}
                    Err(fault) => return session.end.set(fault),
                }
            }
            // The server has no such stream.
            Ok(_) => return,
            Err(_) => {}
        }
        tokio::time::sleep(LISTEN_AGAIN).await;
    }
}

fn media_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn refused(status: StatusCode) -> McpError {
    if status.is_server_error() {
        // The server, or a gateway before it, failed while handling the request.
        return McpError::Lost { what: format!("HTTP {status}") };
    }
    McpError::unreachable(match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            format!("HTTP {status}: its token is missing or is not accepted")
        }
        _ if status.is_redirection() => {
            format!("HTTP {status}: it points elsewhere, where nobody follows; name that address if it is right")
        }
        _ => format!("HTTP {status}"),
    })
}

fn lost(problem: &reqwest::Error) -> McpError {
    McpError::Lost { what: cause(problem) }
}

fn unreachable(problem: &reqwest::Error) -> McpError {
    McpError::unreachable(cause(problem))
}

/// Without the address: it is in the settings, and may contain more than belongs in a log.
fn cause(problem: &reqwest::Error) -> String {
    let mut causes = Vec::new();
    let mut cause = std::error::Error::source(problem);
    while let Some(inner) = cause {
        causes.push(inner.to_string());
        cause = inner.source();
    }
    let what = causes.pop().unwrap_or_else(|| "the request failed".to_owned());
    crate::mcp::error::said(&what)
}
