//! The JSON text protocol: a message that is one block of calls, and nothing else.

mod block;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::agent::tools::call::{RawArguments, RawCall};
use crate::text::one_line;
use block::{Block, Extent};

/// The maximum length of an unexpected key in a text, in characters.
const KEY_SHOWN_MAX: usize = 40;

/// The interpretation of a message under the protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum ProtocolReading {
    Calls {
        /// The model's reason. May be empty.
        reasoning: String,
        /// In order; at least one.
        calls: Vec<RawCall>,
    },
    /// An empty list of calls, with words behind it.
    NoCalls {
        /// The model's reason. May be empty.
        reasoning: String,
        /// Never empty.
        words: String,
    },
    /// An invalid or incomplete block. None of it runs.
    Broken {
        /// The problem, in words for the model.
        problem: String,
    },
    Prose,
}

/// The keys that models use for a call's parameters. The first is the protocol's.
const PARAMETERS: [&str; 6] = ["parameters", "arguments", "args", "params", "input", "kwargs"];

/// Further keys allowed in a call. They are ignored.
const BESIDE: [&str; 3] = ["id", "type", "index"];

/// Reads a model's message. It follows the protocol only if the whole message is one block. A block inside other text
/// is text.
pub fn read(text: &str) -> ProtocolReading {
    let Some(block) = Block::open(text) else { return ProtocolReading::Prose };
    let (value, extent, behind) = match block.value() {
        Ok(read) => read,
        Err(error) if block.is_attempt() => return broken(unreadable(&error)),
        Err(_) => return ProtocolReading::Prose,
    };
    if !is_of_calls(&value) {
        return ProtocolReading::Prose;
    }
    match extent {
        Extent::TextBehind if is_empty(&value) => {
            let reasoning = value.as_object().map(reasoning).unwrap_or_default();
            ProtocolReading::NoCalls { reasoning, words: behind.to_owned() }
        }
        Extent::Whole => calls_of(value),
        Extent::Unclosed => broken("the code fence is not closed"),
        Extent::TwoBlocks => broken("there is more than one block; put every call into one \"tool_calls\" list"),
        Extent::TextBehind => broken("there is text behind the object; a message with calls is the block alone"),
    }
}

fn broken(problem: impl Into<String>) -> ProtocolReading {
    ProtocolReading::Broken { problem: problem.into() }
}

fn unreadable(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return format!("the block is cut off: {error}");
    }
    format!(
        "the JSON cannot be read: {error}. Use double quotes, lower-case true, false and null, \\n for a line break \
         inside a text, and no comments, single quotes or trailing commas"
    )
}

/// Returns whether a value is meant as calls. Other JSON is an ordinary answer.
fn is_of_calls(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.contains_key("tool_calls") || object.contains_key("tool"),
        Value::Array(items) => items.iter().any(|item| item.get("tool").is_some() || item.get("tool_calls").is_some()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Returns whether a value is a block without calls.
fn is_empty(value: &Value) -> bool {
    let Value::Object(object) = value else { return false };
    let calls = object.get("tool_calls").and_then(Value::as_array);
    calls.is_some_and(Vec::is_empty) && object.keys().all(|key| key == "tool_calls" || key == "reasoning")
}

fn calls_of(value: Value) -> ProtocolReading {
    let no_list = "the block must be an object with the calls in a list under \"tool_calls\"";
    let Value::Object(mut object) = value else { return broken(no_list) };
    let Some(calls) = object.remove("tool_calls") else { return broken(no_list) };
    // `"dry_run": true` or an answer beside the calls: the meaning is unclear.
    if let Some(other) = object.keys().find(|key| *key != "reasoning") {
        let other = one_line(other, KEY_SHOWN_MAX);
        return broken(format!(
            "a block has \"reasoning\" and \"tool_calls\" and nothing else, but here is \"{other}\""
        ));
    }
    let Value::Array(entries) = calls else {
        return broken(format!("\"tool_calls\" must be a list, not {}", kind(&calls)));
    };
    if entries.is_empty() {
        return broken("\"tool_calls\" is empty; answer in plain words if no tool is needed");
    }
    let calls: Result<Vec<_>, _> = (1..).zip(entries).map(|(n, entry)| call(n, entry)).collect();
    match calls {
        Ok(calls) => ProtocolReading::Calls { reasoning: reasoning(&object), calls },
        Err(problem) => broken(problem),
    }
}

fn reasoning(object: &Map<String, Value>) -> String {
    object.get("reasoning").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Reads one entry of the list; `n` counts from 1.
fn call(n: usize, entry: Value) -> Result<RawCall, String> {
    let Value::Object(mut entry) = entry else {
        return Err(format!("call {n} is {}; it must be an object with \"tool\" and \"parameters\"", kind(&entry)));
    };
    let name = match entry.remove("tool") {
        Some(Value::String(name)) if !name.trim().is_empty() => name,
        Some(Value::String(_)) => return Err(format!("\"tool\" of call {n} is blank")),
        Some(other) => return Err(format!("\"tool\" of call {n} must be text, not {}", kind(&other))),
        None => return Err(format!("call {n} has no \"tool\"")),
    };
    let mut given =
        PARAMETERS.iter().filter_map(|key| Some((*key, entry.remove(*key)?))).collect::<Vec<_>>().into_iter();
    let parameters = given.next();
    // `"dry_run": true`, or parameters twice: the meaning is unclear.
    let twice = given.next().map(|(key, _)| key);
    if let Some(other) = entry.keys().map(String::as_str).find(|key| !BESIDE.contains(key)).or(twice) {
        let other = one_line(other, KEY_SHOWN_MAX);
        return Err(format!("call {n} has \"tool\" and \"parameters\" and nothing else, but here is \"{other}\""));
    }
    let arguments = match parameters {
        None | Some((_, Value::Null)) => RawArguments::Object(Map::new()),
        Some((_, Value::Object(object))) => RawArguments::Object(object),
        Some((key, other)) => {
            RawArguments::Unreadable { problem: format!("\"{key}\" must be an object, not {}", kind(&other)) }
        }
    };
    Ok(RawCall { id: None, name, arguments })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
