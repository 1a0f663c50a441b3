//! Finds the calls in a text, and reads a message that is nothing else.

use std::sync::LazyLock;

use regex::Regex;

use crate::agent::pattern::pattern;
use crate::agent::tools::tool_text::call::{TextCall, ToolText};
use crate::agent::tools::tool_text::{json, marks, named};
use crate::text::{CodeRules, Form, SegmentKind, loose_value, segments};

/// Where a core may begin: a bracket, or a name, perhaps with its underscores escaped.
static BEGINNING: LazyLock<Regex> = LazyLock::new(|| pattern(r"[{\[]|[A-Za-z](?:[A-Za-z0-9_]|\\_)*"));

/// The calls that a text has in it, in order. `is_tool` tells the names of this bot's tools. Takes time in proportion
/// to the text's length.
pub fn find_tool_text(text: &str, is_tool: &dyn Fn(&str) -> bool) -> Vec<ToolText> {
    let mut pieces: Vec<ToolText> = Vec::new();
    let (mut taken, mut last) = (0, 0);
    for beginning in BEGINNING.find_iter(text) {
        if beginning.start() < taken {
            continue;
        }
        let name = beginning.as_str().replace('\\', "");
        let core = match name.as_str() {
            "{" | "[" => object(text, beginning.start(), is_tool),
            name => is_tool(name).then(|| named::call(text, name, beginning.range(), last)).flatten(),
        };
        let Some(mut core) = core else { continue };
        if core.calls.is_empty() {
            taken = if core.is_certain { core.span.end } else { taken };
            continue;
        }
        let behind = pieces.last().map_or(0, |piece| piece.span.end);
        (taken, last) = (core.span.end, core.span.end);
        core.span = marks::grown(text, &core.span);
        // What closes the piece before may be what marks this one.
        core.span.start = core.span.start.max(behind);
        match pieces.last_mut() {
            Some(piece) if text.get(behind..core.span.start).is_some_and(marks::is_between) => {
                piece.span.end = core.span.end.max(behind);
                piece.calls.extend(core.calls);
                piece.is_certain &= core.is_certain;
                piece.is_word &= core.is_word;
            }
            _ => pieces.push(core),
        }
    }
    found(text, pieces)
}

/// The calls of a message that contains nothing else, if they are unambiguous.
pub fn whole_message(text: &str, is_tool: &dyn Fn(&str) -> bool) -> Option<Vec<TextCall>> {
    let found = find_tool_text(text, is_tool);
    let mut behind = 0;
    for piece in &found {
        if !piece.is_certain || !text.get(behind..piece.span.start)?.trim().is_empty() {
            return None;
        }
        behind = piece.span.end;
    }
    let is_whole = !found.is_empty() && text.get(behind..)?.trim().is_empty();
    is_whole.then(|| found.into_iter().flat_map(|piece| piece.calls).collect())
}

/// The object or list at this place, with the calls in it, if there are any.
fn object(text: &str, at: usize, is_tool: &dyn Fn(&str) -> bool) -> Option<ToolText> {
    let read = loose_value(text.get(at..)?)?;
    let mut calls = Vec::new();
    let is_all = json::read(&read.value, is_tool, &mut calls);
    let may_lack_arguments = read.is_cut && calls.iter().any(|call| call.arguments.is_empty());
    let is_doubtful = !calls.is_empty() && (may_lack_arguments || !is_all);
    let is_certain = read.form < Form::Guess && !is_doubtful;
    Some(ToolText { span: at..at + read.length, calls, is_code: false, is_certain, is_word: false })
}

/// The pieces that are calls, with the code that they stand in, and the answers that were acted out behind them.
fn found(text: &str, mut pieces: Vec<ToolText>) -> Vec<ToolText> {
    let code: Vec<_> = match pieces.is_empty() {
        true => Vec::new(),
        false => segments(text, CodeRules::Model).filter(|segment| segment.kind != SegmentKind::Text).collect(),
    };
    let mut behind = 0;
    pieces.retain_mut(|piece| {
        // It stands in the answer that was acted out for the piece before.
        if piece.span.start < behind {
            return false;
        }
        let around = code.get(code.partition_point(|code| code.range.end <= piece.span.start));
        match around.filter(|code| code.range.start <= piece.span.start && piece.span.end <= code.range.end) {
            Some(around) => {
                let is_filled = marks::fills(text, &piece.span, &around.range);
                let is_all = text.trim().len() == around.range.len();
                // Inline code amid words mentions a call, and a program has functions of its own.
                let is_amid =
                    around.kind == SegmentKind::Inline && !(is_filled && marks::is_alone(text, &around.range));
                let is_of_tools = matches!(around.kind, SegmentKind::Fence { info } if info.starts_with("tool"));
                if is_amid || piece.is_word && !is_of_tools && !is_all {
                    return false;
                }
                piece.is_code = true;
                piece.span = if is_filled { around.range.clone() } else { piece.span.clone() };
            }
            // An answer that was acted out goes with the call, which then is not all that the model says.
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
