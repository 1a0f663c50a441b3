//! Finds the commands that a request or a reply refers to, by the phrases in the modules' manifests.
//!
//! Words do not show whether something happened, the receipts do. Words show which commands a person may have meant, so
//! that the host can say which of these did not run. That statement is true even if the person meant something else.

use serde_json::Map;

use crate::agent::tools::OfferedTool;
use crate::agent::turn::Turn;
use crate::agent::turn::review::asked::Request;
use crate::agent::turn::review::claimed::{Said, Words};
use crate::agent::turn::review::reply::{Reply, words_of};
use crate::language::say;
use crate::record::{GuardFinding, Outcome};

/// Gives one line for the commands that the request or the reply touches and that did not run.
pub(super) fn check(reply: &mut Reply<'_>, turn: &Turn) {
    if !turn.setup.guard.touched {
        return;
    }
    let request = Request::read(&turn.setup.request);
    let prose = reply.prose();
    let words = words_of(&prose);
    let words = Words::read(&words, &prose, request.is_explained);
    // What was called and did not run, or is offered, has a line of its own.
    let is_told = |command: &String| {
        turn.record.calls.iter().any(|call| call.command.as_ref() == Some(command))
            || reply.offers.iter().any(|offer| offer.command == *command)
    };
    let idle = turn.setup.offered.commands().filter(|tool| !turn.has_run(tool) && !is_told(&tool.path.to_string()));
    let (mut asked, others): (Vec<_>, Vec<_>) = idle.partition(|tool| request.asks_for(tool));
    asked.retain(|tool| !words.leave_it_to_the_person(tool));
    let ran_before = |tool: &OfferedTool| turn.setup.ran_before.contains(&tool.path.to_string());
    let something_changed =
        turn.ran.iter().any(|ran| ran.call.tool().writes && ran.receipt.facts().outcome == Outcome::Done);
    let is_backed = |tool: &OfferedTool| request.is_of_text || ran_before(tool) || tool.writes && something_changed;
    let claimed = words.claimed(others.into_iter().filter(|tool| !is_backed(tool)).collect());
    let something_was_to_change = asked.iter().chain(&claimed).any(|tool| tool.writes);
    // What the person asked for is more likely meant than what the reply happens to name.
    let touched = if asked.is_empty() { claimed } else { asked };
    let nothing_ran = turn.ran.is_empty() && reply.offers.is_empty();
    let has_changed_before = || turn.setup.offered.known().any(|tool| tool.writes && ran_before(tool));
    let is_labelled = reply.findings.contains(&GuardFinding::MadeUpResult) && !reply.has_lost_a_result();
    // Words that name no command are looked at where no other line says what did not happen.
    let said = match words.say().or(is_labelled.then_some(Said::Done)) {
        _ if !nothing_ran || !turn.not_run.is_empty() || request.is_of_text || request.is_thanks => None,
        Some(Said::Done) if has_changed_before() => None,
        said => said,
    };
    if touched.is_empty() && said.is_none() {
        return;
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
    reply.findings.push(GuardFinding::Touched);
    reply.note(line);
    touched.into_iter().for_each(|tool| reply.offer(tool, Map::new()));
}
