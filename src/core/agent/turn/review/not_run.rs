//! The line for what was taken out or written as a call.

use crate::agent::turn::Turn;
use crate::agent::turn::review::finding::Finding;
use crate::agent::turn::review::reply::Reply;
use crate::language::say;

/// Names the commands that the checks before offer, or says that a result without a command was taken out.
pub(super) fn check(reply: &Reply<'_>, turn: &Turn) -> Vec<Finding> {
    let language = turn.setup.language;
    let mut commands: Vec<&str> = Vec::new();
    for offer in &reply.offers {
        if !commands.contains(&offer.command.as_str()) {
            commands.push(&offer.command);
        }
    }
    let line = match commands.is_empty() {
        false => say!(language, "note-only-written", commands = commands.join(", ")),
        true if reply.has_lost_a_result() => say!(language, "note-made-up"),
        true => return Vec::new(),
    };
    vec![Finding::line(line)]
}
