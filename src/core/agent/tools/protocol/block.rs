//! Finds the start and end of a block: a bare value, or one code fence around it.

use serde_json::Value;

use crate::text::first_value;

pub(super) struct Block<'a> {
    /// From the value to the end of the message.
    body: &'a str,
    fence: Option<Fence>,
}

/// A code fence. At least as many marks close it.
#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    n_marks: usize,
}

/// The text behind the first value of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// None: the message is the block.
    Whole,
    Unclosed,
    TwoBlocks,
    TextBehind,
}

impl<'a> Block<'a> {
    /// Opens the block at the start of a message: an object or a list of objects, either bare or in a fence marked as
    /// JSON or unmarked.
    pub(super) fn open(text: &'a str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim();
        let (body, fence) = match text.chars().next()? {
            mark @ ('`' | '~') => {
                let (info, body, n_marks) = opened(text, mark);
                let is_json = matches!(info.to_ascii_lowercase().as_str(), "" | "json" | "jsonc" | "json5");
                if n_marks < 3 || !is_json {
                    return None;
                }
                (body.trim_start(), Some(Fence { mark, n_marks }))
            }
            _ => (text, None),
        };
        let begins = |body: &str| {
            let inside_list = body.strip_prefix('[').map(str::trim_start);
            inside_list.unwrap_or(body).starts_with('{')
        };
        // A comment before the object is a mistake in a block, not another kind of text.
        let comment = fence.is_some() && (body.starts_with("//") || body.starts_with("/*"));
        (begins(body) || comment).then_some(Self { body, fence })
    }

    /// Returns the first value, its extent, and the text behind the block.
    pub(super) fn value(&self) -> Result<(Value, Extent, &'a str), serde_json::Error> {
        let (value, length) = first_value(self.body)?;
        let behind = self.body.get(length..).unwrap_or_default().trim_start();
        let (extent, behind) = extent(behind, self.fence);
        Ok((value, extent, behind))
    }

    /// Returns whether an unreadable block was meant as calls: it has a key `tool` or `tool_calls`, perhaps cut off
    /// behind it, or begins with `reasoning`.
    pub(super) fn is_attempt(&self) -> bool {
        let first_key =
            self.body.trim_start_matches(|character: char| "{[\"'".contains(character) || character.is_whitespace());
        first_key.starts_with("reasoning") || self.body.match_indices("tool").any(|(at, _)| is_key(self.body, at))
    }
}

/// Returns the info string, the text behind it and the number of marks. A value may follow on the line of the marks.
fn opened(text: &str, mark: char) -> (&str, &str, usize) {
    let behind = text.trim_start_matches(mark);
    let info_end = behind.find(|character: char| character.is_whitespace() || "{[".contains(character));
    let (info, body) = behind.split_at(info_end.unwrap_or(behind.len()));
    (info, body, text.len() - behind.len())
}

fn extent(behind: &str, fence: Option<Fence>) -> (Extent, &str) {
    let behind = match fence {
        None => behind,
        Some(_) if behind.is_empty() => return (Extent::Unclosed, behind),
        Some(Fence { mark, n_marks }) => {
            let rest = behind.trim_start_matches(mark);
            let closes = n_marks <= behind.len() - rest.len();
            if closes { rest.trim_start() } else { behind }
        }
    };
    let extent = match behind {
        "" => Extent::Whole,
        more if ["{", "[", "```", "~~~"].iter().any(|start| more.starts_with(start)) => Extent::TwoBlocks,
        _ => Extent::TextBehind,
    };
    (extent, behind)
}

/// Returns whether the word `tool` at `at` is, or begins, the key of a call.
fn is_key(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    let behind = text.get(at..).and_then(|rest| rest.strip_prefix("tool")).unwrap_or_default();
    let behind = behind.strip_prefix("_calls").unwrap_or(behind);
    let behind = behind.trim_start_matches(['"', '\'', '\\']).trim_start();
    let is_start = before.is_some_and(|character| "\"'{,".contains(character) || character.is_whitespace());
    is_start && (behind.is_empty() || behind.starts_with(':') || "_calls".starts_with(behind))
}
