//! A model's thinking before its calls. Anthropic's Messages requires it back, unchanged and with the calls, while
//! their results are being answered. Otherwise it refuses the request.

use serde_json::{Value, json};

/// The maximum size of one answer's thinking, in bytes. Longer thinking is not sent back at all, because a part would
/// be refused.
pub(crate) const THOUGHTS_LENGTH_MAX: usize = 1024 * 1024;

/// A block of thinking, readable or redacted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Thought {
    /// The number of the answer's calls before it.
    pub(crate) before: usize,
    /// Includes its signature.
    pub(crate) block: Value,
}

impl Thought {
    /// Returns whether a block is thinking.
    pub(crate) fn is(block: &Value) -> bool {
        matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
    }
}

/// Encodes thoughts, in order, as the field `thoughts` of a message of chat completions.
pub(crate) fn noted(thoughts: &[Thought]) -> Value {
    thoughts.iter().map(|thought| json!({ "before": thought.before, "block": thought.block })).collect()
}

pub(crate) fn thoughts_of(message: &Value) -> Vec<Thought> {
    let thought = |noted: &Value| {
        let before = noted["before"].as_u64().and_then(|before| usize::try_from(before).ok())?;
        Thought::is(&noted["block"]).then(|| Thought { before, block: noted["block"].clone() })
    };
    message["thoughts"].as_array().into_iter().flatten().filter_map(thought).collect()
}

/// Returns their size in bytes, about.
pub(crate) fn length(thoughts: &[Thought]) -> usize {
    let texts = |block: &Value| {
        let texts = block.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str());
        texts.map(str::len).sum::<usize>()
    };
    thoughts.iter().map(|thought| texts(&thought.block)).sum()
}
