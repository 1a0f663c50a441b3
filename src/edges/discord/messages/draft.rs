//! The text of a reply while the model writes it.

use tokio::time::Instant;

/// The reply that the model is writing.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Draft {
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
