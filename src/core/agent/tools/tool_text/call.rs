//! A call written as text.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::text::Form;

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
}

/// One call written as text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextCall {
    /// The tool's name: one of this bot's.
    pub name: String,
    /// The arguments as far as they can be read.
    pub arguments: Map<String, Value>,
}

/// A core: calls without what wraps them.
pub(super) struct Core {
    pub(super) span: Range<usize>,
    pub(super) calls: Vec<TextCall>,
    pub(super) form: Form,
    /// It is one of `program`.
    pub(super) is_program: bool,
}

impl Core {
    /// Takes in the core behind it.
    pub(super) fn append(&mut self, next: Self) {
        self.span.end = self.span.end.max(next.span.end);
        self.calls.extend(next.calls);
        self.form = self.form.max(next.form);
        self.is_program &= next.is_program;
    }

    /// Whether it may be a function of a program that is called as a tool is: by one word.
    pub(super) fn is_word(&self) -> bool {
        self.is_program && !self.calls.iter().any(|call| call.name.contains('_'))
    }
}
