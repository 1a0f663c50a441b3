//! Calls of this bot's tools that did not run and are offered: written as text, whole or as the bare name, or made with
//! arguments that did not fit.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::agent::pattern::pattern;
use crate::agent::tools::{MARKS, OfferedTool, ProtocolReading, TextCall, ToolText, find_tool_text, read_protocol};
use crate::agent::turn::Turn;
use crate::agent::turn::review::reply::{CALLS_MAX, Reply};
use crate::contract::ToolMode;
use crate::record::{GuardFinding, StrippedKind};

/// What may stand around a command's name where nothing else does: marks of code, of bold and of a label.
const AROUND_NAMES: [char; 9] = ['`', '*', '_', ':', '"', '\'', '.', '/', ' '];

/// A request to see a call, not to make it. Nothing but the person's words tells the two apart: the model writes the same
/// text for both. What this finds keeps a call from running and nothing else. A request in other words gets the call
/// itself, with its receipt, and a change still waits for *Confirm*.
static EXAMPLE: LazyLock<Regex> = LazyLock::new(|| {
    let of_a_call = r"[^.!?]{0,40}\b(?:calls?|tools?|functions?|tool-aufrufs?|aufrufs?|appel|outil|llamada)\b";
    pattern(&format!(
        r"(?i)\b(?:example|sample|beispiel|exemple|ejemplo){of_a_call}|\b(?:json|yaml|xml)\b[^.!?]{{0,20}}\b(?:tool|function) calls?\b|\b(?:don['’]t|do not|without) (?:run|running|execute|executing) (?:it|this|that|the|anything)\b|\bnicht ausführen\b|\bohne [a-z]{{0,10}} ?auszuführen\b|\b(?:sans l['’]exécuter|ne l['’]exécute pas|sin ejecutarl[oa])\b|\b(?:how|what)\b[^.!?]{{0,40}}\bcalls? looks? like\b|\bwie\b[^.!?]{{0,30}}\baufruf\b[^.!?]{{0,30}}\baus"
    ))
});

/// A reply with at least so many characters beside its calls says something of its own: it is kept, not asked for again.
const EXPLAINS_MIN: usize = 100;

/// Finds the calls. Without tools nothing is taken out, and of code amid words neither: it is as often an example.
pub(super) fn check(reply: &mut Reply<'_>, turn: &Turn) {
    turn.unfit.iter().for_each(|unfit| reply.offer(&unfit.tool, unfit.arguments.clone()));
    if !turn.setup.guard.tool_text {
        return;
    }
    reply.calls = turn.tool_text(reply.text);
    if let Some(tool) = named(reply.text, turn).filter(|tool| !turn.has_run(tool)) {
        // A single word may be an answer: it is left.
        if turn.setup.mode != ToolMode::None && reply.text.contains('_') {
            reply.findings.push(GuardFinding::ToolText);
            reply.cut(0..reply.text.len(), Some(StrippedKind::ToolText));
        }
        return reply.offer(tool, Map::new());
    }
    let calls = reply.calls.clone();
    match calls.is_empty() {
        true if turn.setup.mode != ToolMode::None && !turn.is_example() && MARKS.broken.is_match(reply.text) => {
            reply.findings.push(GuardFinding::ToolText);
            reply.cut(0..reply.text.len(), Some(StrippedKind::ToolText));
        }
        true => unreadable(reply.text, turn).for_each(|tool| reply.offer(tool, Map::new())),
        false => reply.findings.push(GuardFinding::ToolText),
    }
    if turn.setup.mode != ToolMode::None && !turn.is_example() {
        for piece in calls.iter().filter(|piece| !piece.is_code || piece.span.len() == reply.text.len()) {
            reply.cut(piece.span.clone(), Some(StrippedKind::ToolText));
        }
    }
    turn.idle_calls(&calls).for_each(|(tool, arguments)| reply.offer(tool, arguments));
}

/// The tools that a block names which cannot be read at all. It is left: nobody can tell what else it says.
fn unreadable<'a>(text: &str, turn: &'a Turn) -> impl Iterator<Item = &'a OfferedTool> {
    let is_block = turn.setup.mode == ToolMode::Text && matches!(read_protocol(text), ProtocolReading::Broken { .. });
    let is_named = move |tool: &&OfferedTool| is_block && text.contains(&format!("\"{}\"", tool.name));
    turn.setup.offered.known().filter(is_named)
}

/// The tool whose name, or whose command, is the whole text: `status`, `**Status**`, `/tasks add`.
fn named<'a>(text: &str, turn: &'a Turn) -> Option<&'a OfferedTool> {
    let name = text.trim_matches(AROUND_NAMES).to_lowercase();
    let is_its = |tool: &&OfferedTool| tool.name == name || tool.path.to_string().trim_start_matches('/') == name;
    turn.setup.offered.known().find(is_its)
}

impl Turn {
    /// Whether a message shows a call to a person who asked for that, and makes none.
    pub(in crate::agent::turn) fn is_example(&self) -> bool {
        EXAMPLE.is_match(&self.setup.request)
    }

    /// Whether the model should redo a reply that ends in a call. Calls in a block of code are examples, and words behind
    /// a call explain it.
    pub(in crate::agent::turn) fn wants_a_reminder(&self, reply: &Reply<'_>) -> bool {
        let end = reply.calls.last().map_or(0, |piece| piece.span.end);
        let is_last = reply.text.get(end..).is_some_and(|behind| behind.trim().is_empty());
        let meant = reply.calls.iter().filter(|piece| !piece.is_code);
        is_last
            && reply.prose().chars().count() < EXPLAINS_MIN
            && !self.is_example()
            && self.idle_calls(meant).next().is_some()
    }

    /// The calls of this bot's tools in a text.
    pub(in crate::agent::turn) fn tool_text(&self, text: &str) -> Vec<ToolText> {
        match self.setup.guard.tool_text {
            true => find_tool_text(text, &self.setup.offered.known_names()),
            false => Vec::new(),
        }
    }

    /// The calls in these pieces that are looked at, each with its tool.
    pub(in crate::agent::turn) fn calls_in<'a>(
        &'a self,
        pieces: impl IntoIterator<Item = &'a ToolText>,
    ) -> impl Iterator<Item = (&'a OfferedTool, &'a TextCall)> {
        let calls = pieces.into_iter().flat_map(|piece| &piece.calls).take(CALLS_MAX);
        calls.filter_map(|call| Some((self.setup.offered.known().find(|tool| tool.name == call.name)?, call)))
    }

    /// Those of them that did not run, with what fits of their arguments. What ran just so is shown: nothing is missing.
    fn idle_calls<'a>(
        &'a self,
        pieces: impl IntoIterator<Item = &'a ToolText>,
    ) -> impl Iterator<Item = (&'a OfferedTool, Map<String, Value>)> {
        let fitting = self.calls_in(pieces).map(|(tool, call)| (tool, tool.fitting(call.arguments.clone())));
        let has_run = |tool: &OfferedTool, arguments: &_| {
            self.ran.iter().any(|ran| ran.call.tool().path == tool.path && ran.call.arguments() == arguments)
        };
        fitting.filter(move |(tool, arguments)| !has_run(tool, arguments))
    }

    pub(super) fn has_run(&self, tool: &OfferedTool) -> bool {
        self.ran.iter().any(|ran| ran.call.tool().path == tool.path)
    }
}
