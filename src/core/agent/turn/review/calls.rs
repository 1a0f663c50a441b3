//! Calls of this bot's tools written as text, whole or as the bare name: they did not run, and are offered.

use serde_json::Map;

use crate::agent::turn::Turn;
use crate::agent::turn::review::finding::{Finding, fitting};
use crate::agent::turn::review::reply::Reply;
use crate::contract::ToolMode;
use crate::record::{GuardFinding, StrippedKind};

/// Finds the calls. Without tools nothing is taken out, and of code amid words neither: it is as often an example.
pub(super) fn check(reply: &Reply<'_>, turn: &Turn) -> Vec<Finding> {
    if !turn.setup.guard.tool_text {
        return Vec::new();
    }
    let may_cut = turn.setup.mode != ToolMode::None;
    let cutting = |finding: Finding, span| match may_cut {
        true => finding.cutting(span, Some(StrippedKind::ToolText)),
        false => finding,
    };
    let bare = reply.text.trim_matches(['`', '/', '.', ' ']);
    if let Some(tool) = turn.setup.offered.known().find(|tool| tool.name == bare && !turn.has_run(tool)) {
        return vec![cutting(Finding::offer(tool, Map::new()), 0..reply.text.len())];
    }
    let mut findings = Vec::new();
    findings.extend((!reply.calls.is_empty()).then(|| Finding::counted(GuardFinding::ToolText)));
    let meant = reply.calls.iter().filter(|piece| !piece.is_code || piece.span.len() == reply.text.len());
    if may_cut {
        findings.extend(meant.map(|piece| cutting(Finding::default(), piece.span.clone())));
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
