//! Answers of Anthropic's Messages: a list of blocks, which a stream sends one after the other.

use serde_json::{Value, json};

use crate::edges::model::wire::apis::chunk::Chunk;
use crate::edges::model::wire::apis::named_error::reported;
use crate::edges::model::wire::content::says_something;

/// The fields of a count of tokens. What is read from a cache, or written to one, is not in the first.
const COUNTED: [&str; 4] = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];

/// A whole answer as chat completions would have sent it. Blocks of thinking are left out, and so are those of tools
/// that the server runs itself: they are neither words nor calls of this bot's tools.
pub(super) fn whole(answer: &Value) -> Value {
    if says_something(&answer["error"]) {
        return reported(&answer["error"]);
    }
    let Some(blocks) = answer["content"].as_array() else { return json!({}) };
    let of_kind = |kind: &'static str| blocks.iter().filter(move |block| block["type"] == kind);
    let text = of_kind("text").filter_map(|block| block["text"].as_str()).collect::<String>();
    let call = |block: &Value| {
        let function = json!({ "name": block["name"], "arguments": block["input"] });
        json!({ "id": block["id"], "function": function })
    };
    let message = json!({ "content": text, "tool_calls": of_kind("tool_use").map(call).collect::<Vec<_>>() });
    let choice = json!({ "message": message, "finish_reason": finish_reason(&answer["stop_reason"]) });
    let mut usage = Counted::default();
    usage.take(&answer["usage"]);
    json!({ "choices": [choice], "usage": usage.usage() })
}

/// Reads the events of a stream.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// The indexes of the blocks that are calls, in the order in which they came. As many as there may be calls:
    /// whoever puts them together takes no more.
    calls: Vec<Option<u64>>,
    usage: Counted,
}

impl Events {
    pub(super) fn chunk(&mut self, name: &str, event: Value) -> Chunk {
        if says_something(&event["error"]) {
            return Chunk::of(reported(&event["error"]));
        }
        match event["type"].as_str().unwrap_or(name) {
            "message_start" => {
                self.usage.take(&event["message"]["usage"]);
                Chunk::nothing()
            }
            "content_block_start" => self.begin(&event["index"], &event["content_block"]),
            "content_block_delta" => self.delta(&event["index"], &event["delta"]),
            "message_delta" => {
                self.usage.take(&event["usage"]);
                let end = finish_reason(&event["delta"]["stop_reason"]);
                let choice = json!({ "delta": {}, "finish_reason": end });
                Chunk::of(json!({ "choices": [choice], "usage": self.usage.usage() }))
            }
            "message_stop" => Chunk::nothing().last(),
            // One event with the whole answer in it.
            "message" => Chunk::of(whole(&event)),
            // An error whose wrapping is missing.
            "error" => Chunk::of(reported(&event)),
            _ => Chunk::nothing(),
        }
    }

    /// A block begins, perhaps with its first words, or with a whole call.
    fn begin(&mut self, index: &Value, block: &Value) -> Chunk {
        match block["type"].as_str() {
            Some("text") => Chunk::delta(json!({ "content": block["text"] })),
            Some("thinking") => Chunk::delta(json!({ "reasoning_content": block["thinking"] })),
            Some("redacted_thinking") => Chunk::delta(json!({ "reasoning_content": "redacted" })),
            Some("tool_use") => {
                self.calls.push(index.as_u64());
                let input = if says_something(&block["input"]) { &block["input"] } else { &Value::Null };
                Chunk::call(index, &block["id"], &block["name"], input)
            }
            _ => Chunk::nothing(),
        }
    }

    fn delta(&self, index: &Value, delta: &Value) -> Chunk {
        match delta["type"].as_str() {
            Some("text_delta") => Chunk::delta(json!({ "content": delta["text"] })),
            Some("thinking_delta") => Chunk::delta(json!({ "reasoning_content": delta["thinking"] })),
            // The input of a tool that the server runs itself has the same form.
            Some("input_json_delta") if self.calls.contains(&index.as_u64()) => {
                Chunk::call(index, &Value::Null, &Value::Null, &delta["partial_json"])
            }
            _ => Chunk::nothing(),
        }
    }
}

/// The latest counts of tokens: those of the request come first, those of the answer last, and some come again.
#[derive(Debug, Default)]
struct Counted([Option<u64>; COUNTED.len()]);

impl Counted {
    fn take(&mut self, usage: &Value) {
        for (count, field) in self.0.iter_mut().zip(COUNTED) {
            *count = usage[field].as_u64().or(*count);
        }
    }

    /// The counts as chat completions sum them up, or nothing.
    fn usage(&self) -> Value {
        let counts = self.0.iter().flatten();
        match counts.copied().reduce(u64::saturating_add) {
            Some(total) => json!({ "total_tokens": total }),
            None => Value::Null,
        }
    }
}

/// Why the answer ends, as chat completions would say it where they have a word for it.
fn finish_reason(stop_reason: &Value) -> Value {
    match stop_reason.as_str() {
        Some("model_context_window_exceeded") => json!("length"),
        _ => stop_reason.clone(),
    }
}
