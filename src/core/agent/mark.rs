//! The prefix of everything that the host, not a person, says to a model, and data behind it that cannot repeat it.

use serde_json::Value;

/// Unicode's line and paragraph separators, which are a line break to some readers.
pub(crate) const LINE_BREAKS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// Untrusted data as one line of JSON, without the host's mark: JSON has no `[host]` but in text, and breaks no line;
/// Unicode's own line breaks are not escaped in it.
pub(crate) fn as_data(value: &Value) -> String {
    value.to_string().replace(HOST, "(host)").replace(LINE_BREAKS, " ")
}

/// The mark at the start of everything that the host says to a model. No person's words contain it, and no model's.
pub const HOST: &str = "[host]";
