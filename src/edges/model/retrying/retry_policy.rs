//! The retry policy.

use std::time::Duration;

/// How often a request is retried, and when requests to a server are paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often one request is retried. 0: never.
    pub n_retries: usize,
    /// The shortest wait before the first retry. Each further one waits twice as long, all with some jitter added.
    pub first_wait: Duration,
    /// Consecutive failed requests before further ones are paused. At least 1.
    pub n_failures: u32,
    /// How long requests are paused.
    pub rest: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { n_retries: 2, first_wait: Duration::from_millis(250), n_failures: 5, rest: Duration::from_secs(30) }
    }
}
