//! Compiles regular expressions for the search of models' texts.

use regex::Regex;

/// A pattern from this source. Each is a constant that the tests compile, so an invalid one never leaves them.
pub(crate) fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|problem| unreachable!("{problem}"))
}
