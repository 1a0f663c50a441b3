//! Problems of the content of a watched file.

use std::fmt;

/// Turns the bytes of a file into its meaning.
pub type Parse<T> = fn(&[u8]) -> Result<T, ContentProblem>;

/// A problem of a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentProblem {
    /// Line and column, from 1; columns are counted in bytes.
    pub place: Option<(usize, usize)>,
    /// The problem in one phrase.
    pub text: String,
}

impl ContentProblem {
    /// A problem of the file as a whole.
    pub fn whole(text: impl Into<String>) -> Self {
        Self { place: None, text: text.into() }
    }
}

impl fmt::Display for ContentProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}
