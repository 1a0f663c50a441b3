//! The result of converting an event to OpenAI's chat completions.

use serde_json::{Value, json};

#[derive(Debug, PartialEq)]
pub(crate) struct Chunk {
    /// Null if the event has no relevant content.
    pub(crate) document: Value,
    /// No event follows.
    pub(crate) is_last: bool,
}

impl Chunk {
    pub(super) fn of(document: Value) -> Self {
        Self { document, is_last: false }
    }

    /// Creates a chunk without relevant content.
    pub(super) fn nothing() -> Self {
        Self::of(Value::Null)
    }

    /// Creates a chunk by which the answer grows.
    pub(super) fn delta(delta: Value) -> Self {
        Self::of(json!({ "choices": [{ "delta": delta }] }))
    }

    /// Creates a chunk with a piece of the call with this index, or with its beginning.
    pub(super) fn call(index: &Value, id: &Value, name: &Value, arguments: &Value) -> Self {
        let function = json!({ "name": name, "arguments": arguments });
        Self::delta(json!({ "tool_calls": [{ "index": index, "id": id, "function": function }] }))
    }

    /// Marks the chunk as the last one.
    pub(super) fn last(self) -> Self {
        Self { is_last: true, ..self }
    }
}
