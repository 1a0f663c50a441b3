//! Limits of time and size for what a server sends.

use std::time::Duration;

/// The bounds of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest that the handshake may take. Servers in Python and Node take seconds on a busy machine.
    pub start: Duration,
    /// The largest message that is read, in bytes. What is larger ends the connection.
    pub message_bytes: usize,
    /// The largest piece of a result (an image, say) whose data is kept, in bytes.
    pub piece_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { start: Duration::from_secs(30), message_bytes: 1024 * 1024, piece_bytes: 512 * 1024 }
    }
}
