//! The retry policy.

use std::time::Duration;

/// The retries of a request, and the pauses of requests to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Retries of one request. 0: never.
    pub n_retries: usize,
    /// The minimum wait before the first retry. Each further wait is twice as long, all with some jitter added.
    pub first_wait: Duration,
    /// Consecutive failed requests before further ones are paused. At least 1.
    pub n_failures: u32,
    /// The length of a pause.
    pub rest: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { n_retries: 2, first_wait: Duration::from_millis(250), n_failures: 5, rest: Duration::from_secs(30) }
    }
}
