//! Reads the tool calls of a message, in any shape that servers write.
//!
//! Lenient in the wrapping, strict in the arguments: an object, nothing at all, or else unreadable. Unreadable
//! arguments are never taken for an empty object, because a call without its arguments is another call.

use serde_json::{Map, Value};

use crate::wire::content::says_something;
use candor_core::agent::ModelFailure;
use candor_core::agent::tools::{RawArguments, RawCall};

/// The maximum nesting of arguments in text: the API has one level, some models write two.
const TEXT_DEPTH_MAX: usize = 2;

/// Returns the calls of a message, in order; empty without any.
pub(crate) fn calls_of(message: &Value) -> Result<Vec<RawCall>, ModelFailure> {
    let calls: Vec<_> = match &message["tool_calls"] {
        Value::Array(calls) => calls.iter().filter(|call| !call.is_null()).collect(),
        call @ Value::Object(fields) if !fields.is_empty() => vec![call],
        placeholder if !says_something(placeholder) => Vec::new(),
        _ => return Err(ModelFailure::NotJson),
    };
    if CALLS_MAX < calls.len() {
        return Err(ModelFailure::TooManyCalls);
    }
    if calls.is_empty() {
        return Ok(legacy_call(&message["function_call"]).into_iter().collect());
    }
    Ok(calls.into_iter().map(call).collect())
}

fn call(call: &Value) -> RawCall {
    // Some servers omit the wrapping.
    let function = if call["function"].is_object() { &call["function"] } else { call };
    RawCall { id: id_of(&call["id"]), ..function_call(function) }
}

/// Reads the single call of an older version of the API. Servers that still know it send it empty without a call.
fn legacy_call(function: &Value) -> Option<RawCall> {
    let is_call = says_something(&function["name"]) || says_something(&function["arguments"]);
    is_call.then(|| function_call(function))
}

fn function_call(function: &Value) -> RawCall {
    let arguments = match function.get("arguments") {
        Some(arguments) => arguments,
        // Models of the Llama family use this key, and not every server corrects it.
        None => &function["parameters"],
    };
    let name = function["name"].as_str().unwrap_or_default().to_owned();
    let arguments = if function.is_object() { read(arguments, TEXT_DEPTH_MAX) } else { wrong_kind(function) };
    RawCall { id: None, name, arguments }
}

fn read(arguments: &Value, depth_left: usize) -> RawArguments {
    match arguments {
        Value::Object(arguments) => RawArguments::Object(arguments.clone()),
        Value::Null => RawArguments::Object(Map::new()),
        Value::String(text) if text.trim().is_empty() => RawArguments::Object(Map::new()),
        Value::String(text) if 0 < depth_left => match serde_json::from_str(text) {
            Ok(inner) => read(&inner, depth_left - 1),
            Err(problem) => unreadable(format!("the arguments are not valid JSON: {problem}")),
        },
        Value::String(_) | Value::Bool(_) | Value::Number(_) | Value::Array(_) => wrong_kind(arguments),
    }
}

fn wrong_kind(found: &Value) -> RawArguments {
    let kind = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object in the wrong place",
    };
    unreadable(format!("the arguments must be one JSON object, not {kind}"))
}

fn unreadable(problem: String) -> RawArguments {
    RawArguments::Unreadable { problem }
}

/// The maximum number of calls in one answer, by far more than any task needs.
pub(crate) const CALLS_MAX: usize = 64;

/// Reads an id. An empty one counts as missing.
pub(crate) fn id_of(id: &Value) -> Option<String> {
    match id {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: Value) -> RawArguments {
        match value {
            Value::Object(arguments) => RawArguments::Object(arguments),
            other => panic!("{other} is no object"),
        }
    }

    fn raw(id: Option<&str>, name: &str, value: Value) -> RawCall {
        RawCall { id: id.map(str::to_owned), name: name.to_owned(), arguments: arguments(value) }
    }

    #[test]
    fn arguments_are_an_object_or_nothing_or_unreadable() {
        let cpu = json!({"metric": "cpu"});
        let readable = [
            (json!("{\"metric\":\"cpu\"}"), cpu.clone()),
            (json!(" {\"metric\": \"cpu\"}\n"), cpu.clone()),
            (cpu.clone(), cpu.clone()),
            (json!("\"{\\\"metric\\\":\\\"cpu\\\"}\""), cpu),
            (json!(""), json!({})),
            (json!(" \n"), json!({})),
            (json!(null), json!({})),
            (json!("null"), json!({})),
            (json!("{}"), json!({})),
            (json!({}), json!({})),
            (json!("\"\""), json!({})),
            (json!("{\"a\":\"{\\\"b\\\":1}\"}"), json!({"a": "{\"b\":1}"})),
        ];
        for (written, expected) in readable {
            let call = call(&json!({"function": {"name": "status", "arguments": written}}));
            assert_eq!(call, raw(None, "status", expected), "{written}");
        }
        let unreadable = [
            (json!(5), "not a number"),
            (json!("5"), "not a number"),
            (json!(true), "not a boolean"),
            (json!(["cpu"]), "not an array"),
            (json!("[]"), "not an array"),
            (json!("[{\"metric\":\"cpu\"}]"), "not an array"),
            (json!("cpu"), "not valid JSON"),
            (json!("{\"metric\":\"cp"), "not valid JSON"),
            (json!("{\"metric\":\"cpu\"}{\"metric\":\"cpu\"}"), "not valid JSON"),
            (json!("{metric: 'cpu'}"), "not valid JSON"),
            (json!("\"cpu\""), "not valid JSON"),
            (json!("\"\\\"{}\\\"\""), "not a text"),
        ];
        for (written, expected) in unreadable {
            match call(&json!({"function": {"name": "status", "arguments": written}})).arguments {
                RawArguments::Unreadable { problem } => assert!(problem.contains(expected), "{written}: {problem}"),
                RawArguments::Object(read) => panic!("{written} is read as {read:?}"),
            }
        }
    }

    #[test]
    fn a_call_is_found_in_whatever_wraps_it() {
        let function = json!({"name": "status", "arguments": "{}"});
        let plain = raw(Some("1"), "status", json!({}));
        let cases = [
            (json!({"tool_calls": [{"id": "1", "type": "function", "function": function}]}), vec![plain.clone()]),
            (json!({"tool_calls": [{"id": "1", "type": null, "function": function}]}), vec![plain.clone()]),
            (json!({"tool_calls": [{"id": 1, "function": function, "index": 0}]}), vec![plain.clone()]),
            (json!({"tool_calls": [{"id": "1", "name": "status", "arguments": {}}]}), vec![plain.clone()]),
            (json!({"tool_calls": [null, {"id": "1", "function": function}]}), vec![plain.clone()]),
            (json!({"tool_calls": {"id": "1", "function": function}}), vec![plain.clone()]),
            (json!({"tool_calls": [{"id": null, "function": function}]}), vec![raw(None, "status", json!({}))]),
            (json!({"tool_calls": [{"id": "", "function": function}]}), vec![raw(None, "status", json!({}))]),
            (json!({"tool_calls": [{"function": function}]}), vec![raw(None, "status", json!({}))]),
            (
                json!({"tool_calls": [{"id": "1", "function": function}, {"id": "1", "function": function}]}),
                vec![plain.clone(), plain.clone()],
            ),
            (json!({"tool_calls": [{"id": "1", "function": {"name": ""}}]}), vec![raw(Some("1"), "", json!({}))]),
            (json!({"tool_calls": [{"id": "1", "function": {"name": null}}]}), vec![raw(Some("1"), "", json!({}))]),
            (
                json!({"tool_calls": [{"function": {"name": "status", "parameters": {"metric": "cpu"}}}]}),
                vec![raw(None, "status", json!({"metric": "cpu"}))],
            ),
            (json!({"function_call": function}), vec![raw(None, "status", json!({}))]),
            (json!({"function_call": function, "tool_calls": []}), vec![raw(None, "status", json!({}))]),
            (json!({"function_call": function, "tool_calls": [{"id": "1", "function": function}]}), vec![plain]),
            (json!({"function_call": null, "tool_calls": null}), vec![]),
            (json!({"function_call": {"name": "", "arguments": ""}, "tool_calls": []}), vec![]),
            (json!({"reasoning_content": "x", "reasoning": {"tool_calls": [{"function": function}]}}), vec![]),
        ];
        for (message, expected) in cases {
            assert_eq!(calls_of(&message), Ok(expected), "{message}");
        }
    }

    #[test]
    fn what_is_no_call_at_all_is_not_made_one() {
        assert_eq!(calls_of(&json!({"tool_calls": "status"})), Err(ModelFailure::NotJson));
        let calls = calls_of(&json!({"tool_calls": ["status", {}]})).unwrap();
        assert_eq!(calls[0].name, "");
        assert!(matches!(calls[0].arguments, RawArguments::Unreadable { .. }), "{calls:?}");
        assert_eq!(calls[1], raw(None, "", json!({})));
    }

    #[test]
    fn a_flood_of_calls_is_none() {
        let flood = |n: usize| json!({"tool_calls": vec![json!({"function": {"name": "status"}}); n]});
        assert_eq!(calls_of(&flood(CALLS_MAX)).map(|calls| calls.len()), Ok(CALLS_MAX));
        assert_eq!(calls_of(&flood(CALLS_MAX + 1)), Err(ModelFailure::TooManyCalls));
    }
}
