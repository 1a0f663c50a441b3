//! What a server calls its calls, and how many there may be.

use serde_json::Value;

/// More calls in one answer than any work needs, by far.
pub(super) const CALLS_MAX: usize = 64;

/// An id as a server writes it. An empty one is none.
pub(super) fn id_of(id: &Value) -> Option<String> {
    match id {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
