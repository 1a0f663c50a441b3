//! The ids that a server gives its calls, and how many calls there may be.

use serde_json::Value;

/// The most calls in one answer: by far more than any work needs.
pub(crate) const CALLS_MAX: usize = 64;

/// An id as a server writes it. An empty one counts as none.
pub(crate) fn id_of(id: &Value) -> Option<String> {
    match id {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
