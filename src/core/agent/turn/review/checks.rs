//! The checks in their order.

use std::collections::BTreeSet;

use crate::agent::turn::Turn;
use crate::agent::turn::review::reply::Reply;
use crate::agent::turn::review::{calls, command_names, receipt_names, results, touched};
use crate::language::say;

/// The checks, in order. The first two take text out, which the others do not see then.
const CHECKS: [fn(&mut Reply<'_>, &Turn); 6] =
    [calls::check, results::check, not_run, touched::check, command_names::check, receipt_names::check];

/// The line that names the commands that the checks before offer, or says that a result without one was taken out.
fn not_run(reply: &mut Reply<'_>, turn: &Turn) {
    let mut commands: Vec<&str> = reply.offers.iter().map(|offer| offer.command.as_str()).collect();
    let mut seen = BTreeSet::new();
    commands.retain(|command| seen.insert(*command));
    match commands.is_empty() {
        false => reply.note(say!(turn.setup.language, "note-only-written", commands = commands.join(", "))),
        true if reply.has_lost_a_result() => reply.note(say!(turn.setup.language, "note-made-up")),
        true => {}
    }
}

impl Turn {
    /// Reads a reply.
    pub(in crate::agent::turn) fn review<'a>(&self, text: &'a str) -> Reply<'a> {
        let mut reply = Reply::new(text.trim());
        CHECKS.iter().for_each(|check| check(&mut reply, self));
        reply
    }
}
