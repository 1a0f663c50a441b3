//! Calls of this bot's tools that did not run and are offered: written as text, reduced to the name, or made with
//! arguments that did not fit.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::agent::settings::ToolMode;
use crate::agent::text::pattern;
use crate::agent::tools::{MARKS, OfferedTool, ProtocolReading, TextCall, ToolText, find_tool_text, read_protocol};
use crate::agent::turn::review::facts::Facts;
use crate::agent::turn::review::reply::{CALLS_MAX, ReviewedReply};
use crate::record::{GuardFinding, StrippedKind};

/// Characters allowed around a command's name that is the whole text: marks of code, of bold and of a label.
const AROUND_NAMES: [char; 9] = ['`', '*', '_', ':', '"', '\'', '.', '/', ' '];

/// Matches a request to see a call instead of making it. Only the person's words distinguish the two, because the model
/// writes the same text for both. A match only keeps a call from running. A request in other words gets the call
/// itself, with its receipt, and a change still waits for *Confirm*.
static EXAMPLE: LazyLock<Regex> = LazyLock::new(|| {
    let of_a_call = r"[^.!?]{0,40}\b(?:calls?|tools?|functions?|tool-aufrufs?|aufrufs?|appel|outil|llamada)\b";
    pattern(&format!(
        r"(?i)\b(?:example|sample|beispiel|exemple|ejemplo){of_a_call}|\b(?:json|yaml|xml)\b[^.!?]{{0,20}}\b(?:tool|function) calls?\b|\b(?:don['’]t|do not|without) (?:run|running|execute|executing) (?:it|this|that|the|anything)\b|\bnicht ausführen\b|\bohne [a-z]{{0,10}} ?auszuführen\b|\b(?:sans l['’]exécuter|ne l['’]exécute pas|sin ejecutarl[oa])\b|\b(?:how|what)\b[^.!?]{{0,40}}\bcalls? looks? like\b|\bwie\b[^.!?]{{0,30}}\baufruf\b[^.!?]{{0,30}}\baus"
    ))
});

/// A reply with at least this many characters beside its calls has its own content: it is kept, not requested again.
const EXPLAINS_MIN: usize = 100;

/// Finds the calls. Text is not removed without tools, nor from code amid words, which is as often an example.
pub(super) fn check(reply: &mut ReviewedReply<'_>, turn: Facts<'_>) {
    turn.unfit.iter().for_each(|unfit| reply.offer(&unfit.tool, unfit.arguments.clone()));
    if !turn.setup.guard.tool_text {
        return;
    }
    reply.calls = tool_text(turn, reply.text);
    if let Some(tool) = named(reply.text, turn).filter(|tool| !has_run(turn, tool)) {
        // A single word may be an answer, so it stays.
        if turn.setup.mode != ToolMode::None && reply.text.contains('_') {
            reply.findings.push(GuardFinding::ToolText);
            reply.cut(0..reply.text.len(), Some(StrippedKind::ToolText));
        }
        return reply.offer(tool, Map::new());
    }
    let calls = reply.calls.clone();
    match calls.is_empty() {
        true if turn.setup.mode != ToolMode::None && !is_example(turn) && MARKS.broken.is_match(reply.text) => {
            reply.findings.push(GuardFinding::ToolText);
            reply.cut(0..reply.text.len(), Some(StrippedKind::ToolText));
        }
        true => unreadable(reply.text, turn).for_each(|tool| reply.offer(tool, Map::new())),
        false => reply.findings.push(GuardFinding::ToolText),
    }
    if turn.setup.mode != ToolMode::None && !is_example(turn) {
        for piece in calls.iter().filter(|piece| !piece.is_code || piece.span.len() == reply.text.len()) {
            reply.cut(piece.span.clone(), Some(StrippedKind::ToolText));
        }
    }
    idle_calls(turn, &calls).for_each(|(tool, arguments)| reply.offer(tool, arguments));
}

/// Returns the tools named in an unreadable block. The block stays, because the rest of its content is unknown.
fn unreadable<'a>(text: &str, turn: Facts<'a>) -> impl Iterator<Item = &'a OfferedTool> {
    let is_block = turn.setup.mode == ToolMode::Text && matches!(read_protocol(text), ProtocolReading::Broken { .. });
    let is_named = move |tool: &&OfferedTool| is_block && text.contains(&format!("\"{}\"", tool.name));
    turn.setup.offered.known().filter(is_named)
}

/// Returns the tool whose name or command is the whole text: `status`, `**Status**`, `/tasks add`.
fn named<'a>(text: &str, turn: Facts<'a>) -> Option<&'a OfferedTool> {
    let name = text.trim_matches(AROUND_NAMES).to_lowercase();
    let is_its = |tool: &&OfferedTool| tool.name == name || tool.path.to_string().trim_start_matches('/') == name;
    turn.setup.offered.known().find(is_its)
}

/// Returns whether the person asked to see a call, so that a call in the message is not made.
pub(in crate::agent::turn) fn is_example(turn: Facts<'_>) -> bool {
    EXAMPLE.is_match(&turn.setup.request)
}

/// Returns whether the model should redo a reply that ends in a call. Calls in a block of code are examples, and
/// words behind a call explain it.
pub(in crate::agent::turn) fn wants_a_reminder(turn: Facts<'_>, reply: &ReviewedReply<'_>) -> bool {
    let end = reply.calls.last().map_or(0, |piece| piece.span.end);
    let is_last = reply.text.get(end..).is_some_and(|behind| behind.trim().is_empty());
    let meant = reply.calls.iter().filter(|piece| !piece.is_code);
    is_last
        && reply.prose().chars().count() < EXPLAINS_MIN
        && !is_example(turn)
        && idle_calls(turn, meant).next().is_some()
}

/// Returns the calls of this bot's tools in a text.
pub(in crate::agent::turn) fn tool_text(turn: Facts<'_>, text: &str) -> Vec<ToolText> {
    match turn.setup.guard.tool_text {
        true => find_tool_text(text, &turn.setup.offered.known_names()),
        false => Vec::new(),
    }
}

/// Returns the calls in these pieces up to `CALLS_MAX`, each with its tool.
pub(in crate::agent::turn) fn calls_in<'a>(
    turn: Facts<'a>,
    pieces: impl IntoIterator<Item = &'a ToolText>,
) -> impl Iterator<Item = (&'a OfferedTool, &'a TextCall)> {
    let calls = pieces.into_iter().flat_map(|piece| &piece.calls).take(CALLS_MAX);
    calls.filter_map(|call| Some((turn.setup.offered.known().find(|tool| tool.name == call.name)?, call)))
}

/// Returns the calls that did not run, with the arguments that fit. A call that ran with the same arguments is
/// already shown.
fn idle_calls<'a>(
    turn: Facts<'a>,
    pieces: impl IntoIterator<Item = &'a ToolText>,
) -> impl Iterator<Item = (&'a OfferedTool, Map<String, Value>)> {
    let fitting = calls_in(turn, pieces).map(|(tool, call)| (tool, tool.fitting(call.arguments.clone())));
    let has_run = |tool: &OfferedTool, arguments: &_| {
        turn.ran.iter().any(|ran| ran.call.tool().path == tool.path && ran.call.arguments() == arguments)
    };
    fitting.filter(move |(tool, arguments)| !has_run(tool, arguments))
}

pub(super) fn has_run(turn: Facts<'_>, tool: &OfferedTool) -> bool {
    turn.ran.iter().any(|ran| ran.call.tool().path == tool.path)
}
