//! Finds the calls in a text, and reads a message that consists of calls only.

use crate::agent::tools::tool_text::call::{TextCall, ToolText};
use crate::agent::tools::tool_text::names::ToolNames;
use crate::agent::tools::tool_text::tags::Tags;
use crate::agent::tools::tool_text::{json, marks, names};
use crate::text::{CodeRules, Form, SegmentKind, loose_value, segments};

/// The maximum length of a message read as a call of an unknown tool, in bytes.
const UNKNOWN_LENGTH_MAX: usize = 20_000;

/// Returns the calls in a text, in order. Takes time in proportion to the text's length.
pub fn find_tool_text(text: &str, names: &ToolNames<'_>) -> Vec<ToolText> {
    let mut pieces: Vec<ToolText> = Vec::new();
    let mut taken = 0;
    let mut last = 0;
    let mut tags = Tags::new(text);
    for (at, sign) in text.char_indices() {
        if at < taken {
            continue;
        }
        let core = match sign {
            '{' | '[' => object(text, at, names),
            _ => {
                names.at(text, at).and_then(|(name, length)| names::call(text, &name, at..at + length, last, &mut tags))
            }
        };
        let Some(mut core) = core else { continue };
        if core.calls.is_empty() {
            taken = if core.is_certain { core.span.end } else { taken };
            continue;
        }
        let behind = pieces.last().map_or(0, |piece| piece.span.end);
        (taken, last) = (core.span.end, core.span.end);
        let grown = marks::grown(text, &core.span);
        let front = text.get(grown.start..core.span.start).unwrap_or_default();
        core.is_marked = front.contains('<') || front.starts_with("[TOOL");
        core.span = grown;
        // The mark that closes the previous piece may also open this one.
        core.span.start = core.span.start.max(behind);
        match pieces.last_mut() {
            Some(piece) if text.get(behind..core.span.start).is_some_and(marks::is_between) => {
                piece.span.end = core.span.end.max(behind);
                piece.calls.extend(core.calls);
                piece.is_certain &= core.is_certain;
                piece.is_word &= core.is_word;
                piece.is_marked &= core.is_marked;
            }
            _ => pieces.push(core),
        }
    }
    found(text, pieces)
}

/// Returns the calls of a message that contains nothing else, if they are unambiguous. An unknown name is read too if a
/// mark or the protocol's keys identify it as a tool. Such a call must be corrected.
pub fn whole_message(text: &str, names: &ToolNames<'_>) -> Option<Vec<TextCall>> {
    let known = || calls_of_whole(text, names, |_| true);
    // The protocol's object identifies itself as a call.
    let is_protocol = text.contains("\"tool_calls\"") || text.contains("\"tool\"");
    let is_meant = |piece: &ToolText| {
        let has_known = || piece.calls.iter().any(|call| names.contains(&call.name));
        !piece.is_code && (piece.is_marked || is_protocol || has_known())
    };
    let unknown = || {
        let may_be = text.len() <= UNKNOWN_LENGTH_MAX && text.trim_start().starts_with(['<', '[', '{']);
        may_be.then(|| calls_of_whole(text, &names.with_others(), is_meant)).flatten()
    };
    known().or_else(unknown)
}

fn calls_of_whole(text: &str, names: &ToolNames<'_>, is_meant: impl Fn(&ToolText) -> bool) -> Option<Vec<TextCall>> {
    let found = find_tool_text(text, names);
    let mut behind = 0;
    for piece in &found {
        if !piece.is_certain || !is_meant(piece) || !text.get(behind..piece.span.start)?.trim().is_empty() {
            return None;
        }
        behind = piece.span.end;
    }
    let is_whole = !found.is_empty() && text.get(behind..)?.trim().is_empty();
    is_whole.then(|| found.into_iter().flat_map(|piece| piece.calls).collect())
}

/// Returns the object or list at this place, with the calls in it.
fn object(text: &str, at: usize, names: &ToolNames<'_>) -> Option<ToolText> {
    let read = loose_value(text.get(at..)?)?;
    let mut calls = Vec::new();
    let is_all = json::read(&read.value, names, &mut calls);
    // A call without its end may lack arguments, so it does not run.
    let is_doubtful = !calls.is_empty() && (read.is_cut || !is_all);
    let is_certain = read.form < Form::Guess && !is_doubtful;
    Some(ToolText { calls, is_certain, ..ToolText::at(at..at + read.length) })
}

/// Keeps the pieces that are calls. Extends them to the code that they fill, and to made-up answers behind them.
fn found(text: &str, mut pieces: Vec<ToolText>) -> Vec<ToolText> {
    let code: Vec<_> = match pieces.is_empty() {
        true => Vec::new(),
        false => segments(text, CodeRules::Model).filter(|segment| segment.kind != SegmentKind::Text).collect(),
    };
    let mut behind = 0;
    pieces.retain_mut(|piece| {
        // It is part of the made-up answer behind the previous piece.
        if piece.span.start < behind {
            return false;
        }
        let around = code.get(code.partition_point(|code| code.range.end <= piece.span.start));
        match around.filter(|code| code.range.start <= piece.span.start && piece.span.end <= code.range.end) {
            Some(around) => {
                let is_filled = marks::fills(text, &piece.span, &around.range);
                let is_all = text.trim().len() == around.range.len();
                // Inline code amid words mentions a call, and a program has its own functions.
                let is_amid =
                    around.kind == SegmentKind::Inline && !(is_filled && marks::is_alone(text, &around.range));
                let is_of_tools = matches!(around.kind, SegmentKind::Fence { info } if info.starts_with("tool"));
                if is_amid || piece.is_word && !is_of_tools && !is_all {
                    return false;
                }
                piece.is_code = true;
                piece.span = if is_filled { around.range.clone() } else { piece.span.clone() };
            }
            // A made-up answer belongs to its call, which is then not the whole message.
            None => {
                let answer = marks::answer(text, piece.span.end);
                piece.span.end += answer;
                piece.is_certain &= answer == 0;
            }
        }
        behind = piece.span.end;
        true
    });
    pieces
}
