//! The text of a reply while the model writes it.

use tokio::time::Instant;

/// The reply that the model is writing.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Draft {
    #[default]
    Nothing,
    /// No words yet; the model was asked at this time.
    Thinking(Instant),
    Words(String),
    Over,
}
