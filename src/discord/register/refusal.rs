//! What Discord says when it does not take the commands.

use std::collections::BTreeMap;

use serde_json::Value;
use serenity::http::{DiscordJsonError, HttpError};

use crate::discord::http::describe;
use crate::discord::register::compare::identity;

/// The commands that Discord does not take, by name, and why.
pub(super) type Refused = BTreeMap<String, String>;

/// Discord's code for "as many commands were created today as may be".
const DAILY_CREATES_USED_UP: isize = 30_034;

/// Whether no new command can be registered today. Changes of existing ones are not limited.
pub(super) fn is_daily_limit(problem: &serenity::Error) -> bool {
    said(problem).is_some_and(|error| error.code == DAILY_CREATES_USED_UP)
}

/// The wanted commands that Discord names for the first time, by their places in the body, with its reasons.
/// What was put into the body only to be kept cannot be left out, so it is none of them.
pub(super) fn culprits(problem: &serenity::Error, body: &[Value], wanted: &[Value], refused: &Refused) -> Refused {
    let mut culprits = Refused::new();
    for error in said(problem).into_iter().flat_map(|error| &error.errors) {
        let Some((entry, field)) = place(&error.path, body) else { continue };
        let named = identity(entry);
        if refused.contains_key(&named.1) || !wanted.iter().any(|command| identity(command) == named) {
            continue;
        }
        let why = culprits.entry(named.1).or_default();
        let separator = if why.is_empty() { "" } else { "; " };
        why.push_str(&format!("{separator}{}", at(field, &error.message)));
    }
    culprits
}

/// The refusal as it may be logged, with what Discord dislikes and in which command of the body.
pub(super) fn explain(problem: &serenity::Error, body: &[Value]) -> String {
    let named = |path: &str| match place(path, body) {
        Some((entry, field)) => at(&format!("/{}", identity(entry).1), field),
        None => path.to_owned(),
    };
    let errors = said(problem).into_iter().flat_map(|error| &error.errors);
    let reasons: Vec<_> = errors.map(|error| at(&named(&error.path), &error.message)).collect();
    match reasons.is_empty() {
        true => describe(problem),
        false => format!("{} ({})", describe(problem), reasons.join("; ")),
    }
}

/// The command that a path of Discord's leads to, and the way on from there.
fn place<'a>(path: &'a str, body: &'a [Value]) -> Option<(&'a Value, &'a str)> {
    let (place, field) = path.split_once('.').unwrap_or((path, ""));
    Some((body.get(place.parse::<usize>().ok()?)?, field))
}

fn at(place: &str, what: &str) -> String {
    let separator = if place.is_empty() || what.is_empty() { "" } else { ": " };
    format!("{place}{separator}{what}")
}

fn said(problem: &serenity::Error) -> Option<&DiscordJsonError> {
    match problem {
        serenity::Error::Http(HttpError::UnsuccessfulRequest(response)) => Some(&response.error),
        _ => None,
    }
}
