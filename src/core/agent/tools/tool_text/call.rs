//! A call written as text.

use std::ops::Range;

use serde_json::{Map, Value};

/// The key of a value without a name in a call: `tasks_add("milk")`. No argument has this name.
pub(crate) const UNNAMED: &str = "";

/// Calls written as text: one piece of a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolText {
    /// The position in bytes, including the wrapping.
    pub span: Range<usize>,
    /// In order; at least one.
    pub calls: Vec<TextCall>,
    /// It is in a block of code, which is as often an example as a call.
    pub is_code: bool,
    /// The text can mean only these calls. A guessed call never runs.
    pub is_certain: bool,
    /// The tool's name is one word, so it may be a function of a program.
    pub(super) is_word: bool,
    /// A mark in front of it identifies it as a call.
    pub(super) is_marked: bool,
}

impl ToolText {
    pub(super) fn at(span: Range<usize>) -> Self {
        Self { span, calls: Vec::new(), is_code: false, is_certain: false, is_word: false, is_marked: false }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct TextCall {
    /// The name of a tool of this bot, unless a whole message is a call of another one.
    pub name: String,
    /// The readable arguments.
    pub arguments: Map<String, Value>,
}
