//! Finds the calls in a text, and reads a message that is nothing else.

use std::sync::LazyLock;

use regex::Regex;

use crate::agent::pattern::pattern;
use crate::agent::tools::tool_text::call::{Core, TextCall, ToolText};
use crate::agent::tools::tool_text::{json, program, tagged, wrapping};
use crate::text::{CodeRules, Form, SegmentKind, loose_value, segments};

/// Where a core may begin: a bracket, or a name, perhaps with its underscores escaped.
static BEGINNING: LazyLock<Regex> = LazyLock::new(|| pattern(r"[{\[]|[A-Za-z](?:[A-Za-z0-9_]|\\_)*"));

/// The calls that a text has in it, in order. `is_tool` tells the names of this bot's tools. Takes time in proportion
/// to the text's length.
pub fn find_tool_text(text: &str, is_tool: &dyn Fn(&str) -> bool) -> Vec<ToolText> {
    let mut cores: Vec<Core> = Vec::new();
    let mut taken = 0;
    for beginning in BEGINNING.find_iter(text) {
        if beginning.start() < taken {
            continue;
        }
        let behind = cores.last().map_or(0, |core| core.span.end);
        let core = match beginning.as_str() {
            "{" | "[" => {
                let Some(read) = text.get(beginning.start()..).and_then(loose_value) else { continue };
                let span = beginning.start()..beginning.start() + read.length;
                let calls = json::calls(&read.value, is_tool);
                if calls.is_empty() && read.form < Form::Guess {
                    taken = span.end;
                }
                let may_lack_arguments = read.is_cut && calls.iter().any(|call| call.arguments.is_empty());
                let is_doubtful = may_lack_arguments || json::is_more_than_calls(&read.value);
                let form = if is_doubtful { Form::Guess } else { read.form };
                (!calls.is_empty()).then_some(Core { span, calls, form, is_program: false })
            }
            name => {
                let name = name.replace('\\', "");
                if !is_tool(&name) {
                    continue;
                }
                let place = beginning.range();
                program::call(text, &name, place.clone(), behind).or_else(|| tagged::call(text, &name, place))
            }
        };
        if let Some(core) = core.filter(|core| behind <= core.span.start) {
            taken = core.span.end;
            cores.push(core);
        }
    }
    match cores.is_empty() {
        true => Vec::new(),
        false => grown(text, cores),
    }
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

/// The pieces: neighbouring cores in one, each with what wraps it.
fn grown(text: &str, cores: Vec<Core>) -> Vec<ToolText> {
    let mut pieces: Vec<Core> = Vec::new();
    for mut core in cores {
        let behind = pieces.last().map_or(0, |piece| piece.span.end);
        // What closed the piece before may be what marks this one.
        core.span.start = core.span.start.max(behind);
        if core.span.end <= core.span.start {
            continue;
        }
        core.span = wrapping::grown(text, core.span, behind);
        match pieces.last_mut() {
            Some(last) if text.get(behind..core.span.start).is_some_and(wrapping::is_between) => last.append(core),
            _ => pieces.push(core),
        }
    }
    let code: Vec<_> = segments(text, CodeRules::Model).filter(|segment| segment.kind != SegmentKind::Text).collect();
    let mut behind = 0;
    let piece = |core: Core| {
        // It stands in the answer that was acted out for the piece before.
        if core.span.start < behind {
            return None;
        }
        let mut span = wrapping::grown(text, core.span.clone(), behind);
        let around = code.get(code.partition_point(|code| code.range.end <= span.start));
        let around = around.filter(|code| code.range.start <= span.start && span.end <= code.range.end);
        if let Some(around) = around {
            let is_filled = wrapping::fills(text, &span, &around.range);
            let is_all = text.trim().len() == around.range.len();
            // Inline code amid words mentions a call, and a program has functions of its own.
            let is_amid = around.kind == SegmentKind::Inline && !(is_filled && wrapping::is_alone(text, &around.range));
            let is_of_tools = matches!(around.kind, SegmentKind::Fence { info } if info.starts_with("tool"));
            if is_amid || core.is_word() && !is_of_tools && !is_all {
                return None;
            }
            if is_filled {
                span = around.range.clone();
            }
        }
        // An answer that was acted out goes with the call, which then is not all that the model says.
        let answer = if around.is_none() { wrapping::answer(text, span.end) } else { 0 };
        span.end += answer;
        behind = span.end;
        let is_certain = core.form < Form::Guess && answer == 0;
        Some(ToolText { span, calls: core.calls, is_code: around.is_some(), is_certain })
    };
    pieces.into_iter().filter_map(piece).collect()
}
