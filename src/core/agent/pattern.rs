//! Regular expressions and embedded word lists for searching models' texts.

use std::collections::BTreeMap;

use regex::Regex;

/// Compiles a pattern. Each is a constant that the tests compile, so an invalid one is found there.
pub(crate) fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|problem| unreachable!("{problem}"))
}

pub(crate) struct Lists(BTreeMap<String, Vec<String>>);

impl Lists {
    /// Reads an embedded TOML file. The tests read it too, because an unreadable one would find nothing.
    pub(crate) fn read(file: &str) -> Self {
        Self(toml::from_str(file).unwrap_or_default())
    }

    /// Returns the list of this name. Its file explains each list.
    pub(crate) fn get(&self, name: &str) -> &[String] {
        let list = self.0.get(name);
        debug_assert!(list.is_some(), "{name}");
        list.map(Vec::as_slice).unwrap_or_default()
    }
}
