//! How much trouble of a server the client puts up with.

use std::time::Duration;

/// How often a question is asked again, and when a server is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often one question is asked again. 0: never.
    pub n_retries: usize,
    /// The least wait before the first retry. Each further one waits twice as long, all with some chance added.
    pub first_wait: Duration,
    /// After how many failed questions in a row nothing is asked any more. At least 1.
    pub n_failures: u32,
    /// For how long nothing is asked then.
    pub rest: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { n_retries: 2, first_wait: Duration::from_millis(250), n_failures: 5, rest: Duration::from_secs(30) }
    }
}
