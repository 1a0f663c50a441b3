//! Reads the text of a message, in any shape that servers write.

use serde_json::Value;

use candor_core::agent::ModelFailure;

/// Returns whether a field is more than a placeholder. Some servers write every field they know.
pub(crate) fn says_something(field: &Value) -> bool {
    match field {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    }
}

pub(crate) fn has_refusal(content: &Value) -> bool {
    content.as_array().is_some_and(|parts| parts.iter().any(|part| part["type"] == "refusal"))
}

/// Returns the text of a message: a string, or an array of parts, of which text and refusals are read.
pub(crate) fn text_of(content: &Value) -> Result<String, ModelFailure> {
    match content {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) => {
            let text = |part: &Value| match part["type"].as_str() {
                Some(kind @ ("text" | "refusal")) => part[kind].as_str().map(str::to_owned),
                _ => None,
            };
            Ok(parts.iter().filter_map(text).collect())
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => Err(ModelFailure::NotJson),
    }
}
