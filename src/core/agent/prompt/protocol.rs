//! Describes the JSON text protocol to a model.

use serde_json::{Map, Value, json};

use crate::agent::tools::{CANNOT_DO, CANNOT_DO_DESCRIPTION, OfferedSet, OfferedTool, cannot_do_schema};

/// The format, examples with tools that exist, when not to use it, and every tool with its schema.
pub(super) fn told(offered: &OfferedSet) -> String {
    // Models imitate examples: those that change nothing come first.
    let reading = offered.tools().iter().filter(|tool| !tool.writes);
    let mut tools = reading.chain(offered.tools().iter().filter(|tool| tool.writes));
    let first = tools.next().map(example).unwrap_or_default();
    let second = tools.next().map_or_else(|| first.clone(), example);
    let one = json!({ "reasoning": "This needs live data.", "tool_calls": [first] });
    let two = json!({ "reasoning": "This needs both.", "tool_calls": [first, second] });
    let lines: Vec<_> = offered.tools().iter().map(line).chain([cannot_do_line()]).collect();
    format!(
        "To call tools, answer with one JSON object and nothing else: no words in front of it or behind it.\n\
         {{\"reasoning\": \"why\", \"tool_calls\": [{{\"tool\": \"name\", \"parameters\": {{}}}}]}}\n\
         One call:\n{one}\n\
         Two calls:\n{two}\n\
         The results come back in a message marked [host]; then answer in plain words.\n\
         Most messages need no tool. Do not use this form for greetings, thanks, opinions, what you know, or to show \
         an example of it; answer in plain words:\n\
         You're welcome! Is there anything else?\n\n\
         The tools, each with the JSON Schema of its parameters:\n{}",
        lines.join("\n")
    )
}

fn line(tool: &OfferedTool) -> String {
    let changes = if tool.writes { " (changes something)" } else { "" };
    format!("{}{changes} - {} {}", tool.name, tool.description, tool.schema)
}

fn cannot_do_line() -> String {
    format!("{CANNOT_DO} - {CANNOT_DO_DESCRIPTION} {}", cannot_do_schema())
}

/// An example call of the tool that fits its schema.
fn example(tool: &OfferedTool) -> Value {
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    let required = tool.schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let names = required.iter().filter_map(Value::as_str);
    let property = |name: &str| properties.and_then(|properties| properties.get(name)).map(sample).unwrap_or_default();
    let parameters: Map<_, _> = names.map(|name| (name.to_owned(), property(name))).collect();
    json!({ "tool": tool.name, "parameters": parameters })
}

fn sample(property: &Value) -> Value {
    if let Some(choice) = property.get("enum").and_then(|choices| choices.get(0)) {
        return choice.clone();
    }
    let least = property.get("minimum").cloned();
    match property.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => least.unwrap_or_else(|| json!(1)),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("…"),
    }
}
