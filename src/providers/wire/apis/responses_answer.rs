//! Answers of OpenAI's Responses: a list of items, which a stream sends one after the other.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::wire::apis::chunk::Chunk;
use crate::wire::apis::named_error::reported;
use crate::wire::content::says_something;

/// The separator between two messages of one answer.
const BETWEEN: &str = "\n\n";

/// Converts a whole answer to chat completions. Items of reasoning and of the server's own tools are left out: they are
/// neither words nor calls of this bot's tools.
pub(super) fn whole(response: &Value) -> Value {
    if says_something(&response["error"]) {
        return reported(&response["error"]);
    }
    let Some(items) = response["output"].as_array() else { return json!({}) };
    let of_kind = |kind: &'static str| items.iter().filter(move |item| item["type"] == kind);
    let texts = of_kind("message").map(|item| parts(item, "output_text", "text"));
    let text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(BETWEEN);
    let refusal = of_kind("message").map(|item| parts(item, "refusal", "refusal")).collect::<String>();
    let call = |item: &Value| {
        let function = json!({ "name": item["name"], "arguments": item["arguments"] });
        json!({ "id": item["call_id"], "function": function })
    };
    let calls: Vec<_> = of_kind("function_call").map(call).collect();
    let end = finish_reason(response["status"].as_str(), response, !calls.is_empty());
    let message = json!({ "content": text, "refusal": refusal, "tool_calls": calls });
    json!({ "choices": [{ "message": message, "finish_reason": end }], "usage": usage(&response["usage"]) })
}

#[derive(Debug, Default)]
pub(crate) struct Events {
    /// The index of the item whose words came last.
    words: Option<u64>,
    /// Whether a refusal came in pieces.
    has_refused: bool,
    /// The calls by the index of their item, and whether arguments came. Bounded, because the assembler of the calls
    /// refuses too many.
    calls: BTreeMap<u64, bool>,
}

impl Events {
    pub(super) fn chunk(&mut self, name: &str, event: Value) -> Chunk {
        let index = &event["output_index"];
        let kind = event["type"].as_str().unwrap_or(name);
        match kind {
            "response.output_text.delta" => self.text(index, &event["delta"]),
            "response.output_text.done" if self.words != place(index) => self.text(index, &event["text"]),
            "response.refusal.delta" => {
                self.has_refused = true;
                Chunk::delta(json!({ "refusal": event["delta"] }))
            }
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                Chunk::delta(json!({ "reasoning_content": event["delta"] }))
            }
            // Its arguments are not there yet, or are repeated later.
            "response.output_item.added" if event["item"]["type"] == "function_call" => {
                self.call(index, &event["item"], &Value::Null)
            }
            "response.function_call_arguments.delta" => self.call(index, &Value::Null, &event["delta"]),
            "response.function_call_arguments.done" => self.whole_call(index, &Value::Null, &event["arguments"]),
            "response.output_item.done" if event["item"]["type"] == "function_call" => {
                self.whole_call(index, &event["item"], &event["item"]["arguments"])
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                self.end(kind, &event["response"]).last()
            }
            // One event with the whole answer.
            _ if event["object"] == "response" => Chunk::of(whole(&event)),
            _ if says_something(&event["error"]) => Chunk::of(reported(&event["error"])),
            "error" => Chunk::of(reported(&event)),
            _ => Chunk::nothing(),
        }
    }

    fn text(&mut self, index: &Value, text: &Value) -> Chunk {
        let before = std::mem::replace(&mut self.words, place(index));
        match text.as_str() {
            Some(text) if before.is_some() && before != self.words => {
                Chunk::delta(json!({ "content": format!("{BETWEEN}{text}") }))
            }
            _ => Chunk::delta(json!({ "content": text })),
        }
    }

    fn call(&mut self, index: &Value, item: &Value, arguments: &Value) -> Chunk {
        if let Some(index) = index.as_u64() {
            *self.calls.entry(index).or_default() |= says_something(arguments);
        }
        Chunk::call(index, &item["call_id"], &item["name"], arguments)
    }

    /// Handles a whole call. Its arguments are used only if none came before.
    fn whole_call(&mut self, index: &Value, item: &Value, arguments: &Value) -> Chunk {
        let has_arguments = index.as_u64().and_then(|index| self.calls.get(&index)) == Some(&true);
        self.call(index, item, if has_arguments { &Value::Null } else { arguments })
    }

    /// Handles the whole response. Its items are read only if none came before.
    fn end(&self, kind: &str, response: &Value) -> Chunk {
        let mut whole = whole(response);
        if says_something(&whole["error"]) {
            return Chunk::of(whole);
        }
        let mut delta = json!({});
        let mut has_calls = !self.calls.is_empty();
        if self.words.is_none() && !has_calls && !self.has_refused {
            delta = whole.pointer_mut("/choices/0/message").map(Value::take).unwrap_or(delta);
            has_calls = says_something(&delta["tool_calls"]);
        }
        let status = response["status"].as_str().or(kind.strip_prefix("response."));
        let end = finish_reason(status, response, has_calls);
        Chunk::of(json!({ "choices": [{ "delta": delta, "finish_reason": end }], "usage": usage(&response["usage"]) }))
    }
}

/// Returns the place of an item's words. Without an index all words belong to one item.
fn place(index: &Value) -> Option<u64> {
    Some(index.as_u64().unwrap_or(0))
}

/// Returns the joined text of a message's parts of one kind.
fn parts(message: &Value, kind: &str, field: &str) -> String {
    let parts = message["content"].as_array().into_iter().flatten();
    parts.filter(|part| part["type"] == kind).filter_map(|part| part[field].as_str()).collect()
}

/// Returns the reason for the end, in the word of chat completions if they have one.
fn finish_reason(status: Option<&str>, response: &Value, has_calls: bool) -> Value {
    let reason = &response["incomplete_details"]["reason"];
    match (status, reason.as_str()) {
        (Some("completed"), _) if has_calls => json!("tool_calls"),
        (Some("completed"), _) => json!("stop"),
        (Some("incomplete"), Some("max_output_tokens")) => json!("length"),
        (Some("incomplete"), Some(_)) => reason.clone(),
        (Some("failed"), _) => json!("error"),
        _ => json!(status),
    }
}

/// Converts the token count to chat completions.
fn usage(usage: &Value) -> Value {
    json!({
        "total_tokens": usage["total_tokens"],
        "prompt_tokens": usage["input_tokens"],
        "completion_tokens": usage["output_tokens"],
    })
}
