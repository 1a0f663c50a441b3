//! Reviews a finished reply: removes calls and made-up results, adds the host's notes.
//!
//! Whether words are true is not judged: the host shows what ran. Taken out is only what looks like a call or a result
//! of this bot's own tools and is none. Added are lines that the turn makes certain: of a command that the request or
//! the reply refers to, that it did not run.
//!
//! Each check is a file with one function, which adds what it finds to the reply and sees what the checks before it
//! found. No check asks the model again.

mod asked;
mod calls;
mod claimed;
mod command_names;
mod figures;
mod lexicon;
mod receipt_names;
mod reply;
mod results;
mod touched;

use std::collections::BTreeSet;

use crate::agent::turn::Turn;
use crate::language::say;
pub(super) use reply::Reply;
#[cfg(test)]
pub(super) use {receipt_names::unknown_receipts, reply::words_of};

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
    pub(super) fn review<'a>(&self, text: &'a str) -> Reply<'a> {
        let mut reply = Reply::new(text.trim());
        CHECKS.iter().for_each(|check| check(&mut reply, self));
        reply
    }
}
