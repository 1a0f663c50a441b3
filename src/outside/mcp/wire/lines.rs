//! Messages as lines on two pipes.

use std::future::Future;

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::mcp::error::McpError;
use crate::mcp::wire::message;

/// The most messages that wait for a server that does not read. Further calls wait until their deadline.
const WAITING_MAX: usize = 64;
/// The most bytes of one read.
const CHUNK: u64 = 64 * 1024;

pub(crate) struct Lines {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    /// Bytes read: handed-on lines up to `begin`, then the rest.
    buffer: Vec<u8>,
    begin: usize,
    /// The bytes up to here contain no line end.
    searched: usize,
    max: usize,
    waiting: mpsc::Sender<Vec<u8>>,
    writer: AbortHandle,
}

impl Lines {
    pub(crate) fn new(
        writer: Box<dyn AsyncWrite + Send + Unpin>,
        reader: Box<dyn AsyncRead + Send + Unpin>,
        max: usize,
    ) -> Self {
        let (waiting, lines) = mpsc::channel(WAITING_MAX);
        // In a task of its own, so that a started message is written to its end even if its sender stops waiting.
        let writer = tokio::spawn(write(writer, lines)).abort_handle();
        Self { reader, buffer: Vec::new(), begin: 0, searched: 0, max, waiting, writer }
    }

    pub(super) fn send(
        &self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), McpError>> + Send + 'static {
        let waiting = self.waiting.clone();
        async move {
            let mut line = serde_json::to_vec(&message)
                .map_err(|problem| McpError::malformed(format!("a message cannot be written: {problem}")))?;
            line.push(b'\n');
            waiting.send(line).await.map_err(|_| McpError::Exited)
        }
    }

    /// Returns the next message; `None` at the end of the output. Cancel-safe.
    pub(super) async fn receive(&mut self) -> Result<Option<ServerJsonRpcMessage>, McpError> {
        loop {
            while let Some(line) = self.line()? {
                if let Some(message) = message::read(line, "a line of its output")? {
                    return Ok(Some(message));
                }
            }
            let mut chunk = (&mut self.reader).take(CHUNK);
            match chunk.read_buf(&mut self.buffer).await {
                // An unfinished line cannot become a message any more.
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(problem) => return Err(McpError::unreachable(format!("its output cannot be read: {problem}"))),
            }
        }
    }

    /// Returns the next whole line. Without one, makes room for more.
    fn line(&mut self) -> Result<Option<&[u8]>, McpError> {
        let too_large = || McpError::TooLarge { what: "a line of its output", max: format!("{} bytes", self.max) };
        let behind = self.buffer.get(self.searched..).unwrap_or_default();
        let Some(length) = behind.iter().position(|&byte| byte == b'\n') else {
            self.buffer.drain(..self.begin);
            (self.begin, self.searched) = (0, self.buffer.len());
            return if self.max < self.buffer.len() { Err(too_large()) } else { Ok(None) };
        };
        let begin = self.begin;
        let end = self.searched + length;
        if self.max < end - begin {
            return Err(too_large());
        }
        (self.begin, self.searched) = (end + 1, end + 1);
        Ok(self.buffer.get(begin..end))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.writer.abort();
    }
}

async fn write(mut writer: Box<dyn AsyncWrite + Send + Unpin>, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        // The reader of the output notices that the server is gone.
        if writer.write_all(&line).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}
