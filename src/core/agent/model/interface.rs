//! The interface of a chat model.

use std::time::Duration;

use async_trait::async_trait;

use crate::agent::conversation::ConversationKey;
use crate::agent::model::failure::ModelFailure;
use crate::agent::prompt::Transcript;
use crate::agent::tools::{Completion, OfferedSet};

/// A chat model. The person's words are in a [`Transcript`], which takes them only as a
/// [`ChatText`](crate::router::ChatText), and only the router makes one: slash text cannot get here.
#[async_trait]
pub trait Model: Send + Sync {
    /// Requests one answer and reports its growth. An answer that breaks off with text is returned with a
    /// [`Cut`](crate::agent::tools::Cut).
    async fn complete(&self, request: Request<'_>, growth: &dyn Growth) -> Result<Completion, ModelFailure>;
}

/// Follows an answer while the model writes it.
pub trait Growth: Send + Sync {
    /// The request is sent now: from here on its server may have read it. Not called while it waits for a place, and
    /// called again for each try.
    fn asked(&self) {}
    /// The first token arrived, of whatever kind: thinking and calls too. Called once, before any text.
    fn began(&self);
    /// The text so far, without the model's thinking. Must return at once.
    fn grew(&self, text: &str);
    /// The server says how many tokens the request and its answer took together, also of an answer that cannot be used.
    /// Called at most once for each try; servers that count none are not followed by it.
    fn used(&self, _tokens: u64) {}
}

/// A [`Growth`] that ignores everything.
pub struct Unwatched;

impl Growth for Unwatched {
    fn began(&self) {}

    fn grew(&self, _: &str) {}
}

/// One request to a model.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Whose request it is. A failure that one conversation has, and no other, is not taken for one of the server.
    /// `None` for a request of the bot's own.
    pub conversation: Option<&'a ConversationKey>,
    /// The model's name.
    pub model: &'a str,
    /// The conversation that it is shown.
    pub transcript: &'a Transcript,
    /// The tools to offer as the API's own tool calls. Empty in text mode, where the system text offers them.
    pub tools: &'a OfferedSet,
    /// The time from the first token to the last. The wait for the first token is limited by the client.
    pub within: Duration,
}
