//! Calls behind words and signs that are no tags, and calls written as in Python.

use crate::agent::honesty::tool_text::payload::{payload_end, skip_space};
use crate::agent::honesty::tool_text::source::{Offered, Source};
use crate::agent::honesty::tool_text::span::Span;

/// Where a call is, if one begins at a place.
type Find = fn(&Source<'_>, usize) -> Option<Span>;

/// What calls begin with, in lower case, and who looks closer.
const STARTS: [(&str, Find); 5] = [
    ("[tool_calls]", mistral),
    ("[args]", arguments),
    ("functools[", functools),
    ("to=functions.", addressed),
    ("[", pythonic),
];

/// The calls, in no order.
pub(super) fn calls(source: &Source<'_>) -> Vec<Span> {
    let mut calls = Vec::new();
    for part in source.prose() {
        for (start, find) in STARTS {
            let mut done = 0;
            for (at, _) in source.lower(part.clone()).match_indices(start) {
                let at = part.start + at;
                // What was found once is not looked at again.
                if let Some(span) = (done <= at).then(|| find(source, at)).flatten() {
                    done = span.end;
                    calls.push(span);
                }
            }
        }
        calls.extend(lines(source, part));
    }
    calls
}

fn mistral(source: &Source<'_>, at: usize) -> Option<Span> {
    let behind = at + "[tool_calls]".len();
    (!source.is_quoted(&(at..behind))).then(|| at..payload_end(source, behind))
}

/// `name[ARGS]{…}`, where the marker in front was lost.
fn arguments(source: &Source<'_>, at: usize) -> Option<Span> {
    let bytes = source.lower.as_bytes().get(..at).unwrap_or_default();
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let length = bytes.iter().rev().take(100).take_while(is_name).count();
    let end = source.values.end_at(skip_space(source, at + "[args]".len()))?;
    (0 < length).then_some(at - length..end)
}

fn functools(source: &Source<'_>, at: usize) -> Option<Span> {
    let list = at + "functools".len();
    let is_word_start =
        at.checked_sub(1).and_then(|before| source.byte(before)).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    let has_object = source.byte(skip_space(source, list + 1)) == Some(b'{');
    (is_word_start && has_object).then(|| at..source.values.end_at(list).unwrap_or_else(|| source.paragraph_end(list)))
}

/// `commentary to=functions.name json{…}`, where the tags around it were lost.
fn addressed(source: &Source<'_>, at: usize) -> Option<Span> {
    let (name_end, _) = source.name_at(at + "to=".len());
    let here = skip_space(source, name_end);
    let here = ["<|constrain|>json", "json", "code"]
        .iter()
        .find(|word| source.from(here).starts_with(**word))
        .map_or(here, |word| here + word.len());
    let end = source.values.end_at(skip_space(source, here))?;
    let mut start = at;
    for word in [" ", "commentary", " ", "analysis", "assistant", "<|start|>"] {
        if source.lower.get(..start).is_some_and(|before| before.ends_with(word)) {
            start -= word.len();
        }
    }
    Some(start..end)
}

/// `[f(x=1), g()]`, where `f` is offered.
fn pythonic(source: &Source<'_>, at: usize) -> Option<Span> {
    let (end, offered) = source.name_at(skip_space(source, at + 1));
    let is_call = offered == Offered::Yes && source.byte(end) == Some(b'(');
    is_call.then(|| at..brackets_end(source, at))
}

/// Where a bracket is closed, or else its paragraph ends. Texts in it are skipped.
fn brackets_end(source: &Source<'_>, start: usize) -> usize {
    let end = source.paragraph_end(start);
    let bytes = source.lower.as_bytes().get(start..end).unwrap_or_default();
    let (mut depth, mut quote, mut is_escaped) = (0_usize, None, false);
    for (n, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            _ if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'[' | b'(' | b'{') => depth += 1,
            (None, b']' | b')' | b'}') if depth == 1 => return start + n + 1,
            (None, b']' | b')' | b'}') => depth -= 1,
            (None, _) => {}
        }
    }
    end
}

/// A name on a line of its own and its arguments on the next: `>>>name` with any name, else one that is offered.
fn lines(source: &Source<'_>, part: Span) -> Vec<Span> {
    let mut calls = Vec::new();
    let mut at = part.start;
    for line in source.lower(part).split_inclusive('\n') {
        let name_at = if line.starts_with(">>>") { at + 3 } else { at };
        let (name_end, offered) = source.name_at(name_at);
        let is_alone = source.from(name_end).trim_start_matches([' ', '\r']).starts_with('\n') && name_at < name_end;
        if is_alone && (at < name_at || offered == Offered::Yes) {
            let value_end = source.values.end_at(skip_space(source, name_end));
            calls.extend(value_end.map(|end| at..end));
        }
        at += line.len();
    }
    calls
}
