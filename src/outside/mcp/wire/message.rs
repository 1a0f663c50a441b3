//! Reads the messages of a server: one document, or the events of a stream.

use rmcp::model::ServerJsonRpcMessage;
use serde_json::Value;

use crate::mcp::error::{McpError, said};

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

pub(super) struct EventStream {
    /// The unfinished line.
    line: Vec<u8>,
    /// The data of the unfinished event.
    data: Vec<u8>,
    has_data: bool,
    /// Whether the last byte was a carriage return, which ends a line with or without a line feed after it.
    after_return: bool,
    max: usize,
}

impl EventStream {
    pub(super) fn new(max: usize) -> Self {
        Self { line: Vec::new(), data: Vec::new(), has_data: false, after_return: false, max }
    }

    /// Takes more bytes, and returns the data of the events that they complete.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, McpError> {
        let mut events = Vec::new();
        for &byte in bytes {
            let was_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if was_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ => self.line.push(byte),
            }
            if self.max < self.line.len() + self.data.len() {
                return Err(McpError::TooLarge { what: "an event of its stream", max: format!("{} bytes", self.max) });
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return std::mem::take(&mut self.has_data).then_some(data);
        }
        if let Some(data) = line.strip_prefix(b"data:") {
            if std::mem::replace(&mut self.has_data, true) {
                self.data.push(b'\n');
            }
            self.data.extend(data.strip_prefix(b" ").unwrap_or(data));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::EventStream;

    #[test]
    fn events_are_read_however_they_are_cut() {
        let stream =
            b": ping\r\nevent: message\r\nid: 4\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n\ndata:b\n\nretry: 3\n\ndata: c";
        let expected = [b"{\"a\":\n1}".to_vec(), b"b".to_vec()];
        for size in 1..stream.len() {
            let mut events = EventStream::new(100);
            let read: Vec<_> = stream.chunks(size).flat_map(|bytes| events.take(bytes).unwrap()).collect();
            assert_eq!(read, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn an_event_is_bounded_while_it_is_read() {
        let mut events = EventStream::new(20);
        assert!(events.take(b"data: 0123456789\n\ndata: 0123456789\n\n").is_ok());
        assert!(events.take(b"data: 0123456789\n").is_ok());
        let error = events.take(b"data: 0123456789").unwrap_err();
        assert_eq!(error.to_string(), "an event of its stream is larger than 20 bytes");
    }
}
