//! Calls in JSON objects.

use serde_json::{Map, Value};

use crate::agent::tools::tool_text::call::TextCall;
use crate::agent::tools::tool_text::marks::list;
use crate::agent::tools::tool_text::names;
use crate::agent::tools::tool_text::names::ToolNames;
use crate::text::{Form, loose_value};

/// Adds the calls in a value, in order. Returns false if the value holds more than calls and the reason for them:
/// `"dry_run": true`, `"answer": "Done."`.
pub(super) fn read(value: &Value, names: &ToolNames<'_>, calls: &mut Vec<TextCall>) -> bool {
    match value {
        Value::Array(items) => {
            let n_objects = items.iter().filter(|item| item.is_object()).count();
            let is_mixed = 0 < n_objects && n_objects < items.len();
            items.iter().fold(!is_mixed, |is_all, item| read(item, names, calls) && is_all)
        }
        Value::Object(object) => of_object(object, names, calls),
        Value::String(text) => {
            calls.extend(names::whole(text, names));
            true
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn of_object(object: &Map<String, Value>, names: &ToolNames<'_>, calls: &mut Vec<TextCall>) -> bool {
    let is_in = |name: &str, key: &String| list(name).contains(key);
    let held =
        |name: &str| list(name).iter().find_map(|key| Some((key, object.get(key).filter(|it| !it.is_string())?)));
    // The role of a whole message and an empty field have no meaning: `"content": null`.
    let is_silent = |key: &str| key == "role" || object.get(key).is_none_or(|value| value.is_null() || value == "");
    if let Some((holder, held)) = held("lists") {
        // Only the reason is allowed beside a list.
        let is_alone = object.keys().all(|key| key == holder || key == "reasoning" || is_silent(key));
        return read(held, names, calls) && is_alone;
    }
    if let Some((holder, held)) = held("holders") {
        return read(held, names, calls)
            && object.keys().all(|key| key == holder || is_in("beside", key) || is_silent(key));
    }
    let mut given = list("arguments").iter().filter_map(|key| object.get(key));
    let arguments = given.next();
    let twice = given.next();
    let is_call =
        arguments.is_some() || object.get("type").is_some_and(|kind| list("types").iter().any(|it| kind == it));
    let weak = if is_call { list("weak_names") } else { &[] };
    let name = list("names").iter().chain(weak).find_map(|key| object.get(key)?.as_str());
    let name = name.map(|name| own_name(name, names));
    if let Some(Value::Object(inner)) = arguments
        && name.as_ref().is_some_and(|name| list("wrappers").contains(name))
    {
        return of_object(inner, names, calls) && twice.is_none();
    }
    let others = || object.iter().filter(|(key, _)| !is_in("names", key) && !is_in("beside", key));
    let is_read = |name: &String| names.contains(name) || arguments.is_some() && names.reads(name);
    match (name.filter(is_read), object.iter().next()) {
        (Some(name), _) => {
            let flat = || Some(others().map(|(key, value)| (key.clone(), value.clone())).collect());
            // Arguments of another kind belong to another program.
            calls.extend(arguments.map_or_else(flat, object_of).map(|arguments| TextCall { name, arguments }));
        }
        // `{"tasks_add": {"title": "milk"}}`. A key of one word may be an ordinary word.
        (None, Some((key, Value::Object(arguments))))
            if object.len() == 1 && key.contains(['_', '-', '.']) && names.contains(key) =>
        {
            calls.push(TextCall { name: key.clone(), arguments: arguments.clone() });
        }
        (None, _) => {}
    }
    let is_known = |key: &String| is_in("arguments", key) || is_in("weak_names", key);
    twice.is_none() && (arguments.is_none() || others().all(|(key, _)| is_known(key)))
}

/// Returns the tool's name without a namespace that some servers add.
fn own_name(name: &str, names: &ToolNames<'_>) -> String {
    let name = name.trim().trim_start_matches('/').replace('\\', "");
    if names.contains(&name) {
        return name;
    }
    let spaces = list("namespaces").iter();
    let own = spaces.filter_map(|space| name.strip_prefix(space.as_str())?.strip_prefix('.')).next();
    own.map(str::to_owned).unwrap_or(name)
}

/// Reads the arguments of a call: an object, a text that contains one, or nothing at all.
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
