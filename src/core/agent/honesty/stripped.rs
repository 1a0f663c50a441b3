//! Text with something taken out of it.

/// What is left of a text, and what was taken out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stripped {
    /// What may be shown. Trimmed; empty if nothing is left.
    pub kept: String,
    /// What was taken out, whole, in order.
    pub removed: Vec<String>,
}
