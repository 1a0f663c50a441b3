//! The interface of a chat model.

use std::time::Duration;

use async_trait::async_trait;

use crate::agent::conversation::ConversationKey;
use crate::agent::model::failure::ModelFailure;
use crate::agent::prompt::Transcript;
use crate::agent::tools::{Completion, OfferedSet};

/// A chat model. A person's words reach it only as a [`ChatText`](crate::router::ChatText) in a [`Transcript`]. Only
/// the router makes a `ChatText`, so slash text never gets here.
#[async_trait]
pub trait Model: Send + Sync {
    /// Requests one answer and reports its growth. If an answer breaks off after some text, it is returned with a
    /// [`Cut`](crate::agent::tools::Cut).
    async fn complete(&self, request: Request<'_>, growth: &dyn Growth) -> Result<Completion, ModelFailure>;
}

/// An observer of an answer while the model writes it.
pub trait Growth: Send + Sync {
    /// The request is being sent: from now on the provider may have read it. Not called while the request waits for a
    /// free slot. Called again for each retry.
    fn asked(&self) {}
    /// The first token of any kind arrived, including thinking and calls. Called once, before any text.
    fn began(&self);
    /// Receives the text so far, without the model's thinking. Must return at once.
    fn grew(&self, text: &str);
    /// Receives the number of tokens that the request and its answer took together, even if the answer is unusable.
    /// Called at most once for each try, and only if the provider reports it.
    fn used(&self, _tokens: u64) {}
}

/// A [`Growth`] that ignores everything.
pub struct Unwatched;

impl Growth for Unwatched {
    fn began(&self) {}

    fn grew(&self, _: &str) {}
}

#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The conversation of the request. A failure that only one conversation has does not count against the provider.
    /// `None` for the bot's own requests.
    pub conversation: Option<&'a ConversationKey>,
    pub model: &'a str,
    pub transcript: &'a Transcript,
    /// The tools to offer natively. Empty in text mode, where the system text offers them.
    pub tools: &'a OfferedSet,
    /// The time from the first token to the last. The client limits the wait for the first token.
    pub within: Duration,
}
