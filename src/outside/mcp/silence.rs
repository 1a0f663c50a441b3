//! The client's handler of a server's requests: it offers nothing, and notes changes of the tools.

#![expect(deprecated, reason = "servers of all versions may ask for what newer ones no longer have; they are refused")]

use std::future::{Future, ready};

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestMethod, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ElicitResult, ErrorCode, Implementation, ListRootsResult, LoggingMessageNotificationParam,
    ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use tokio::sync::watch;
use tracing::debug;

use crate::mcp::error::said;

/// A client without capabilities.
pub(crate) struct Quiet {
    /// How often the server reported a change of its tools.
    pub(crate) changes: watch::Sender<u64>,
}

/// Returns the refusal of every request of a server.
fn refused(method: &'static str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)
}

impl ClientHandler for Quiet {
    fn get_info(&self) -> ClientConfig {
        let mut info =
            ClientConfig::new(ClientCapabilities::default(), Implementation::new("candor", env!("CARGO_PKG_VERSION")));
        info.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        info
    }

    fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> impl Future<Output = Result<CreateMessageResult, ErrorData>> + Send + '_ {
        ready(Err(ErrorData::method_not_found::<CreateMessageRequestMethod>()))
    }

    fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> impl Future<Output = Result<ListRootsResult, ErrorData>> + Send + '_ {
        ready(Err(refused("roots/list")))
    }

    fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> impl Future<Output = Result<ElicitResult, ErrorData>> + Send + '_ {
        ready(Err(refused("elicitation/create")))
    }

    fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) -> impl Future<Output = ()> + Send + '_ {
        self.changes.send_modify(|changes| *changes = changes.wrapping_add(1));
        ready(())
    }

    fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) -> impl Future<Output = ()> + Send + '_ {
        debug!(line = %said(&params.data.to_string()), "an MCP server logs");
        ready(())
    }
}
