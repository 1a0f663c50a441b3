//! A call written as text.

use std::ops::Range;

use serde_json::{Map, Value};

/// The name in a call of a value that is written without one: `tasks_add("milk")`. No argument is called so.
pub(crate) const UNNAMED: &str = "";

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
    /// A mark in front of it says that it is a call.
    pub(super) is_marked: bool,
}

impl ToolText {
    /// A piece at this place without calls.
    pub(super) fn at(span: Range<usize>) -> Self {
        Self { span, calls: Vec::new(), is_code: false, is_certain: false, is_word: false, is_marked: false }
    }
}

/// One call written as text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextCall {
    /// The tool's name: one of this bot's, unless a whole message is a call of another.
    pub name: String,
    /// The arguments as far as they can be read.
    pub arguments: Map<String, Value>,
}
