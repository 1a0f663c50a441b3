//! The checks in their order.

use std::collections::BTreeSet;

use crate::agent::turn::Turn;
use crate::agent::turn::review::reply::{Finding, Reply};
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
    match commands.is_empty() {
        false => vec![Finding::Line(say!(turn.setup.language, "note-only-written", commands = commands.join(", ")))],
        true if reply.has_lost_a_result() => vec![Finding::Line(say!(turn.setup.language, "note-made-up"))],
        true => Vec::new(),
    }
}

impl Turn {
    /// Reads a reply.
    pub(in crate::agent::turn) fn review<'a>(&self, text: &'a str) -> Reply<'a> {
        let mut reply = Reply::new(text.trim());
        reply.calls = self.tool_text(reply.text);
        for check in CHECKS {
            reply.add(check(&reply, self));
        }
        reply
    }
}
