//! Describes the JSON text protocol to a model.

use serde_json::Value;

use crate::agent::tools::{CANNOT_DO, OfferedSet, OfferedTool};

/// Returns the format, an example, when not to use it, and a signature of every tool.
pub(super) fn told(offered: &OfferedSet) -> String {
    let lines: Vec<_> = offered.tools().iter().map(line).collect();
    format!(
        "To call tools, answer with one JSON object and nothing else:\n\
         {{\"reasoning\": \"why\", \"tool_calls\": [{{\"tool\": \"{}\", \"parameters\": {{}}}}]}}\n\
         The results come back; then answer in plain words. Greetings, thanks and what you know need no tool: answer \
         them in plain words at once.\n\
         Tools (`?` may be left out, `!` changes something):\n\
         {}\n\
         {CANNOT_DO}(reason: text) - No tool can do it",
        example(offered),
        lines.join("\n")
    )
}

/// Returns the tool for the example. Models imitate examples, so it is a tool that changes nothing and needs no
/// arguments.
fn example(offered: &OfferedSet) -> &str {
    let is_harmless = |tool: &&OfferedTool| {
        let required = tool.schema.get("required").and_then(Value::as_array);
        !tool.writes && required.is_none_or(Vec::is_empty)
    };
    let harmless = offered.tools().iter().filter(is_harmless).map(|tool| tool.name.as_str());
    harmless.min_by_key(|name| name.len()).unwrap_or(CANNOT_DO)
}

/// `tasks_add!(title: text) - Add a task`
fn line(tool: &OfferedTool) -> String {
    let properties = tool.shown.get("properties").and_then(Value::as_object);
    let required = tool.shown.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let parameter = |(name, property): (&String, &Value)| {
        let optional = if required.iter().any(|known| known == name) { "" } else { "?" };
        format!("{name}{optional}: {}", kind(property))
    };
    let parameters: Vec<_> = properties.into_iter().flatten().map(parameter).collect();
    let changes = if tool.writes { "!" } else { "" };
    format!("{}{changes}({}) - {}", tool.name, parameters.join(", "), tool.description)
}

/// Describes the values of a parameter: `text`, `whole number`, `cpu|disk`.
fn kind(property: &Value) -> String {
    if let Some(choices) = property.get("enum").and_then(Value::as_array) {
        let choices: Vec<_> =
            choices.iter().map(|choice| choice.as_str().map_or_else(|| choice.to_string(), str::to_owned)).collect();
        return choices.join("|");
    }
    match property.get("type").and_then(Value::as_str) {
        Some("integer") => "whole number",
        Some("number") => "number",
        Some("boolean") => "true|false",
        _ => "text",
    }
    .to_owned()
}
