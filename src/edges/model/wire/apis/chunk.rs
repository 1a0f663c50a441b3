//! What an event becomes: one of OpenAI's chat completions.

use serde_json::{Value, json};

/// An event in the form of chat completions.
#[derive(Debug, PartialEq)]
pub(crate) struct Chunk {
    /// Null, where the event says nothing that matters.
    pub(crate) document: Value,
    /// Nothing comes behind it.
    pub(crate) is_last: bool,
}

impl Chunk {
    /// This document, and more behind it.
    pub(super) fn of(document: Value) -> Self {
        Self { document, is_last: false }
    }

    /// Nothing that matters.
    pub(super) fn nothing() -> Self {
        Self::of(Value::Null)
    }

    /// What the answer grew by.
    pub(super) fn delta(delta: Value) -> Self {
        Self::of(json!({ "choices": [{ "delta": delta }] }))
    }

    /// A piece of the call with this index, or its beginning.
    pub(super) fn call(index: &Value, id: &Value, name: &Value, arguments: &Value) -> Self {
        let function = json!({ "name": name, "arguments": arguments });
        Self::delta(json!({ "tool_calls": [{ "index": index, "id": id, "function": function }] }))
    }

    /// The same, and nothing behind it.
    pub(super) fn last(self) -> Self {
        Self { is_last: true, ..self }
    }
}
