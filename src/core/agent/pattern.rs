//! What models' texts are searched for: regular expressions, and the lists of words that are compiled in.

use std::collections::BTreeMap;

use regex::Regex;

/// A pattern from this source. Each is a constant that the tests compile, so an invalid one never leaves them.
pub(crate) fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|problem| unreachable!("{problem}"))
}

/// Lists of phrases and words by their names.
pub(crate) struct Lists(BTreeMap<String, Vec<String>>);

impl Lists {
    /// Reads a TOML file that is compiled in and that the tests read: an unreadable one would find nothing.
    pub(crate) fn read(file: &str) -> Self {
        Self(toml::from_str(file).unwrap_or_default())
    }

    /// The list of this name. What each is for stands in its file.
    pub(crate) fn get(&self, name: &str) -> &[String] {
        let list = self.0.get(name);
        debug_assert!(list.is_some(), "{name}");
        list.map(Vec::as_slice).unwrap_or_default()
    }
}
