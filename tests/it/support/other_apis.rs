//! Anthropic's Messages and OpenAI's Responses, for the scripted server: what their documentation requires of a request,
//! and an answer of chat completions in their form, as a stream.

use axum::http::HeaderMap;
use serde_json::{Value, json};

/// What is wrong with a request, if anything is. Chat completions are left to the tests.
pub(crate) fn problem(path: &str, headers: &HeaderMap, body: &Value) -> Option<String> {
    match path.rsplit('/').next() {
        Some("messages") => messages_problem(headers, body),
        Some("responses") => responses_problem(body),
        _ => None,
    }
}

/// This answer of chat completions in the form of the API that has this path, as its stream. `None` if that is chat
/// completions itself, or if this is no answer.
pub(crate) fn in_form(path: &str, answer: &Value) -> Option<String> {
    let choice = answer["choices"].get(0)?;
    match path.rsplit('/').next() {
        Some("messages") => Some(events(&messages_events(choice))),
        Some("responses") => Some(events(&responses_events(choice))),
        _ => None,
    }
}

fn events(events: &[Value]) -> String {
    let name = |event: &Value| event["type"].as_str().map(str::to_owned).unwrap_or_default();
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", name(event))).collect()
}

/// The first of these that does not hold.
fn first_broken(rules: &[(&str, bool)]) -> Option<String> {
    rules.iter().find(|(_, holds)| !holds).map(|(rule, _)| (*rule).to_owned())
}

/// Whether every field of an object is one of these.
fn has_only(object: &Value, fields: &[&str]) -> bool {
    object.as_object().is_some_and(|object| object.keys().all(|key| fields.contains(&key.as_str())))
}

fn messages_problem(headers: &HeaderMap, body: &Value) -> Option<String> {
    const FIELDS: [&str; 9] =
        ["model", "max_tokens", "messages", "stream", "system", "tools", "tool_choice", "temperature", "thinking"];
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let roles: Vec<_> = messages.iter().map(|message| message["role"].as_str().unwrap_or_default()).collect();
    let blocks = |message: &Value| message["content"].as_array().cloned().unwrap_or_default();
    let ids = |message: &Value, kind: &str, field: &str| {
        let blocks = blocks(message).into_iter().filter(|block| block["type"] == kind);
        blocks.map(|block| block[field].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let is_answered = |pair: &[Value]| ids(&pair[0], "tool_use", "id") == ids(&pair[1], "tool_result", "tool_use_id");
    let is_id = |id: &String| {
        !id.is_empty() && id.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
    };
    let is_said =
        |block: &Value| block["type"] != "text" || !block["text"].as_str().unwrap_or_default().trim().is_empty();
    let all = messages.iter().flat_map(blocks);
    // As this server gave it, with its signature.
    let begins_with_thinking = |message: &Value| {
        let thinking = json!({"type": "thinking", "thinking": "which words?", "signature": "c2ln"});
        ids(message, "tool_use", "id").is_empty() || message["content"][0] == thinking
    };
    let last_answer = messages.iter().rev().find(|message| message["role"] == "assistant");
    let thinks = body["thinking"]["type"] == "enabled";
    first_broken(&[
        (
            "anthropic-version: header is required",
            headers.get("anthropic-version").is_some_and(|value| value == "2023-06-01"),
        ),
        ("authorization: no such header is read", !headers.contains_key("authorization")),
        ("body: extra inputs are not permitted", has_only(body, &FIELDS)),
        ("max_tokens: field required", body["max_tokens"].as_u64().is_some_and(|max| 0 < max)),
        ("system: must be a text", body["system"].is_null() || body["system"].is_string()),
        ("messages: first message must use the user role", roles.first() == Some(&"user")),
        ("messages: roles must alternate", roles.windows(2).all(|pair| pair[0] != pair[1])),
        ("messages: at least one block", messages.iter().all(|message| !blocks(message).is_empty())),
        ("messages: text must not be empty", all.clone().all(|block| is_said(&block))),
        ("messages: each tool_use has its tool_result in the next message", messages.windows(2).all(is_answered)),
        ("messages: ids", messages.iter().all(|message| ids(message, "tool_use", "id").iter().all(is_id))),
        (
            "messages: a final assistant message must start with a thinking block, as it was given",
            !thinks || last_answer.is_none_or(begins_with_thinking),
        ),
        (
            "tools: input_schema is required",
            tools(body).iter().all(|tool| {
                has_only(tool, &["name", "description", "input_schema"]) && tool["input_schema"]["type"] == "object"
            }),
        ),
        ("tool_choice: must be an object", body["tool_choice"].is_null() || body["tool_choice"]["type"] == "auto"),
    ])
}

fn tools(body: &Value) -> Vec<Value> {
    body["tools"].as_array().cloned().unwrap_or_default()
}

fn responses_problem(body: &Value) -> Option<String> {
    const FIELDS: [&str; 9] = [
        "model",
        "input",
        "instructions",
        "store",
        "stream",
        "tools",
        "tool_choice",
        "max_output_tokens",
        "temperature",
    ];
    let input = body["input"].as_array().map(Vec::as_slice).unwrap_or_default();
    let of_kind = |kind: &'static str| input.iter().filter(move |item| item["type"] == kind);
    let ids = |kind| of_kind(kind).map(|item| item["call_id"].as_str().unwrap_or_default()).collect::<Vec<_>>();
    let is_item = |item: &Value| match item["type"].as_str() {
        Some("message") => has_only(item, &["type", "role", "content"]) && item["content"].is_string(),
        Some("function_call") => {
            has_only(item, &["type", "call_id", "name", "arguments"]) && item["arguments"].is_string()
        }
        Some("function_call_output") => has_only(item, &["type", "call_id", "output"]) && item["output"].is_string(),
        _ => false,
    };
    let is_tool = |tool: &Value| {
        has_only(tool, &["type", "name", "description", "parameters", "strict"]) && tool["strict"] == json!(false)
    };
    first_broken(&[
        ("unknown parameter", has_only(body, &FIELDS)),
        ("store: must be false", body["store"] == json!(false)),
        ("input: unknown item", !input.is_empty() && input.iter().all(is_item)),
        ("input: no tool output found for function call", ids("function_call") == ids("function_call_output")),
        ("tools: must be flat", tools(body).iter().all(is_tool)),
    ])
}

/// The calls of a message of chat completions: id, name and arguments.
fn calls(message: &Value) -> Vec<(Value, Value, String)> {
    let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
    let call = |call: Value| {
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default().to_owned();
        (call["id"].clone(), call["function"]["name"].clone(), arguments)
    };
    calls.into_iter().map(call).collect()
}

/// A text in two pieces.
fn halves(text: &str) -> [&str; 2] {
    let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    text.split_at(half).into()
}

/// Thinking, the words and the calls, each as a block.
fn messages_events(choice: &Value) -> Vec<Value> {
    let message = &choice["message"];
    let thinking = json!({"type": "thinking", "thinking": "", "signature": ""});
    let hm = json!({"type": "thinking_delta", "thinking": "which words?"});
    let signature = json!({"type": "signature_delta", "signature": "c2ln"});
    let mut blocks = vec![(thinking, vec![hm, signature])];
    if let Some(text) = message["content"].as_str().filter(|text| !text.is_empty()) {
        let deltas = halves(text).map(|text| json!({"type": "text_delta", "text": text}));
        blocks.push((json!({"type": "text", "text": ""}), deltas.to_vec()));
    }
    for (id, name, arguments) in calls(message) {
        let deltas = halves(&arguments).map(|json| json!({"type": "input_json_delta", "partial_json": json}));
        blocks.push((json!({"type": "tool_use", "id": id, "name": name, "input": {}}), deltas.to_vec()));
    }
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let begun = json!({"type": "message", "role": "assistant", "content": [], "stop_reason": null, "usage": usage});
    let mut events = vec![json!({"type": "message_start", "message": begun}), json!({"type": "ping"})];
    for (index, (begin, deltas)) in blocks.into_iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": begin}));
        let delta = |delta| json!({"type": "content_block_delta", "index": index, "delta": delta});
        events.extend(deltas.into_iter().map(delta));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let stop_reason = match choice["finish_reason"].as_str() {
        Some("stop") => "end_turn",
        Some("length") => "max_tokens",
        Some("tool_calls") => "tool_use",
        other => panic!("{other:?} has no word in this API"),
    };
    let end = json!({"stop_reason": stop_reason, "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}}));
    events.push(json!({"type": "message_stop"}));
    events
}

/// Reasoning, the words and the calls, each as an item.
fn responses_events(choice: &Value) -> Vec<Value> {
    let message = &choice["message"];
    let mut output = vec![json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "which words?"}]})];
    let mut pieces = vec![("response.reasoning_summary_text.delta", "which words?".to_owned())];
    if let Some(text) = message["content"].as_str().filter(|text| !text.is_empty()) {
        let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
        output.push(json!({"type": "message", "role": "assistant", "content": content}));
        pieces.push(("response.output_text.delta", text.to_owned()));
    }
    for (id, name, arguments) in calls(message) {
        output.push(json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments}));
        pieces.push(("response.function_call_arguments.delta", arguments));
    }
    let (status, details) = match choice["finish_reason"].as_str() {
        Some("stop" | "tool_calls") => ("completed", Value::Null),
        Some("length") => ("incomplete", json!({"reason": "max_output_tokens"})),
        other => panic!("{other:?} has no word in this API"),
    };
    let response = |status: &str, details: &Value, output: &[Value], usage: Value| {
        json!({
            "object": "response", "status": status, "error": null, "incomplete_details": details, "output": output,
            "usage": usage,
        })
    };
    let begun = response("in_progress", &Value::Null, &[], Value::Null);
    let mut events = vec![json!({"type": "response.created", "response": begun})];
    for (index, (item, (kind, text))) in output.iter().zip(pieces).enumerate() {
        let mut begin = item.clone();
        for field in ["content", "summary", "arguments"] {
            if !begin[field].is_null() {
                begin[field] = if field == "arguments" { json!("") } else { json!([]) };
            } else if let Some(begin) = begin.as_object_mut() {
                begin.remove(field);
            }
        }
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": begin}));
        let delta = |text| json!({"type": kind, "output_index": index, "delta": text});
        events.extend(halves(&text).map(delta));
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    let whole = response(status, &details, &output, usage);
    events.push(json!({"type": format!("response.{status}"), "response": whole}));
    events
}
