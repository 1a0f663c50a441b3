//! What the model writes at a moment.

use tokio::time::Instant;

/// What the model writes.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Written {
    /// Nothing at the moment.
    #[default]
    Nothing,
    /// Nothing yet: it was asked at this moment.
    Thinking(Instant),
    /// These words, so far.
    Words(String),
    /// The turn is over.
    Over,
}
