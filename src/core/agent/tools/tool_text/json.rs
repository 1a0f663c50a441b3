//! Calls in JSON objects.

use serde_json::{Map, Value};

use crate::agent::tools::tool_text::call::TextCall;
use crate::agent::tools::tool_text::program;
use crate::text::{Form, loose_value};

/// Keys of a list of calls, or of one call in an object of its own.
const HOLDERS: [&str; 6] = ["tool_calls", "calls", "function_calls", "tool_call", "function_call", "function"];

/// Those of them that hold a list of calls.
const LISTS: [&str; 3] = ["tool_calls", "calls", "function_calls"];

/// Keys of a tool's name. Those of the second kind name other things as well, unless there are arguments.
const NAMES: [&str; 4] = ["tool", "tool_name", "function_name", "recipient_name"];
const WEAK_NAMES: [&str; 3] = ["name", "function", "action"];

/// Keys of the arguments.
pub(crate) const ARGUMENTS: [&str; 9] =
    ["parameters", "arguments", "args", "params", "input", "action_input", "tool_input", "kwargs", "tool_args"];

/// Keys beside them that are no argument.
const BESIDE: [&str; 6] = ["type", "id", "index", "reasoning", "thought", "call_id"];

/// The calls in a value, in order.
pub(super) fn calls(value: &Value, is_tool: &dyn Fn(&str) -> bool) -> Vec<TextCall> {
    match value {
        Value::Array(items) => items.iter().flat_map(|item| calls(item, is_tool)).collect(),
        Value::Object(object) => of_object(object, is_tool),
        Value::String(text) => program::whole(text, is_tool).into_iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// Whether a value has more in it than calls and the reason for them: `"dry_run": true`, `"answer": "Done."`.
pub(super) fn is_more_than_calls(value: &Value) -> bool {
    match value {
        Value::Array(items) => {
            let n_objects = items.iter().filter(|item| item.is_object()).count();
            let is_mixed = 0 < n_objects && n_objects < items.len();
            is_mixed || items.iter().any(is_more_than_calls)
        }
        Value::Object(object) => {
            let holder = HOLDERS.iter().find(|key| object.get(**key).is_some_and(|held| !held.is_string()));
            let n_arguments = ARGUMENTS.iter().filter(|key| object.contains_key(**key)).count();
            let is_of_calls = |key: &str| match holder {
                // Nothing but the reason may stand beside a list.
                Some(holder) if LISTS.contains(holder) => key == *holder || key == "reasoning",
                Some(holder) => key == *holder || BESIDE.contains(&key),
                None => [&BESIDE[..], &NAMES, &WEAK_NAMES, &ARGUMENTS].iter().any(|keys| keys.contains(&key)),
            };
            let is_strange = (holder.is_some() || 0 < n_arguments) && !object.keys().all(|key| is_of_calls(key));
            let held = holder.and_then(|holder| object.get(*holder));
            is_strange || 1 < n_arguments || held.is_some_and(is_more_than_calls)
        }
        Value::String(_) => false,
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

fn of_object(object: &Map<String, Value>, is_tool: &dyn Fn(&str) -> bool) -> Vec<TextCall> {
    if let Some(held) = HOLDERS.iter().filter_map(|key| object.get(*key)).find(|held| !held.is_string()) {
        return calls(held, is_tool);
    }
    let arguments = ARGUMENTS.iter().find_map(|key| object.get(*key));
    let is_call = arguments.is_some() || object.get("type").and_then(Value::as_str).is_some_and(is_type_of_calls);
    let weak: &[&str] = if is_call { &WEAK_NAMES } else { &[] };
    let name = NAMES.iter().chain(weak).find_map(|key| object.get(*key)?.as_str());
    if let Some(name) = name.map(own_name).filter(|name| is_tool(name)) {
        let arguments = match arguments {
            // Arguments of another kind are another program's.
            Some(arguments) => match object_of(arguments) {
                Some(arguments) => arguments,
                None => return Vec::new(),
            },
            None => {
                let is_argument = |key: &str| !NAMES.contains(&key) && !BESIDE.contains(&key);
                object.iter().filter(|(key, _)| is_argument(key)).map(|(k, v)| (k.clone(), v.clone())).collect()
            }
        };
        return vec![TextCall { name, arguments }];
    }
    // `{"tasks_add": {"title": "milk"}}`. A name of one word is a word.
    match object.iter().next() {
        Some((key, Value::Object(arguments))) if object.len() == 1 && key.contains('_') && is_tool(key) => {
            vec![TextCall { name: key.clone(), arguments: arguments.clone() }]
        }
        _ => Vec::new(),
    }
}

fn is_type_of_calls(kind: &str) -> bool {
    matches!(kind, "function" | "tool_use" | "tool_call" | "function_call")
}

/// What models and servers put in front of a tool's name, with a dot. Any other is another program's.
const NAMESPACES: [&str; 5] = ["functions", "function", "tools", "default_api", "api"];

/// The tool's name without what some servers put in front of it.
fn own_name(name: &str) -> String {
    let name = name.trim().trim_start_matches('/');
    let own = name.rsplit_once('.').filter(|(space, _)| NAMESPACES.contains(space)).map_or(name, |(_, own)| own);
    own.replace('\\', "")
}

/// The arguments of a call: an object, or a text that is one, or nothing at all.
fn object_of(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(object) => Some(object.clone()),
        Value::Null => Some(Map::new()),
        Value::String(text) if text.trim().is_empty() => Some(Map::new()),
        Value::String(text) => match loose_value(text.trim()).filter(|read| read.form < Form::Guess)?.value {
            Value::Object(object) => Some(object),
            _ => None,
        },
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}
