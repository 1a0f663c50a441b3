//! The interface of a chat model.

use std::time::Duration;

use async_trait::async_trait;

use crate::agent::failure::ModelFailure;
use crate::agent::prompt::Transcript;
use crate::agent::tools::{Completion, OfferedSet};

/// A chat model. The person's words are in a [`Transcript`], which takes them only as a
/// [`ChatText`](crate::router::ChatText), and only the router makes one: slash text cannot get here.
#[async_trait]
pub trait Model: Send + Sync {
    /// Requests one complete answer, within the time given.
    async fn complete(&self, request: Request<'_>) -> Result<Completion, ModelFailure>;
}

/// One request to a model.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The conversation that it is shown.
    pub transcript: &'a Transcript,
    /// The tools to offer as the API's own tool calls. Empty in text mode, where the system text offers them.
    pub tools: &'a OfferedSet,
    /// The timeout: the answer is useless after this.
    pub within: Duration,
}
