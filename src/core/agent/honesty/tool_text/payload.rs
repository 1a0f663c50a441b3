//! What stands behind a marker: the call itself.

use crate::agent::honesty::tool_text::source::{Offered, Source};

/// Where the call ends that a marker announces there: behind its values, or, if there is none, at the end of the
/// paragraph.
pub(super) fn payload_end(source: &Source<'_>, from: usize) -> usize {
    let mut end = None;
    let mut at = from;
    loop {
        let here = skip_space(source, at);
        // Several calls are parted by these.
        let here = match (end, source.byte(here)) {
            (Some(_), Some(b';' | b',')) => skip_space(source, here + 1),
            _ => here,
        };
        let is_next = end.is_none() || here != skip_space(source, at);
        if let Some(value_end) = source.values.end_at(here).filter(|_| is_next) {
            end = Some(value_end);
            at = value_end;
            continue;
        }
        match named(source, here, end.is_some()) {
            Some(next) if here < next => at = next,
            _ => return end.unwrap_or_else(|| source.paragraph_end(from)),
        }
    }
}

/// Past a name that a value or an inner marker follows.
fn named(source: &Source<'_>, at: usize, is_later: bool) -> Option<usize> {
    for marker in ["[args]", "[call_id]", "[tool_calls]", "<|constrain|>", "<|message|>"] {
        if source.from(at).starts_with(marker) {
            return Some(at + marker.len());
        }
    }
    let (end, offered) = source.name_at(at);
    let rest = source.from(end);
    let is_marked =
        ["[args]", "[call_id]", "<|constrain|>", "<|message|>"].iter().any(|marker| rest.starts_with(marker));
    let has_value = !is_later && source.values.end_at(skip_space(source, end)).is_some();
    let is_offered = !is_later && offered == Offered::Yes;
    (at < end && (is_marked || has_value || is_offered)).then_some(end)
}

/// Past spaces and line breaks, but not past a blank line.
pub(super) fn skip_space(source: &Source<'_>, from: usize) -> usize {
    let mut at = from;
    let mut n_lines = 0;
    while let Some(byte) = source.byte(at).filter(u8::is_ascii_whitespace) {
        n_lines += usize::from(byte == b'\n');
        if 2 <= n_lines {
            return from;
        }
        at += 1;
    }
    at
}
