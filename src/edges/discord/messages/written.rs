//! What the model writes at a moment.

/// What the model writes.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Written {
    /// Nothing at the moment.
    #[default]
    Nothing,
    /// These words, so far.
    Words(String),
    /// The turn is over.
    Over,
}
