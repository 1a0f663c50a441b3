//! The host's footer under an answer. Only the host writes one.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use time::macros::format_description;

use crate::inbound::Place;
use crate::language::{Language, say};
use crate::record::{Origin, Outcome, Receipt, Source};
use crate::text::utc_text;

/// Formats the footer of a command's answer: `✓ /status · as of 12:03:04 UTC · receipt 7F3K2`. Operators also see the
/// source and the duration: `✓ /status · data/live/metrics.json as of 12:03:04 UTC (4 s ago) · 1 ms · receipt 7F3K2`.
pub fn receipt_footer(receipt: &Receipt, source: Option<&Source>, for_operator: bool, language: Language) -> String {
    let facts = receipt.facts();
    let mut parts = vec![format!("{} {}", mark(facts.outcome), facts.command)];
    match facts.origin {
        Origin::Recovered => parts.push(say!(language, "footer-recovered")),
        Origin::Refresh => parts.push(say!(language, "footer-refreshed")),
        Origin::Due => parts.push(say!(language, "footer-due")),
        Origin::Event => parts.push(say!(language, "footer-event")),
        Origin::Schedule => parts.push(say!(language, "footer-schedule")),
        Origin::Person | Origin::Model => {}
    }
    let now = facts.started + facts.took;
    parts.extend(match source {
        Some(Source { name, as_of: Some(at) }) if for_operator => {
            let time = clock_time(*at);
            let age = age_in(*at, now, language);
            Some(say!(language, "footer-source-as-of", source = name.as_str(), time = time, age = age))
        }
        Some(Source { name, as_of: None }) if for_operator => Some(name.clone()),
        Some(Source { as_of: Some(at), .. }) => Some(say!(language, "footer-as-of", time = day_and_time(*at, now))),
        Some(Source { as_of: None, .. }) | None => None,
    });
    if facts.outcome == Outcome::Asked {
        parts.push(say!(language, "footer-nothing-done"));
    }
    parts.extend(for_operator.then(|| took_text(facts.took, language)));
    parts.push(match receipt.is_kept() {
        true => say!(language, "footer-receipt", id = receipt.id().to_string()),
        false => say!(language, "footer-no-receipt"),
    });
    parts.join(" · ")
}

/// Formats a run in one line, for a place where its answer cannot be shown: `/status ✓ 7F3K2`.
pub fn run_line(receipt: &Receipt, language: Language) -> String {
    let facts = receipt.facts();
    let id = if receipt.is_kept() { receipt.id().to_string() } else { say!(language, "label-without-receipt") };
    format!("{} {} {id}", facts.command, mark(facts.outcome))
}

fn mark(outcome: Outcome) -> char {
    match outcome {
        Outcome::Done | Outcome::Answered => '✓',
        Outcome::Refused => '–',
        Outcome::Failed | Outcome::TimedOut | Outcome::Interrupted => '✗',
        Outcome::Asked | Outcome::Unknown => '?',
    }
}

/// The tolerated difference between two machines' clocks. A time up to this far ahead counts as now.
pub const CLOCK_SKEW_MAX: Duration = Duration::from_secs(5);

/// Formats the time of day, in UTC: `12:03:04 UTC`.
pub fn clock_time(at: SystemTime) -> String {
    let format = format_description!("[hour]:[minute]:[second] UTC");
    utc_text(at, format)
}

/// Formats the time of day, in UTC, with its date unless that is the date of `now`.
fn day_and_time(at: SystemTime, now: SystemTime) -> String {
    let date = format_description!("[year]-[month]-[day] ");
    let day = Some(utc_text(at, date)).filter(|day| *day != utc_text(now, date)).unwrap_or_default();
    day + &clock_time(at)
}

/// Formats a future moment. Discord shows it in the reader's language, such as "in 5 hours"; the console shows the time
/// of day.
pub fn moment_ahead(at: SystemTime, place: Place) -> String {
    match place {
        Place::Guild { .. } | Place::Direct { .. } => moment(at),
        Place::Console => clock_time(at),
    }
}

/// Formats a moment in Discord's markup. Discord shows it in the reader's language and relative to the time of reading:
/// "2 hours ago".
pub fn moment(at: SystemTime) -> String {
    format!("<t:{}:R>", seconds(at))
}

/// Formats a moment in Discord's markup, with its date and time of day: "14 November 2023 23:13 (2 hours ago)".
pub fn moment_and_age(at: SystemTime) -> String {
    format!("<t:{}:f> ({})", seconds(at), moment(at))
}

fn seconds(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Formats an age in English, for modules: `4 s ago`, `3 h ago`.
pub fn age(at: SystemTime, now: SystemTime) -> String {
    age_in(at, now, Language::ENGLISH)
}

/// Formats an age, in a suitable unit.
pub fn age_in(at: SystemTime, now: SystemTime, language: Language) -> String {
    let age = match now.duration_since(at) {
        Ok(age) => age,
        Err(ahead) if ahead.duration() <= CLOCK_SKEW_MAX => Duration::ZERO,
        Err(_) => return say!(language, "age-future"),
    };
    match age.as_secs() {
        seconds @ 0..=119 => say!(language, "age-seconds", n = seconds),
        seconds @ 120..=7_199 => say!(language, "age-minutes", n = seconds / 60),
        seconds @ 7_200..=172_799 => say!(language, "age-hours", n = seconds / 3_600),
        seconds => say!(language, "age-days", n = seconds / 86_400),
    }
}

/// Formats a duration: `3 ms`, `under 1 ms`.
pub fn took_text(took: Duration, language: Language) -> String {
    match took.as_millis() {
        0 => say!(language, "footer-under-a-millisecond"),
        whole => format!("{whole} ms"),
    }
}
