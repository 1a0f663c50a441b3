//! Words for the chat model: proof that they are no slash text.

/// A person's words for the chat model. Slash text can never be one: only [`classify`] makes them, and the
/// model takes nothing else.
///
/// ```compile_fail
/// let words = candor_core::router::ChatText("/status".to_owned());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatText(String);

impl ChatText {
    /// What [`classify`](crate::router::classify) read as words. Nothing else calls it.
    pub(super) fn read(words: &str) -> Self {
        Self(words.to_owned())
    }

    /// The words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
