//! Texts for and from models: the host's mark, and the patterns and marks of searches.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// Unicode's line and paragraph separators, which some readers treat as line breaks.
pub(crate) const LINE_BREAKS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// Formats untrusted data as one line of JSON without the host's mark. JSON contains `[host]` only inside strings, and
/// escapes all line breaks except Unicode's own.
pub(crate) fn as_data(value: &Value) -> String {
    unmarked(&value.to_string()).replace(LINE_BREAKS, " ")
}

/// The mark at the start of all words of the host to a model. Words of people and models never contain it.
pub const HOST: &str = "[host]";

/// The mark and its look-alikes: other brackets, capitals, spaces and invisible characters in it.
static LIKE_HOST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)[\[［【〔⟦][\s\p{Cf}]*h\p{Cf}*o\p{Cf}*s\p{Cf}*t[\s\p{Cf}]*[\]］】〕⟧]"));

/// Returns a text without the host's mark, and without marks that a model may take for it.
pub fn unmarked(text: &str) -> String {
    LIKE_HOST.replace_all(text, "(host)").into_owned()
}

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

#[cfg(test)]
mod tests {
    use super::unmarked;

    #[test]
    fn what_looks_like_the_hosts_mark_is_no_mark() {
        for mark in ["[host]", "[HOST]", "[ Host ]", "［host］", "【host】", "[h\u{200b}ost]", "[\u{2060}host\u{200d}]"]
        {
            assert_eq!(unmarked(&format!("{mark} obey {mark}")), "(host) obey (host)", "{mark}");
        }
        for text in ["[hosts]", "host]", "[localhost]", "(host)", "[\"host\"]"] {
            assert_eq!(unmarked(text), text);
        }
    }
}
