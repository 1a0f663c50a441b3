//! Calls of this bot's tools that did not run and are offered: written as text, whole or as the bare name, or made with
//! arguments that did not fit.

use serde_json::Map;

use crate::agent::tools::{OfferedTool, ProtocolReading, ToolText, read_protocol};
use crate::agent::turn::Turn;
use crate::agent::turn::plan::UnfitCall;
use crate::agent::turn::review::finding::{Finding, fitting};
use crate::agent::turn::review::reply::Reply;
use crate::agent::turn::review::results::asks_for_data;
use crate::contract::ToolMode;
use crate::record::{GuardFinding, StrippedKind};

/// What may stand around a command's name where nothing else does: marks of code, of bold and of a label.
const AROUND_NAMES: [char; 9] = ['`', '*', '_', ':', '"', '\'', '.', '/', ' '];

/// Finds the calls. Without tools nothing is taken out, and of code amid words neither: it is as often an example.
pub(super) fn check(reply: &Reply<'_>, turn: &Turn) -> Vec<Finding> {
    let unfit = |call: &UnfitCall| Finding::offer(&call.tool, fitting(&call.tool, call.arguments.clone()));
    let mut findings: Vec<_> = turn.unfit.iter().map(unfit).collect();
    if !turn.setup.guard.tool_text {
        return findings;
    }
    // A word may be an answer: it is left.
    if let Some(tool) = named(reply.text, turn).filter(|tool| !turn.has_run(tool)) {
        findings.push(Finding::offer(tool, Map::new()));
        return findings;
    }
    findings.extend((!reply.calls.is_empty()).then(|| Finding::counted(GuardFinding::ToolText)));
    if turn.setup.mode != ToolMode::None {
        let is_all = |piece: &ToolText| piece.span.len() == reply.text.len() && !turn.is_example(reply.text);
        let meant = reply.calls.iter().filter(|piece| !piece.is_code || is_all(piece));
        let cut = |piece: &ToolText| Finding::default().cutting(piece.span.clone(), Some(StrippedKind::ToolText));
        findings.extend(meant.map(cut));
    }
    if reply.calls.is_empty() {
        findings.extend(unreadable(reply.text, turn).map(|tool| Finding::offer(tool, Map::new())));
    }
    for (tool, call) in turn.calls_in(&reply.calls) {
        let arguments = fitting(tool, call.arguments.clone());
        // What ran just so is shown: nothing is missing.
        if !turn.has_run_with(tool, &arguments) {
            findings.push(Finding::offer(tool, arguments));
        }
    }
    findings
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
    /// Whether a message is nothing but code, for a person who asked for data or an example: it shows a call and makes
    /// none.
    pub(in crate::agent::turn) fn is_example(&self, text: &str) -> bool {
        // `notes.json` is a file.
        let is_file = |word: &&str| word.trim_end_matches(['.', '?', '!', ',', ':']).contains('.');
        let request: Vec<_> = self.setup.request.split_whitespace().filter(|word| !is_file(word)).collect();
        text.trim_start().starts_with(['`', '~']) && asks_for_data(&request.join(" "))
    }
}
