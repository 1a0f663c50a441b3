//! Reads the text of a message, in any shape that servers write, and a model's thinking before its calls.

use serde_json::{Value, json};

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

/// The maximum size of one answer's thinking, in bytes. Longer thinking is not sent back at all, because a part would
/// be refused.
pub(crate) const THOUGHTS_LENGTH_MAX: usize = 1024 * 1024;

/// A block of thinking, readable or redacted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Thought {
    /// The number of the answer's calls before it.
    pub(crate) before: usize,
    /// Includes its signature.
    pub(crate) block: Value,
}

impl Thought {
    /// Returns whether a block is thinking.
    pub(crate) fn is(block: &Value) -> bool {
        matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
    }
}

/// Encodes thoughts, in order, as the field `thoughts` of a message of chat completions.
pub(crate) fn noted(thoughts: &[Thought]) -> Value {
    thoughts.iter().map(|thought| json!({ "before": thought.before, "block": thought.block })).collect()
}

pub(crate) fn thoughts_of(message: &Value) -> Vec<Thought> {
    let thought = |noted: &Value| {
        let before = noted["before"].as_u64().and_then(|before| usize::try_from(before).ok())?;
        Thought::is(&noted["block"]).then(|| Thought { before, block: noted["block"].clone() })
    };
    message["thoughts"].as_array().into_iter().flatten().filter_map(thought).collect()
}

/// Returns their size in bytes, about.
pub(crate) fn thoughts_length(thoughts: &[Thought]) -> usize {
    let texts = |block: &Value| {
        let texts = block.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str());
        texts.map(str::len).sum::<usize>()
    };
    thoughts.iter().map(|thought| texts(&thought.block)).sum()
}
