//! Finds the commands that a request or a reply refers to, by the phrases in the modules' manifests.
//!
//! Words do not show whether something happened, the receipts do. Words show which commands a person may have meant, so
//! that the host can say which of these did not run. That statement is true even if the person meant something else.

use serde_json::Map;

use crate::agent::tools::OfferedTool;
use crate::agent::turn::Turn;
use crate::agent::turn::review::asked::Request;
use crate::agent::turn::review::claimed::{Said, Words};
use crate::agent::turn::review::reply::{Finding, Reply};
use crate::language::say;
use crate::record::GuardFinding;

/// Gives one line for the commands that the request or the reply touches and that did not run.
pub(super) fn check(reply: &Reply<'_>, turn: &Turn) -> Vec<Finding> {
    if !turn.setup.guard.touched {
        return Vec::new();
    }
    let request = Request::read(&turn.setup.request);
    let words = reply.words();
    let words = Words::read(&words, request.is_explained);
    let is_idle = |tool: &&OfferedTool| {
        let command = tool.path.to_string();
        // What was called and did not run has a line of its own.
        let is_told = turn.record.calls.iter().any(|call| call.command.as_ref() == Some(&command))
            || reply.offers.iter().any(|offer| offer.command == command);
        !turn.has_run(tool) && !is_told
    };
    let ran_before = |tool: &OfferedTool| turn.setup.ran_before.contains(&tool.path.to_string());
    let something_changed = turn.ran.iter().any(|ran| ran.call.tool().writes);
    let is_backed = |tool: &OfferedTool| ran_before(tool) || tool.writes && something_changed;
    let (asked, others): (Vec<_>, Vec<_>) =
        turn.setup.offered.commands().filter(is_idle).partition(|tool| request.asks_for(tool));
    let others = others.into_iter().filter(|tool| !request.is_of_text && !is_backed(tool));
    let claimed: Vec<_> = others.filter_map(|tool| Some((words.claim(tool)?, tool))).collect();
    let something_was_to_change = asked.iter().chain(claimed.iter().map(|(_, tool)| tool)).any(|tool| tool.writes);
    let surest = claimed.iter().map(|(claim, _)| *claim).max();
    // What the person asked for is more likely meant than what the reply happens to name.
    let touched = match asked.is_empty() {
        true => claimed.into_iter().filter(|(claim, _)| Some(*claim) == surest).map(|(_, tool)| tool).collect(),
        false => asked,
    };
    let nothing_ran = turn.ran.is_empty() && reply.offers.is_empty();
    let has_changed_before = || turn.setup.offered.known().any(|tool| tool.writes && ran_before(tool));
    let is_labelled = reply.findings.contains(&GuardFinding::MadeUpResult) && !reply.has_lost_a_result();
    // Words that name no command are looked at where no other line says what did not happen.
    let said = match words.say().or(is_labelled.then_some(Said::Done)) {
        _ if !nothing_ran || !turn.not_run.is_empty() || request.is_of_text => None,
        Some(Said::Done) if has_changed_before() => None,
        said => said,
    };
    if touched.is_empty() && said.is_none() {
        return Vec::new();
    }
    let language = turn.setup.language;
    let line = match nothing_ran {
        true if something_was_to_change || touched.is_empty() && said == Some(Said::Done) => {
            say!(language, "note-nothing-changed")
        }
        true => say!(language, "note-nothing-looked-up"),
        false => {
            let paths: Vec<_> = touched.iter().map(|tool| tool.path.to_string()).collect();
            say!(language, "note-did-not-run", commands = paths.join(", "))
        }
    };
    let line = [Finding::Counted(GuardFinding::Touched), Finding::Line(line)];
    line.into_iter().chain(touched.into_iter().map(|tool| Finding::offer(tool, Map::new()))).collect()
}
