//! A position in a manifest.

use std::fmt;
use std::sync::Arc;

/// A position in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenAt {
    /// The manifest: `modules/tasks/module.toml`.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for WrittenAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}
