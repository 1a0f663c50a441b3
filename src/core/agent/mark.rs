//! The mark in front of the host's words to a model, and untrusted data that cannot contain it.

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
