//! The ids of a server's calls, and the maximum number of calls.

use serde_json::Value;

/// The maximum number of calls in one answer, by far more than any task needs.
pub(crate) const CALLS_MAX: usize = 64;

/// Reads an id. An empty one counts as missing.
pub(crate) fn id_of(id: &Value) -> Option<String> {
    match id {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
