//! Code fences of a text, found line by line.

use crate::agent::honesty::tool_text::span::Span;

/// What stands in a fence that is no program: data, or nothing in particular.
const DATA: [&str; 10] = ["", "json", "json5", "jsonc", "jsonl", "plaintext", "text", "txt", "xml", "html"];
/// What vendors call a fence with a call in it.
const CALLS: [&str; 7] =
    ["function_call", "function_calls", "tool", "tool_call", "tool_calls", "tool_code", "tool_use"];

/// A code fence with its marks. One that does not end goes to the end of the text.
pub(super) struct Fence {
    pub(super) span: Span,
    /// Where its first line begins.
    pub(super) body_start: usize,
    /// Whether it ends before the text does.
    pub(super) is_closed: bool,
    /// Whether it says that it is a call.
    pub(super) is_call: bool,
    /// Whether it is a program in some language: that is nobody's call.
    pub(super) is_code: bool,
}

struct Opened {
    start: usize,
    body_start: usize,
    mark: char,
    n_marks: usize,
    info: String,
}

/// The fences, in order.
pub(super) fn fences(text: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut opened: Option<Opened> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        // A fence may stand in a quotation.
        let inner = line.trim_start_matches([' ', '\t', '>']);
        let marks_at = at + line.len() - inner.len();
        opened = match opened.take() {
            None => opening(inner).map(|(mark, n_marks, info)| {
                let body_start = at + line.len();
                Opened { start: at, body_start, mark, n_marks, info }
            }),
            Some(open) => match closing(inner, &open) {
                None => Some(open),
                Some(n_marks) => {
                    fences.push(fence(&open, marks_at + n_marks, End::Closed));
                    None
                }
            },
        };
        at += line.len();
    }
    fences.extend(opened.map(|open| fence(&open, text.len(), End::Missing)));
    fences
}

enum End {
    Closed,
    Missing,
}

fn fence(open: &Opened, end: usize, how: End) -> Fence {
    let info = open.info.as_str();
    let is_call = CALLS.contains(&info);
    let is_code = !is_call && !DATA.contains(&info);
    let is_closed = matches!(how, End::Closed);
    Fence { span: open.start..end, body_start: open.body_start, is_closed, is_call, is_code }
}

fn opening(line: &str) -> Option<(char, usize, String)> {
    let (mark, n_marks, rest) = marks(line)?;
    // Back-ticks that are closed on the same line are code within a line.
    if 3 <= n_marks && !rest.contains('`') {
        let info = rest.split_whitespace().next().unwrap_or_default();
        return Some((mark, n_marks, info.to_ascii_lowercase()));
    }
    None
}

/// How many marks close the fence on this line, if they do. Some models go on with a tag at once.
fn closing(line: &str, open: &Opened) -> Option<usize> {
    let (mark, n_marks, rest) = marks(line)?;
    let closes = mark == open.mark && open.n_marks <= n_marks && (rest.trim().is_empty() || rest.starts_with('<'));
    closes.then_some(n_marks)
}

fn marks(line: &str) -> Option<(char, usize, &str)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    Some((mark, line.len() - rest.len(), rest))
}
