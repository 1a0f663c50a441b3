//! The words of a reply that the model is writing.

/// The reply that the model is writing.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Draft {
    /// Nothing at the moment.
    #[default]
    Nothing,
    /// These words, so far.
    Words(String),
    /// The turn is over.
    Over,
}
