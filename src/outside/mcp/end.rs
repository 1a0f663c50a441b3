//! The reason why a connection ended, for all its waiters.

use tokio::sync::watch;

use crate::mcp::error::McpError;

/// The end of one connection. The first reason stays.
#[derive(Clone, Debug)]
pub(crate) struct End(watch::Sender<Option<McpError>>);

impl End {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(None))
    }

    pub(crate) fn set(&self, reason: McpError) {
        self.0.send_if_modified(|end| {
            let is_first = end.is_none();
            if is_first {
                *end = Some(reason);
            }
            is_first
        });
    }

    pub(crate) fn reason(&self) -> Option<McpError> {
        self.0.borrow().clone()
    }

    pub(crate) async fn wait(&self) -> McpError {
        let mut end = self.0.subscribe();
        let reason = end.wait_for(Option::is_some).await.ok().and_then(|reason| reason.clone());
        reason.unwrap_or(McpError::Closed)
    }
}
