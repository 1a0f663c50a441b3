//! Validates every message on both transports: an answer must belong to one request, and a server must not flood.

use std::collections::{BTreeSet, HashSet};
use std::pin::Pin;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::time::Instant;
use tracing::{debug, warn};

use crate::mcp::end::End;
use crate::mcp::error::{McpError, said};
use crate::mcp::wire::{Http, Lines};

/// The most messages a second that answer no request. Progress reports stay far below it.
const UNASKED_MAX: u32 = 1_000;
/// How many cancelled requests are remembered, so that a late answer is not an error.
const GIVEN_UP_MAX: usize = 1_000;

pub(crate) enum Wire {
    Lines(Lines),
    Http(Http),
}

/// A transport with checked messages. A protocol error ends it; a line that is not a message is skipped.
pub(crate) struct Checked {
    wire: Wire,
    end: End,
    requests: Requests,
    unasked: Unasked,
    /// Whether invalid output was skipped and reported with a warning.
    has_passed_over: bool,
}

impl Checked {
    pub(crate) fn new(wire: Wire, end: End) -> Self {
        let unasked = Unasked { since: Instant::now(), n: 0 };
        Self { wire, end, requests: Requests::default(), unasked, has_passed_over: false }
    }

    async fn next(&mut self) -> Result<ServerJsonRpcMessage, McpError> {
        loop {
            let message = match &mut self.wire {
                Wire::Lines(lines) => lines.receive().await,
                Wire::Http(http) => Ok(http.receive().await),
            };
            let mut message = match message {
                Ok(message) => message.ok_or(McpError::Exited)?,
                // Other output of a server, such as a banner or a log line.
                Err(McpError::Malformed { what }) => {
                    self.pass_over(&what)?;
                    continue;
                }
                Err(fault) => return Err(fault),
            };
            match &mut message {
                JsonRpcMessage::Response(response) => self.requests.answered(&response.id)?,
                JsonRpcMessage::Error(error) => match &error.id {
                    Some(id) => self.requests.answered(id)?,
                    None => match self.requests.meant_by_no_id() {
                        // Without an id, the error would reach no request.
                        Some(id) => error.id = Some(id),
                        None => {
                            self.pass_over(&format!(
                                "it reports an error of no request: {}",
                                said(&error.error.message)
                            ))?;
                            continue;
                        }
                    },
                },
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => self.unasked.one_more()?,
            }
            return Ok(message);
        }
    }

    fn pass_over(&mut self, what: &str) -> Result<(), McpError> {
        if std::mem::replace(&mut self.has_passed_over, true) {
            debug!(what, "ignored invalid output of an MCP server");
        } else {
            warn!(what, "ignored invalid output of an MCP server; more of it is logged at `debug`");
        }
        self.unasked.one_more()
    }
}

impl Transport<RoleClient> for Checked {
    type Error = McpError;

    fn send(&mut self, message: ClientJsonRpcMessage) -> impl Future<Output = Result<(), McpError>> + Send + 'static {
        self.requests.sent(&message);
        let sent: Pin<Box<dyn Future<Output = _> + Send>> = match &self.wire {
            Wire::Lines(lines) => Box::pin(lines.send(message)),
            Wire::Http(http) => Box::pin(http.send(message)),
        };
        sent
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        if self.end.reason().is_some() {
            return None;
        }
        self.next().await.map_err(|fault| self.end.set(fault)).ok()
    }

    async fn close(&mut self) -> Result<(), McpError> {
        if let Wire::Http(http) = &self.wire {
            http.close().await;
        }
        Ok(())
    }
}

#[derive(Default)]
struct Requests {
    open: HashSet<i64>,
    given_up: BTreeSet<i64>,
    highest: Option<i64>,
    /// The highest request at the time of a notification that the server may still object to: servers answer roughly in
    /// order.
    notified_after: Option<i64>,
}

impl Requests {
    fn sent(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                if let Some(id) = number(&request.id) {
                    self.open.insert(id);
                    self.highest = self.highest.max(Some(id));
                }
            }
            JsonRpcMessage::Notification(notification) => {
                self.notified_after = self.highest;
                let ClientNotification::CancelledNotification(cancelled) = &notification.notification else { return };
                let id = cancelled.params.request_id.as_ref().and_then(number);
                if let Some(id) = id.filter(|id| self.open.remove(id)) {
                    self.given_up.insert(id);
                    if GIVEN_UP_MAX < self.given_up.len() {
                        self.given_up.pop_first();
                    }
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    fn answered(&mut self, id: &RequestId) -> Result<(), McpError> {
        let number = number(id);
        if self.notified_after < number {
            self.notified_after = None;
        }
        match number {
            Some(number) if self.open.remove(&number) || self.given_up.remove(&number) => Ok(()),
            Some(number) if self.highest.is_some_and(|highest| (0..=highest).contains(&number)) => {
                Err(McpError::malformed(format!("it answered the request {number} a second time")))
            }
            _ => Err(McpError::malformed(format!(
                "it answered the request `{}`, which was never made",
                said(&id.to_string())
            ))),
        }
    }

    /// Returns the request that an error without an id must belong to. `None` if it may be about a notification.
    fn meant_by_no_id(&mut self) -> Option<RequestId> {
        if self.notified_after.take().is_some() {
            return None;
        }
        let mut open = self.open.iter();
        let (Some(&id), None) = (open.next(), open.next()) else { return None };
        self.open.remove(&id);
        Some(RequestId::Number(id))
    }
}

/// Returns the number of a request. Some servers return it as a text.
fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(text) => text.parse().ok(),
    }
}

/// Messages within a second that answer no request.
struct Unasked {
    since: Instant,
    n: u32,
}

impl Unasked {
    fn one_more(&mut self) -> Result<(), McpError> {
        if Duration::from_secs(1) <= self.since.elapsed() {
            (self.since, self.n) = (Instant::now(), 0);
        }
        self.n += 1;
        if UNASKED_MAX < self.n {
            let what = format!("it sent more than {UNASKED_MAX} messages within a second that answer nothing");
            return Err(McpError::malformed(what));
        }
        Ok(())
    }
}
