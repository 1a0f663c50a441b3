//! Answers of Anthropic's Messages: a list of blocks, which a stream sends one after the other.

use serde_json::{Value, json};

use crate::wire::apis::chunk::Chunk;
use crate::wire::apis::named_error::reported;
use crate::wire::content::says_something;
use crate::wire::content::{THOUGHTS_LENGTH_MAX, Thought, noted, thoughts_length};

/// The fields of a token count. The first one does not include tokens that are read from a cache or written to it.
const COUNTED: [&str; 4] = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];

/// Converts a whole answer to chat completions. Blocks of thinking are added as [`noted`]. Blocks of the server's own
/// tools are left out: they are neither words nor calls of this bot's tools.
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
    let mut message = json!({ "content": text, "tool_calls": of_kind("tool_use").map(call).collect::<Vec<_>>() });
    let mut thoughts = ThoughtPieces::default();
    for (block, n) in blocks.iter().zip(0..) {
        match block["type"].as_str() {
            Some("tool_use") => thoughts.n_calls += 1,
            _ => thoughts.begin(Some(n), block),
        }
    }
    message["thoughts"] = thoughts.take();
    let choice = json!({ "message": message, "finish_reason": finish_reason(&answer["stop_reason"]) });
    let mut usage = Counted::default();
    usage.take(&answer["usage"]);
    json!({ "choices": [choice], "usage": usage.usage() })
}

#[derive(Debug, Default)]
pub(crate) struct Events {
    /// The block indexes of the calls, in order of arrival. Bounded, because the assembler of the calls refuses too
    /// many.
    calls: Vec<Option<u64>>,
    thoughts: ThoughtPieces,
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
                let delta = json!({ "thoughts": self.thoughts.take() });
                let choice = json!({ "delta": delta, "finish_reason": end });
                Chunk::of(json!({ "choices": [choice], "usage": self.usage.usage() }))
            }
            "message_stop" => Chunk::nothing().last(),
            // One event with the whole answer.
            "message" => Chunk::of(whole(&event)),
            // An error without its wrapping.
            "error" => Chunk::of(reported(&event)),
            _ => Chunk::nothing(),
        }
    }

    /// Handles the beginning of a block, perhaps with its first words or with a whole call.
    fn begin(&mut self, index: &Value, block: &Value) -> Chunk {
        self.thoughts.begin(index.as_u64(), block);
        match block["type"].as_str() {
            Some("text") => Chunk::delta(json!({ "content": block["text"] })),
            Some("thinking") => Chunk::delta(json!({ "reasoning_content": block["thinking"] })),
            Some("redacted_thinking") => Chunk::delta(json!({ "reasoning_content": "redacted" })),
            Some("tool_use") => {
                self.calls.push(index.as_u64());
                self.thoughts.n_calls += 1;
                let input = if says_something(&block["input"]) { &block["input"] } else { &Value::Null };
                Chunk::call(index, &block["id"], &block["name"], input)
            }
            _ => Chunk::nothing(),
        }
    }

    fn delta(&mut self, index: &Value, delta: &Value) -> Chunk {
        self.thoughts.add(index.as_u64(), delta);
        match delta["type"].as_str() {
            Some("text_delta") => Chunk::delta(json!({ "content": delta["text"] })),
            Some("thinking_delta") => Chunk::delta(json!({ "reasoning_content": delta["thinking"] })),
            // The input of the server's own tools has the same form.
            Some("input_json_delta") if self.calls.contains(&index.as_u64()) => {
                Chunk::call(index, &Value::Null, &Value::Null, &delta["partial_json"])
            }
            _ => Chunk::nothing(),
        }
    }
}

/// The model's thinking by block: each beginning with its deltas.
#[derive(Debug, Default)]
struct ThoughtPieces {
    /// The number of calls so far.
    n_calls: usize,
    blocks: Vec<(Option<u64>, Thought)>,
    length: usize,
}

impl ThoughtPieces {
    fn begin(&mut self, index: Option<u64>, block: &Value) {
        if !Thought::is(block) {
            return;
        }
        let thought = Thought { before: self.n_calls, block: block.clone() };
        // An empty block counts too, which bounds the number of blocks.
        self.length += thoughts_length(std::slice::from_ref(&thought)) + 32;
        if self.length <= THOUGHTS_LENGTH_MAX {
            self.blocks.push((index, thought));
        }
    }

    fn add(&mut self, index: Option<u64>, delta: &Value) {
        let field = match delta["type"].as_str() {
            Some("thinking_delta") => "thinking",
            Some("signature_delta") => "signature",
            _ => return,
        };
        let more = delta[field].as_str().unwrap_or_default();
        self.length += more.len();
        let thought = self.blocks.iter_mut().rev().find(|(at, _)| *at == index).map(|(_, thought)| thought);
        if let (Some(thought), true) = (thought, self.length <= THOUGHTS_LENGTH_MAX) {
            let text = thought.block[field].as_str().unwrap_or_default();
            thought.block[field] = json!([text, more].concat());
        }
    }

    /// Returns all thoughts, or null if they are too long.
    fn take(&mut self) -> Value {
        let thoughts: Vec<_> = std::mem::take(&mut self.blocks).into_iter().map(|(_, thought)| thought).collect();
        if self.length <= THOUGHTS_LENGTH_MAX { noted(&thoughts) } else { Value::Null }
    }
}

/// The latest token counts. Those of the request come first and those of the answer last; some are repeated.
#[derive(Debug, Default)]
struct Counted([Option<u64>; COUNTED.len()]);

impl Counted {
    fn take(&mut self, usage: &Value) {
        for (count, field) in self.0.iter_mut().zip(COUNTED) {
            *count = usage[field].as_u64().or(*count);
        }
    }

    /// Returns the total as chat completions write it, or null.
    fn usage(&self) -> Value {
        let counts = self.0.iter().flatten();
        match counts.copied().reduce(u64::saturating_add) {
            Some(total) => json!({ "total_tokens": total }),
            None => Value::Null,
        }
    }
}

/// Returns the reason for the end, in the word of chat completions if they have one.
fn finish_reason(stop_reason: &Value) -> Value {
    match stop_reason.as_str() {
        Some("model_context_window_exceeded") => json!("length"),
        _ => stop_reason.clone(),
    }
}
