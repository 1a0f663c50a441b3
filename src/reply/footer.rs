//! The host's own line under an answer. Nothing but the host writes one.

use std::time::{Duration, SystemTime};

use time::OffsetDateTime;
use time::macros::format_description;

use crate::receipt::{Origin, Outcome, Receipt};
use crate::reply::{Author, TurnFacts};

/// The line under a command's answer:
/// `✓ /status · data/metrics.json as of 12:03:04 UTC (4 s ago) · 1 ms · receipt 7F3K2`.
pub fn receipt_footer(receipt: &Receipt) -> String {
    let facts = receipt.facts();
    let mut parts = vec![format!("{} {}", mark(facts.outcome), facts.command)];
    match facts.origin {
        Origin::Recovered => parts.push("recovered".to_owned()),
        Origin::Person | Origin::Model => {}
    }
    if let Some(source) = &facts.source {
        let now = facts.started + facts.took;
        parts.push(match source.as_of {
            Some(at) => format!("{} as of {} ({})", source.name, clock_time(at), age(at, now)),
            None => source.name.clone(),
        });
    }
    parts.push(milliseconds(facts.took));
    parts.push(match receipt.is_kept() {
        true => format!("receipt {}", receipt.id()),
        false => "no receipt: it could not be written down".to_owned(),
    });
    parts.join(" · ")
}

/// The line under a chat turn's reply: `generated · ran /status ✓ 7F3K2`. Without one for a failure of chat in
/// which no command ran: the host's own words need no label.
pub fn turn_label(facts: &TurnFacts) -> Option<String> {
    let ran: Vec<_> = facts.ran.iter().map(ran).collect();
    match (facts.author, ran.as_slice()) {
        (Author::Model, []) => Some("generated · no command ran".to_owned()),
        (Author::Model, ran) => Some(format!("generated · ran {}", ran.join(", "))),
        (Author::Host, []) => None,
        (Author::Host, ran) => Some(format!("ran {}", ran.join(", "))),
    }
}

fn ran(receipt: &Receipt) -> String {
    let facts = receipt.facts();
    let id = if receipt.is_kept() { receipt.id().to_string() } else { "without a receipt".to_owned() };
    format!("{} {} {id}", facts.command, mark(facts.outcome))
}

fn mark(outcome: Outcome) -> char {
    match outcome {
        Outcome::Done => '✓',
        Outcome::Refused => '–',
        Outcome::Failed | Outcome::TimedOut => '✗',
    }
}

/// Clocks of two machines differ a little. Up to this much ahead of ours is now, not the future.
pub const CLOCK_SKEW_MAX: Duration = Duration::from_secs(5);

/// The time of day, in UTC: `12:03:04 UTC`.
pub fn clock_time(at: SystemTime) -> String {
    let format = format_description!("[hour]:[minute]:[second] UTC");
    OffsetDateTime::from(at).format(format).unwrap_or_else(|_| "an unknown time".to_owned())
}

/// How long ago, in the largest unit that says enough: `4 s ago`, `3 h ago`.
pub fn age(at: SystemTime, now: SystemTime) -> String {
    let age = match now.duration_since(at) {
        Ok(age) => age,
        Err(ahead) if ahead.duration() <= CLOCK_SKEW_MAX => Duration::ZERO,
        Err(_) => return "in the future".to_owned(),
    };
    match age.as_secs() {
        seconds @ 0..=119 => format!("{seconds} s ago"),
        seconds @ 120..=7_199 => format!("{} min ago", seconds / 60),
        seconds @ 7_200..=172_799 => format!("{} h ago", seconds / 3_600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

fn milliseconds(took: Duration) -> String {
    match took.as_millis() {
        0 => "under 1 ms".to_owned(),
        whole => format!("{whole} ms"),
    }
}
