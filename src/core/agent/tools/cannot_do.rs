//! `cannot_do`: the tool by which a model says that something cannot be done. The host answers it; nothing runs.

use serde_json::{Value, json};

/// The description of [`crate::agent::tools::CANNOT_DO`], for the model.
pub const CANNOT_DO_DESCRIPTION: &str = "Say that no tool can do what the person wants";

/// The JSON Schema of its arguments.
pub fn cannot_do_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "reason": { "type": "string", "description": "Why it cannot be done" },
        },
        "required": ["reason"],
    })
}
