//! States how old the metrics are and what is wrong with them.

use std::time::{Duration, SystemTime};

use super::format::span;
use candor_core::contract::{FileTrouble, Presentation, WrittenBy as By, WrittenMetrics as Written};
use candor_core::reply::{CLOCK_SKEW_MAX, age, clock_time};
use candor_core::text::one_line;

/// The most characters of a problem that are shown.
const PROBLEM_LENGTH_MAX: usize = 300;

/// The line that says how far the values can be trusted.
pub(super) fn line(
    trouble: Option<&FileTrouble>,
    written: &Written,
    presentation: &Presentation,
    now: SystemTime,
) -> String {
    let at = written.at;
    let broken = |word: &str, since: SystemTime| {
        let [since, at] = [since, at].map(|time| format!("{}, {}", clock_time(time), age(time, now)));
        format!("{word} since {since} (showing the last good values from {at})")
    };
    match trouble {
        Some(FileTrouble::Missing { since }) => return broken("missing", *since),
        Some(FileTrouble::Invalid { since, .. }) => return broken("invalid", *since),
        None => {}
    }
    let age_now = match now.duration_since(at) {
        Ok(age) => age,
        Err(ahead) if ahead.duration() <= CLOCK_SKEW_MAX => Duration::ZERO,
        Err(ahead) => {
            let ahead = span(ahead.duration().as_secs_f64().round());
            return format!("clock problem: written at {}, {ahead} ahead of this machine's clock", clock_time(at));
        }
    };
    if presentation.stale_after < age_now {
        return format!("stale since {} · {}", clock_time(at), age(at, now));
    }
    match written.by {
        By::Producer => format!("fresh · {}", age(at, now)),
        By::File | By::FileForUnreadable => format!("fresh · {} going by the file's own timestamp", age(at, now)),
    }
}

/// Notes that do not fit into that line.
pub(super) fn notes(trouble: Option<&FileTrouble>, written: &Written, presentation: &Presentation) -> Vec<String> {
    let problem = match trouble {
        Some(FileTrouble::Invalid { problem, .. }) => {
            Some(format!("The file is not usable as it is now: {}.", one_line(problem, PROBLEM_LENGTH_MAX)))
        }
        Some(FileTrouble::Missing { .. }) => Some("The file is missing now.".to_owned()),
        None => None,
    };
    let no_time = (written.by == By::FileForUnreadable).then(|| {
        format!(
            "What the file gives as `{}` is not a time, so the age shown is that of the file.",
            presentation.generated_at
        )
    });
    problem.into_iter().chain(no_time).collect()
}

/// The message if there never was a good content.
pub(super) fn no_data(path: &str, trouble: Option<&FileTrouble>, now: SystemTime) -> String {
    match trouble {
        Some(FileTrouble::Missing { since }) => format!(
            "No data: there is no file `{path}` (missing since {}, {}). Let a producer write a JSON object there, or \
             set `enabled = true` in `[host_metrics]` of `config.toml` to have this machine's own figures.",
            clock_time(*since),
            age(*since, now),
        ),
        Some(FileTrouble::Invalid { since, problem }) => format!(
            "No data: `{path}` has not been usable since {}, {}: {}. Nothing usable was read from it before. Its producer has \
             to write one JSON object, whole.",
            clock_time(*since),
            age(*since, now),
            one_line(problem, PROBLEM_LENGTH_MAX),
        ),
        None => format!("No data yet: `{path}` has not been read yet. Try again in a moment."),
    }
}
