//! A call written as text.

use std::ops::Range;

use serde_json::{Map, Value};

/// Calls written as text: one piece of a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolText {
    /// Where it stands, in bytes, with what wraps it.
    pub span: Range<usize>,
    /// The calls, in order; at least one.
    pub calls: Vec<TextCall>,
    /// It stands in a block of code: as often an example as a call.
    pub is_code: bool,
    /// The text can mean only these calls. A call that was guessed never runs.
    pub is_certain: bool,
    /// It may be a function of a program that is called as a tool is: by one word.
    pub(super) is_word: bool,
}

/// One call written as text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextCall {
    /// The tool's name: one of this bot's.
    pub name: String,
    /// The arguments as far as they can be read.
    pub arguments: Map<String, Value>,
}
