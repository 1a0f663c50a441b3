//! A connection to one server.

use std::future::Future;
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ErrorCode, ListToolsRequest, PaginatedRequestParams,
    ProtocolVersion, RequestMetaObject, RequestParamsMeta as _,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, Peer, PeerRequestOptions, RunningService, ServiceError,
    serve_client_with_lifecycle,
};
use rmcp::{ErrorData, RoleClient};
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, timeout, timeout_at};

use crate::mcp::address::HttpAddress;
use crate::mcp::answer::ToolResult;
use crate::mcp::end::End;
use crate::mcp::error::{McpError, Step, said};
use crate::mcp::silence::Quiet;
use crate::mcp::tool::{ToolList, Tools};
use crate::mcp::wire::{Checked, Http, Lines, Wire};

const PAGES_MAX: usize = 50;
/// How long the server may take to receive a cancellation or the end of the connection.
const FAREWELL: Duration = Duration::from_secs(1);

/// The key of the language in the `_meta` of a call. See the protocol's specification, "General fields".
const LANGUAGE: &str = "candor/language";

/// A server with tools, after the handshake. Dropping it ends the connection.
pub struct Server {
    peer: Peer<RoleClient>,
    running: Mutex<RunningService<RoleClient, Quiet>>,
    changes: watch::Receiver<u64>,
    end: End,
    limits: Limits,
    name: String,
    protocol: String,
}

impl Server {
    /// Connects to a program: one message a line. The pipes are closed with the connection; the program stays the
    /// caller's.
    ///
    /// # Errors
    ///
    /// The handshake failed, the server has no tools, or it took longer than [`Limits::start`].
    pub async fn over_streams(
        stdin: Box<dyn AsyncWrite + Send + Unpin>,
        stdout: Box<dyn AsyncRead + Send + Unpin>,
        limits: Limits,
    ) -> Result<Self, McpError> {
        let wire = Wire::Lines(Lines::new(stdin, stdout, limits.message_bytes));
        Self::start(wire, End::new(), limits).await
    }

    /// Connects to a server over streamable HTTP. Follows no redirects, and ignores proxies in the environment.
    ///
    /// # Errors
    ///
    /// Those of [`Server::over_streams`], and an address without the required encryption.
    pub async fn over_http(address: HttpAddress, limits: Limits) -> Result<Self, McpError> {
        let end = End::new();
        let wire = Wire::Http(Http::new(address, limits.message_bytes, end.clone())?);
        Self::start(wire, end, limits).await
    }

    async fn start(wire: Wire, end: End, limits: Limits) -> Result<Self, McpError> {
        let (sender, changes) = watch::channel(0);
        let checked = Checked::new(wire, end.clone());
        let served = serve_client_with_lifecycle(Quiet { changes: sender }, checked, ClientLifecycleMode::Initialize);
        let served = timeout(limits.start, served).await.map_err(|_| McpError::TimedOut { step: Step::Start })?;
        let running = served.map_err(|problem| end.reason().unwrap_or_else(|| of_handshake(problem)))?;
        let peer = running.peer().clone();
        let Some(info) = peer.peer_info() else {
            return Err(McpError::Handshake { what: "the server did not say what it is".to_owned() });
        };
        let spoken = || ProtocolVersion::KNOWN_VERSIONS.iter().filter(|version| version.has_initialize());
        if !spoken().any(|version| *version == info.protocol_version) {
            return Err(of_version(&info.protocol_version.to_string()));
        }
        if info.capabilities.tools.is_none() {
            return Err(McpError::NoTools);
        }
        let name = info.server_info.as_ref().map(|server| format!("{} {}", server.name, server.version));
        Ok(Self {
            peer,
            running: Mutex::new(running),
            changes,
            end,
            limits,
            name: said(&name.unwrap_or_default()),
            protocol: said(&info.protocol_version.to_string()),
        })
    }

    /// Returns the server's name for itself, with its version: untrusted, on one line.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn protocol(&self) -> &str {
        &self.protocol
    }

    /// Lists all tools, page by page. The list ends at a page that names no next one or brings no new tool.
    ///
    /// # Errors
    ///
    /// Fails after `within`, on more than 200 tools or 50 pages, or if the answer is not a list.
    pub async fn tools(&self, within: Duration) -> Result<ToolList, McpError> {
        let deadline = Instant::now() + within;
        let mut tools = Tools::default();
        let mut cursor = None;
        for _ in 0..PAGES_MAX {
            let params = Some(PaginatedRequestParams::default().with_cursor(cursor));
            let page = ListToolsRequest { params, ..ListToolsRequest::default() };
            let page = self.ask(ClientRequest::ListToolsRequest(page), deadline, Step::Tools).await?;
            let Value::Array(listed) = &page["tools"] else {
                return Err(McpError::malformed("its answer to `tools/list` is not a list of tools"));
            };
            let has_new = tools.add_page(listed)?;
            cursor = page["nextCursor"].as_str().filter(|next| has_new && !next.is_empty()).map(str::to_owned);
            if cursor.is_none() {
                return Ok(tools.into_list());
            }
        }
        Err(McpError::TooLarge { what: "the list of its tools", max: format!("{PAGES_MAX} pages") })
    }

    /// Runs a tool. After `within`, the call is cancelled at the server.
    ///
    /// # Errors
    ///
    /// The server refused or broke the protocol, took longer than `within`, or the connection ended. A tool that
    /// reports its own failure is not an error here: see [`ToolResult::is_error`].
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        within: Duration,
    ) -> Result<ToolResult, McpError> {
        self.call_in(None, tool, arguments, within).await
    }

    /// Like [`Server::call`], and tells the server the language of the reader: a tag such as `de`, in the call's
    /// `_meta` under `candor/language`.
    ///
    /// # Errors
    ///
    /// Those of [`Server::call`].
    pub async fn call_in(
        &self,
        language: Option<&str>,
        tool: &str,
        arguments: Map<String, Value>,
        within: Duration,
    ) -> Result<ToolResult, McpError> {
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        if let Some(tag) = language {
            params.set_meta(RequestMetaObject(Map::from_iter([(LANGUAGE.to_owned(), tag.into())]).into()));
        }
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let answer = self.ask(request, Instant::now() + within, Step::Call).await?;
        ToolResult::read(&answer, self.limits.piece_bytes)
    }

    /// Returns the result as JSON: rmcp's types refuse all of it for one unknown word.
    async fn ask(&self, request: ClientRequest, deadline: Instant, step: Step) -> Result<Value, McpError> {
        if let Some(reason) = self.end.reason() {
            return Err(reason);
        }
        let late = |_| McpError::TimedOut { step };
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options());
        let sent = timeout_at(deadline, sent).await.map_err(late)?;
        let mut handle = sent.map_err(|problem| self.of_service(problem))?;
        let answer = timeout_at(deadline, async {
            tokio::select! {
                // A message that arrived before the end counts.
                biased;
                answer = &mut handle.rx => match answer {
                    Ok(answer) => answer.map_err(|problem| self.of_service(problem)),
                    // rmcp drops its requests when its loop ends, possibly before the reason is known.
                    Err(_) => Err(self.end.reason().unwrap_or(McpError::Closed)),
                },
                reason = self.end.wait() => Err(reason),
            }
        });
        match answer.await {
            Ok(answer) => {
                serde_json::to_value(answer?).map_err(|problem| McpError::malformed(said(&problem.to_string())))
            }
            Err(elapsed) => {
                // A server that does not read will not receive it.
                drop(timeout(FAREWELL, handle.cancel(Some("nobody is waiting any longer".to_owned()))).await);
                Err(late(elapsed))
            }
        }
    }

    fn of_service(&self, problem: ServiceError) -> McpError {
        match problem {
            ServiceError::McpError(ErrorData { code, message, .. }) => McpError::refused(code.0, &message),
            ServiceError::TransportSend(problem) => {
                let ours = problem.error.downcast_ref::<McpError>().cloned();
                ours.unwrap_or_else(|| McpError::unreachable(said(&problem.error.to_string())))
            }
            ServiceError::TransportClosed => self.end.reason().unwrap_or(McpError::Closed),
            other => McpError::malformed(said(&other.to_string())),
        }
    }

    /// Returns a receiver that changes when the server reports a change of its tools: list them again with
    /// [`Server::tools`].
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }

    /// Waits until the connection ended, and returns the reason. Over HTTP, it ends only if the server or
    /// [`Server::close`] ends it, or if the server breaks the protocol.
    pub fn closed(&self) -> impl Future<Output = McpError> + Send + use<> {
        let end = self.end.clone();
        async move { end.wait().await }
    }

    /// Ends the connection: waiting calls get [`McpError::Closed`].
    pub async fn close(&self) {
        self.end.set(McpError::Closed);
        let mut running = self.running.lock().await;
        // After the timeout, its task ends by itself.
        drop(running.close_with_timeout(FAREWELL).await);
    }
}

fn of_handshake(problem: ClientInitializeError) -> McpError {
    let what = match problem {
        ClientInitializeError::TransportError { error, .. } => {
            let ours = error.error.downcast_ref::<McpError>().cloned();
            return match ours {
                // No call can have run yet.
                Some(McpError::Lost { what }) => McpError::unreachable(what),
                ours => ours.unwrap_or_else(|| McpError::unreachable(said(&error.error.to_string()))),
            };
        }
        ClientInitializeError::ConnectionClosed(_) => return McpError::Exited,
        ClientInitializeError::JsonRpcError(ErrorData { code, data, .. })
            if code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION =>
        {
            return of_version(&data.unwrap_or_default().to_string());
        }
        ClientInitializeError::JsonRpcError(error) => {
            format!("the server refused: {} (code {})", said(&error.message), error.code.0)
        }
        ClientInitializeError::ExpectedInitResult(_) => "its answer to `initialize` is none".to_owned(),
        other => said(&other.to_string()),
    };
    McpError::Handshake { what }
}

fn of_version(theirs: &str) -> McpError {
    let ours = ProtocolVersion::KNOWN_VERSIONS.iter().filter(|version| version.has_initialize());
    let ours: Vec<_> = ours.map(ToString::to_string).collect();
    McpError::ProtocolVersion { theirs: said(theirs), ours: ours.join(", ") }
}

/// Time and size limits for a server's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest handshake. Servers in Python and Node take seconds on a busy machine.
    pub start: Duration,
    /// The largest message read, in bytes. A larger one ends the connection.
    pub message_bytes: usize,
    /// The largest piece of a result (such as an image) whose data is kept, in bytes.
    pub piece_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { start: Duration::from_secs(30), message_bytes: 1024 * 1024, piece_bytes: 512 * 1024 }
    }
}
