//! The checks in their order, and what they ask of the turn.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::agent::tools::{OfferedTool, TextCall, ToolText, find_tool_text};
use crate::agent::turn::Turn;
use crate::agent::turn::review::finding::{CALLS_MAX, Finding, fitting};
use crate::agent::turn::review::reply::Reply;
use crate::agent::turn::review::{calls, command_names, receipt_names, results, touched};
use crate::language::say;

/// A check of a reply.
type Check = fn(&Reply<'_>, &Turn) -> Vec<Finding>;

/// The checks, in order. The first two take text out, which the others do not see then.
const CHECKS: [Check; 6] =
    [calls::check, results::check, not_run, touched::check, command_names::check, receipt_names::check];

/// The line that names the commands that the checks before offer, or says that a result without one was taken out.
fn not_run(reply: &Reply<'_>, turn: &Turn) -> Vec<Finding> {
    let mut commands: Vec<&str> = reply.offers.iter().map(|offer| offer.command.as_str()).collect();
    let mut seen = BTreeSet::new();
    commands.retain(|command| seen.insert(*command));
    let line = match commands.is_empty() {
        false => say!(turn.setup.language, "note-only-written", commands = commands.join(", ")),
        true if reply.has_lost_a_result() => say!(turn.setup.language, "note-made-up"),
        true => return Vec::new(),
    };
    vec![Finding::line(line)]
}

impl Turn {
    /// Reads a reply.
    pub(in crate::agent::turn) fn review<'a>(&self, text: &'a str) -> Reply<'a> {
        let mut reply = Reply::new(text.trim());
        reply.calls = self.tool_text(reply.text);
        for check in CHECKS {
            let findings = check(&reply, self);
            reply.add(findings);
        }
        reply
    }

    /// Whether a reply has a call in it that is meant as one and did not run: an example in a block of code is none.
    pub(in crate::agent::turn) fn wants_a_reminder(&self, reply: &Reply<'_>) -> bool {
        self.calls_in(reply.calls.iter().filter(|piece| !piece.is_code))
            .any(|(tool, call)| !self.has_run_with(tool, &fitting(tool, call.arguments.clone())))
    }

    /// The calls of this bot's tools in a text.
    pub(in crate::agent::turn) fn tool_text(&self, text: &str) -> Vec<ToolText> {
        match self.setup.guard.tool_text {
            true => find_tool_text(text, &|name| self.is_tool(name)),
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

    pub(super) fn has_run(&self, tool: &OfferedTool) -> bool {
        self.ran.iter().any(|ran| ran.call.tool().path == tool.path)
    }

    pub(super) fn has_run_with(&self, tool: &OfferedTool, arguments: &Map<String, Value>) -> bool {
        self.ran.iter().any(|ran| ran.call.tool().path == tool.path && ran.call.arguments() == arguments)
    }
}
