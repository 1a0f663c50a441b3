//! Reads one message of a server.

use rmcp::model::ServerJsonRpcMessage;
use serde_json::Value;

use crate::error::{McpError, said};

/// Parses a message; `None` for white space. `source` names its origin for errors: "a line of its output".
pub(super) fn read(bytes: &[u8], source: &str) -> Result<Option<ServerJsonRpcMessage>, McpError> {
    let text = std::str::from_utf8(bytes).map_err(|problem| {
        McpError::malformed(format!("{source} is not UTF-8, from byte {} on", problem.valid_up_to()))
    })?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(None);
    }
    match serde_json::from_str(text) {
        Ok(message) => Ok(Some(message)),
        Err(_) if serde_json::from_str::<Value>(text).is_ok() => {
            Err(McpError::malformed(format!("{source} is JSON, but no message of MCP: {}", said(text))))
        }
        Err(_) => Err(McpError::malformed(format!("{source} is not JSON: {}", said(text)))),
    }
}
