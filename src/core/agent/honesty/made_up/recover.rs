//! A memory that a model only pretended to save, as arguments of the tool that saves one.

use serde_json::{Map, Value};

use crate::agent::honesty::made_up::block::bare;
use crate::agent::tools::OfferedTool;

/// Where the arguments may stand within an object.
const NESTED: &[&str] = &["parameters", "arguments", "memory", "result", "data"];
/// Keys by which an object names the tool it is for.
const TOOL: &[&str] = &["tool", "tool_name", "function", "name"];
/// Keys that no memory has: the object is another tool's, or it tells of a failure.
const FOREIGN: &[&str] = &["error", "file", "file_path", "filename", "path", "url"];
/// Keys that say how it went.
const WENT_WELL: &[&str] = &["ok", "success"];

/// The arguments of a memory among removed texts, if one of them fits the memory tool. It must be strict JSON. If two
/// differ nobody can say which was meant, so there is none.
pub fn recoverable_memory(removed: &[String], memory: &OfferedTool) -> Option<Map<String, Value>> {
    let validator = jsonschema::validator_for(&memory.schema).ok()?;
    let fits = |arguments: &Map<String, Value>| validator.is_valid(&Value::Object(arguments.clone()));
    let values = removed.iter().filter_map(|text| serde_json::from_str::<Value>(bare(text)).ok());
    let objects = values.flat_map(|value| match value {
        Value::Array(values) => values,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => vec![value],
    });
    let mut found: Option<Map<_, _>> = None;
    for arguments in objects.filter_map(|object| arguments(object, memory, fits)) {
        match &found {
            Some(first) if *first != arguments => return None,
            Some(_) | None => found = Some(arguments),
        }
    }
    found
}

/// The tool's own parameters in an object or right below it.
fn arguments(
    object: Value,
    memory: &OfferedTool,
    fits: impl Fn(&Map<String, Value>) -> bool,
) -> Option<Map<String, Value>> {
    let Value::Object(object) = object else { return None };
    if !is_memory(&object, memory) {
        return None;
    }
    let nested = NESTED.iter().filter_map(|key| object.get(*key).and_then(as_object));
    let candidates = [object.clone()].into_iter().chain(nested).filter(|candidate| is_memory(candidate, memory));
    candidates.map(|candidate| own_parameters(candidate, memory)).find(|own| !own.is_empty() && fits(own))
}

/// Whether nothing in an object says that it is another tool's, or that nothing was saved.
fn is_memory(object: &Map<String, Value>, memory: &OfferedTool) -> bool {
    let names_other = TOOL.iter().filter_map(|key| object.get(*key)).any(|name| name.as_str() != Some(&memory.name));
    let failed = WENT_WELL.iter().filter_map(|key| object.get(*key)).any(|went| *went != Value::Bool(true));
    !names_other && !failed && !FOREIGN.iter().any(|key| object.contains_key(*key))
}

fn own_parameters(object: Map<String, Value>, memory: &OfferedTool) -> Map<String, Value> {
    let properties = memory.schema.get("properties").and_then(Value::as_object);
    let is_own = |key: &str| properties.is_some_and(|properties| properties.contains_key(key));
    object.into_iter().filter(|(key, _)| is_own(key)).collect()
}

/// An object, or a text that is one: some formats write arguments as JSON in a string.
fn as_object(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(object) => Some(object.clone()),
        Value::String(text) => serde_json::from_str(text).ok(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}
