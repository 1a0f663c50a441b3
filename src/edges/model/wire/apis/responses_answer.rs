//! Answers of OpenAI's Responses: a list of items, which a stream sends one after the other.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::edges::model::wire::apis::chunk::Chunk;
use crate::edges::model::wire::apis::named_error::reported;
use crate::edges::model::wire::content::says_something;

/// What stands between two messages of one answer.
const BETWEEN: &str = "\n\n";

/// A whole answer as chat completions would have sent it. Items of reasoning are left out, and so are those of tools
/// that the server runs itself: they are neither words nor calls of this bot's tools.
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

/// Reads the events of a stream.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// The item whose words came last.
    words: Option<u64>,
    /// Whether a refusal came in pieces.
    has_refused: bool,
    /// The calls by the index of their item, and whether arguments of them came. As many as there may be calls: whoever
    /// puts them together takes no more.
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
            // Its arguments are not there yet, or come again.
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
            // One event with the whole answer in it.
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

    /// A call that is whole. Its arguments are taken if nothing of them came before.
    fn whole_call(&mut self, index: &Value, item: &Value, arguments: &Value) -> Chunk {
        let has_arguments = index.as_u64().and_then(|index| self.calls.get(&index)) == Some(&true);
        self.call(index, item, if has_arguments { &Value::Null } else { arguments })
    }

    /// The response as a whole. Its items came before; where none did, they are read from here.
    fn end(&self, kind: &str, response: &Value) -> Chunk {
        let mut whole = whole(response);
        if says_something(&whole["error"]) {
            return Chunk::of(whole);
        }
        let (mut delta, mut has_calls) = (json!({}), !self.calls.is_empty());
        if self.words.is_none() && !has_calls && !self.has_refused {
            delta = whole.pointer_mut("/choices/0/message").map(Value::take).unwrap_or(delta);
            has_calls = says_something(&delta["tool_calls"]);
        }
        let status = response["status"].as_str().or(kind.strip_prefix("response."));
        let end = finish_reason(status, response, has_calls);
        Chunk::of(json!({ "choices": [{ "delta": delta, "finish_reason": end }], "usage": usage(&response["usage"]) }))
    }
}

/// Where the words of an item stand. Without an index they are those of one item.
fn place(index: &Value) -> Option<u64> {
    Some(index.as_u64().unwrap_or(0))
}

/// The text of a message's parts of one kind.
fn parts(message: &Value, kind: &str, field: &str) -> String {
    let parts = message["content"].as_array().into_iter().flatten();
    parts.filter(|part| part["type"] == kind).filter_map(|part| part[field].as_str()).collect()
}

/// Why the answer ends, as chat completions would say it where they have a word for it.
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

/// The count of tokens as chat completions write it.
fn usage(usage: &Value) -> Value {
    json!({
        "total_tokens": usage["total_tokens"],
        "prompt_tokens": usage["input_tokens"],
        "completion_tokens": usage["output_tokens"],
    })
}
