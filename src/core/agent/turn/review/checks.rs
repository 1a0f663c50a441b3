//! The checks in their order.

use std::collections::BTreeSet;

use crate::agent::turn::review::facts::Facts;
use crate::agent::turn::review::reply::ReviewedReply;
use crate::agent::turn::review::{calls, receipt_names, results};
use crate::language::say;
use crate::reply::reads_like_a_question;
use crate::text::{CodeRules, SegmentKind, segments};

/// The checks, in order. The first two remove text, so the others do not see it.
const CHECKS: [fn(&mut ReviewedReply<'_>, Facts<'_>); 5] =
    [calls::check, results::check, only_written, receipt_names::check, question_in_code];

/// Adds a line that names the offered commands, or that reports a removed result.
fn only_written(reply: &mut ReviewedReply<'_>, turn: Facts<'_>) {
    let mut commands: Vec<&str> = reply.offers.iter().map(|offer| offer.command.as_str()).collect();
    let mut seen = BTreeSet::new();
    commands.retain(|command| seen.insert(*command));
    match commands.is_empty() {
        false => reply.note(say!(turn.setup.language, "note-only-written", commands = commands.join(", "))),
        true if reply.has_lost_a_result() => reply.note(say!(turn.setup.language, "note-made-up")),
        true => {}
    }
}

/// Adds a line about a forged question in code. Nothing in code is changed, so it cannot be marked there.
fn question_in_code(reply: &mut ReviewedReply<'_>, turn: Facts<'_>) {
    let prose = reply.prose();
    let mut code = segments(&prose, CodeRules::Discord).filter(|segment| segment.kind != SegmentKind::Text);
    if code.any(|code| prose.get(code.range).is_some_and(|code| code.lines().any(reads_like_a_question))) {
        reply.note(say!(turn.setup.language, "note-question"));
    }
}

pub(in crate::agent::turn) fn review<'a>(turn: Facts<'_>, text: &'a str) -> ReviewedReply<'a> {
    let mut reply = ReviewedReply::new(text.trim());
    CHECKS.iter().for_each(|check| check(&mut reply, turn));
    reply
}
