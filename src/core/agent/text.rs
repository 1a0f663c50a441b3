//! Texts for and from models: the host's mark, and the patterns and marks of searches.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

/// Unicode's line and paragraph separators, which some readers treat as line breaks.
pub(crate) const LINE_BREAKS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// Formats untrusted data as one line of JSON without the host's mark. JSON contains `[host]` only inside strings, and
/// escapes all line breaks except Unicode's own.
pub(crate) fn as_data(value: &Value) -> String {
    value.to_string().replace(HOST, "(host)").replace(LINE_BREAKS, " ")
}

/// The mark at the start of all words of the host to a model. Words of people and models never contain it.
pub const HOST: &str = "[host]";

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
