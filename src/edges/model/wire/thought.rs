//! What a model thought on the way to its calls, as Anthropic's Messages gives it and wants it back: unchanged, with the
//! calls, for as long as their results are being answered. Otherwise it refuses the request.

use serde_json::{Value, json};

/// The most bytes of one answer's thinking that are kept. What is more is not sent back at all: a part would be refused.
pub(crate) const THOUGHTS_LENGTH_MAX: usize = 1024 * 1024;

/// A block of thinking, readable or not.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Thought {
    /// How many calls of the answer come before it.
    pub(crate) before: usize,
    /// The block, with its signature.
    pub(crate) block: Value,
}

impl Thought {
    /// Whether a block is thinking.
    pub(crate) fn is(block: &Value) -> bool {
        matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
    }
}

/// The thoughts of an answer's blocks, in order, as the field `thoughts` of a message of chat completions.
pub(crate) fn noted(thoughts: &[Thought]) -> Value {
    thoughts.iter().map(|thought| json!({ "before": thought.before, "block": thought.block })).collect()
}

/// The thoughts that stand in a message of chat completions.
pub(crate) fn thoughts_of(message: &Value) -> Vec<Thought> {
    let thought = |noted: &Value| {
        let before = noted["before"].as_u64().and_then(|before| usize::try_from(before).ok())?;
        Thought::is(&noted["block"]).then(|| Thought { before, block: noted["block"].clone() })
    };
    message["thoughts"].as_array().into_iter().flatten().filter_map(thought).collect()
}

/// How many bytes they take, about.
pub(crate) fn length(thoughts: &[Thought]) -> usize {
    let texts = |block: &Value| {
        let texts = block.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str());
        texts.map(str::len).sum::<usize>()
    };
    thoughts.iter().map(|thought| texts(&thought.block)).sum()
}
