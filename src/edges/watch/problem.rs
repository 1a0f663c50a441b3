//! Problems with the content of a watched file.

use std::fmt;

/// Parses the bytes of a file.
pub type Parse<T> = fn(&[u8]) -> Result<T, ContentProblem>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentProblem {
    /// Line and column, from 1; columns are counted in bytes.
    pub place: Option<(usize, usize)>,
    pub text: String,
}

impl ContentProblem {
    /// Creates a problem of the file as a whole.
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
