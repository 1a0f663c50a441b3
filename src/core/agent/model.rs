//! The chat turn: a person's words to a model, and the model's answer, honestly told.
//!
//! Pure: what a model may be given and what it may answer, and the words for each way it can fail. The
//! wire is in `model`, the conversation's keeping in the store.

use std::time::Duration;

use async_trait::async_trait;

use crate::agent::failure::ModelFailure;
use crate::agent::prompt::Transcript;
use crate::agent::tools::{Completion, OfferedSet};

/// A chat model. The person's words are in a [`Transcript`], which takes them as a [`ChatText`] alone, and only the
/// router makes one: slash text cannot get here.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks for one whole answer, within the time given.
    async fn complete(&self, request: Request<'_>) -> Result<Completion, ModelFailure>;
}

/// One request to a model.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The model's name.
    pub model: &'a str,
    /// What it is shown.
    pub transcript: &'a Transcript,
    /// The tools to be offered in the API's own form. Empty in text mode, where the system text offers them.
    pub tools: &'a OfferedSet,
    /// The answer is of no use any later.
    pub within: Duration,
}
