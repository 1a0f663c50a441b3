//! A text with what every pass needs to know of it.

use std::collections::BTreeSet;

use crate::agent::honesty::tool_text::fences::{Fence, fences};
use crate::agent::honesty::tool_text::span::Span;
use crate::agent::honesty::tool_text::values::{Values, paragraph_end};
use crate::agent::tools::OfferedSet;

/// The longest name that is looked up.
const NAME_LENGTH_MAX: usize = 100;

/// A text, read once.
pub(super) struct Source<'a> {
    /// As it was written.
    pub(super) text: &'a str,
    /// The same bytes with ASCII letters in lower case.
    pub(super) lower: String,
    /// Code fences, in order.
    pub(super) fences: Vec<Fence>,
    /// JSON values, and those that are calls.
    pub(super) values: Values,
    names: BTreeSet<String>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str, offered: &OfferedSet) -> Self {
        let names: BTreeSet<_> = offered.names().into_iter().map(str::to_ascii_lowercase).collect();
        let fences = fences(text);
        let lower = text.to_ascii_lowercase();
        let values = Values::read(&lower, &prose(text, &fences), &names);
        Self { text, lower, fences, values, names }
    }

    /// What is not a program in a fence, in order.
    pub(super) fn prose(&self) -> Vec<Span> {
        prose(self.text, &self.fences)
    }

    /// A part in lower case; empty if it is none.
    pub(super) fn lower(&self, span: Span) -> &str {
        self.lower.get(span).unwrap_or_default()
    }

    /// The rest in lower case from there on.
    pub(super) fn from(&self, at: usize) -> &str {
        self.lower.get(at..).unwrap_or_default()
    }

    /// The byte at that place.
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.lower.as_bytes().get(at).copied()
    }

    /// Where the name that begins there ends, and whether it is offered. The start itself if there is none.
    pub(super) fn name_at(&self, at: usize) -> (usize, Offered) {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:/".contains(byte);
        let bytes = self.lower.as_bytes().get(at..).unwrap_or_default();
        let end = at + bytes.iter().take(NAME_LENGTH_MAX).take_while(|byte| is_part(byte)).count();
        let name = self.lower(at..end);
        let last = name.rsplit(['.', ':', '/']).next().unwrap_or_default();
        match self.names.contains(name) || self.names.contains(last) {
            true => (end, Offered::Yes),
            false => (end, Offered::No),
        }
    }

    /// Whether a marker stands alone in back-ticks: then it is spoken of.
    pub(super) fn is_quoted(&self, span: &Span) -> bool {
        let before = span.start.checked_sub(1).and_then(|at| self.byte(at));
        before == Some(b'`') && self.byte(span.end) == Some(b'`')
    }

    /// The end of the paragraph: the next blank line, or the end of the text.
    pub(super) fn paragraph_end(&self, from: usize) -> usize {
        paragraph_end(&self.lower, from)
    }
}

/// Whether a tool of a name is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offered {
    Yes,
    No,
}

fn prose(text: &str, fences: &[Fence]) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut from = 0;
    for fence in fences.iter().filter(|fence| fence.is_code) {
        spans.push(from..fence.span.start);
        from = fence.span.end;
    }
    spans.push(from..text.len());
    spans
}
