//! Retries of failed requests, and pauses of requests to a server that keeps failing.

pub(crate) mod breaker;
mod conversation;
pub(crate) mod retry;
pub(crate) mod retry_after;
pub(crate) mod retry_policy;
