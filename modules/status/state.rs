//! States the age of the metrics and the problems with them.

use std::time::{Duration, SystemTime};

use super::format::{TEXTS, span};
use candor_core::contract::{FileTrouble, Presentation, WrittenBy as By, WrittenMetrics as Written};
use candor_core::language::{Language, say_from};
use candor_core::reply::{CLOCK_SKEW_MAX, age_in, clock_time, moment, moment_and_age};
use candor_core::text::one_line;

/// The most characters of a problem that are shown.
const PROBLEM_LENGTH_MAX: usize = 300;

/// How far the values can be trusted, in two forms: one for the time of the answer, and one that stays true.
pub(super) struct State {
    pub(super) now: String,
    pub(super) lasting: String,
}

pub(super) fn of(
    trouble: Option<&FileTrouble>,
    written: &Written,
    presentation: &Presentation,
    now: SystemTime,
    language: Language,
) -> State {
    let at = written.at;
    let age = |time: SystemTime| age_in(time, now, language);
    match trouble {
        Some(FileTrouble::Missing { since }) => {
            let from = clock_time(*since);
            let ago = age(*since);
            let line =
                say_from!(TEXTS, language, "missing", since = from, ago = ago, at = clock_time(at), age = age(at));
            let from = moment_and_age(*since);
            let at = moment_and_age(at);
            return State { now: line, lasting: say_from!(TEXTS, language, "missing-lasting", since = from, at = at) };
        }
        Some(FileTrouble::Invalid { since, .. }) => {
            let from = clock_time(*since);
            let ago = age(*since);
            let line =
                say_from!(TEXTS, language, "invalid", since = from, ago = ago, at = clock_time(at), age = age(at));
            let from = moment_and_age(*since);
            let at = moment_and_age(at);
            return State { now: line, lasting: say_from!(TEXTS, language, "invalid-lasting", since = from, at = at) };
        }
        None => {}
    }
    let age_now = match now.duration_since(at) {
        Ok(age) => age,
        Err(ahead) if ahead.duration() <= CLOCK_SKEW_MAX => Duration::ZERO,
        Err(ahead) => {
            let ahead = span(ahead.duration().as_secs_f64().round(), language);
            return State {
                now: say_from!(TEXTS, language, "clock", at = clock_time(at), ahead = ahead.as_str()),
                lasting: say_from!(TEXTS, language, "clock-lasting", at = moment_and_age(at), ahead = ahead),
            };
        }
    };
    if presentation.stale_after < age_now {
        return State {
            now: say_from!(TEXTS, language, "stale", since = clock_time(at), age = age(at)),
            lasting: say_from!(TEXTS, language, "stale-lasting", since = moment_and_age(at)),
        };
    }
    match written.by {
        By::Producer => State {
            now: say_from!(TEXTS, language, "fresh", age = age(at)),
            lasting: say_from!(TEXTS, language, "fresh-lasting", at = moment(at)),
        },
        By::File | By::FileForUnreadable => State {
            now: say_from!(TEXTS, language, "fresh-by-file", age = age(at)),
            lasting: say_from!(TEXTS, language, "fresh-by-file-lasting", at = moment(at)),
        },
    }
}

/// Returns notes that do not fit into the state line.
pub(super) fn notes(
    trouble: Option<&FileTrouble>,
    written: &Written,
    presentation: &Presentation,
    language: Language,
) -> Vec<String> {
    let problem = match trouble {
        Some(FileTrouble::Invalid { problem, .. }) => {
            Some(say_from!(TEXTS, language, "unusable", problem = one_line(problem, PROBLEM_LENGTH_MAX)))
        }
        Some(FileTrouble::Missing { .. }) => Some(say_from!(TEXTS, language, "gone")),
        None => None,
    };
    let no_time = (written.by == By::FileForUnreadable)
        .then(|| say_from!(TEXTS, language, "no-time", key = presentation.generated_at.as_str()));
    problem.into_iter().chain(no_time).collect()
}

/// Returns the message if there never was usable content.
pub(super) fn no_data(path: &str, trouble: Option<&FileTrouble>, now: SystemTime, language: Language) -> String {
    let age = |time: SystemTime| age_in(time, now, language);
    match trouble {
        Some(FileTrouble::Missing { since }) => {
            say_from!(TEXTS, language, "no-file", path = path, since = clock_time(*since), age = age(*since))
        }
        Some(FileTrouble::Invalid { since, problem }) => say_from!(
            TEXTS,
            language,
            "never-usable",
            path = path,
            since = clock_time(*since),
            age = age(*since),
            problem = one_line(problem, PROBLEM_LENGTH_MAX),
        ),
        None => say_from!(TEXTS, language, "not-read-yet", path = path),
    }
}
