//! When a failed request is sent again, and when requests are paused.

pub(crate) mod breaker;
mod conversation;
pub(crate) mod retry;
pub(crate) mod retry_after;
pub(crate) mod retry_policy;
