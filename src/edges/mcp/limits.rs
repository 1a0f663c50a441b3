//! Time and size limits for a server's messages.

use std::time::Duration;

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
