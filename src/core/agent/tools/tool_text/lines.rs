//! Arguments on separate lines, as in YAML: `name: status`, `arguments:`, and an indented `metric: cpu`.

use serde_json::{Map, Value};

use crate::agent::tools::tool_text::marks::{self, MARKS};

/// Returns the arguments of a call whose name is between these texts, and the lengths of the call before and behind it.
pub(super) fn arguments(before: &str, behind: &str) -> Option<(Map<String, Value>, usize, usize)> {
    if !before.trim_end_matches([' ', '\t', '"', '\'']).ends_with(':') {
        return None;
    }
    let front = MARKS.lines_front.find(before)?;
    let between = MARKS.lines_between.find(marks::behind(behind, 0))?;
    let margin = margin(front.as_str().trim_start_matches(['\r', '\n']));
    let mut arguments = Map::new();
    let mut length = between.len();
    for line in behind.get(between.len()..)?.split_inclusive('\n') {
        let (key, value) = match line.split_once(':') {
            Some((key, value)) if margin < self::margin(line) => (key.trim(), value.trim()),
            _ => break,
        };
        // Nested values are not read.
        if key.is_empty() || value.is_empty() || value.starts_with(['|', '>', '&', '*']) {
            return None;
        }
        arguments.insert(key.trim_matches(['"', '\'']).to_owned(), scalar(value));
        length += line.len();
    }
    let rows = behind.get(..length)?.trim_end().len();
    (!arguments.is_empty()).then_some((arguments, front.as_str().trim_start().len(), rows))
}

fn margin(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Reads a value with or without quotation marks, or in JSON.
fn scalar(text: &str) -> Value {
    let quoted = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    match quoted {
        Some(text) => Value::String(text.replace("''", "'")),
        None => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}
