//! What became of each command, as the log says it.

use std::collections::BTreeMap;

use tracing::info;

use crate::contract::Owner;
use crate::discord::clean::REMOVE_MADE_UP;
use crate::discord::register::compare::Planned;
use crate::discord::register::refusal::Refused;
use crate::registry::{Registration, RegistrationState, Registry};

/// What became of a command, and why not what should have.
#[derive(Debug, PartialEq)]
struct Outcome {
    state: RegistrationState,
    reason: Option<String>,
}

/// What was planned is true only if it was written: neither for a refused command, nor for any if the write
/// failed. What needed no change stands either way.
fn outcome(planned: RegistrationState, refused: Option<&str>, failed: Option<&str>) -> Outcome {
    match refused.or(failed) {
        Some(why) if planned != RegistrationState::Unchanged => {
            Outcome { state: RegistrationState::Rejected, reason: Some(format!("not {}: {why}", planned.name())) }
        }
        _ => Outcome { state: planned, reason: None },
    }
}

/// What is known of a command when what stands at Discord could not be read.
fn unknown(failed: Option<&str>) -> Outcome {
    let why = failed.unwrap_or("no reason was given");
    Outcome { state: RegistrationState::Rejected, reason: Some(format!("not sent: {why}")) }
}

/// One line a command, then the totals. `failed` says why nothing was written.
pub(super) fn log(registry: &Registry, planned: &Planned, refused: &Refused, failed: Option<&str>) {
    let outcome_of = |name: &str| match planned.get(name) {
        Some(planned) => outcome(*planned, refused.get(name).map(String::as_str), failed),
        None => unknown(failed),
    };
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    for command in registry.commands() {
        let Outcome { state, reason } = outcome_of(&command.name);
        let line = Registration::of(command);
        *totals.entry(state.name()).or_default() += 1;
        info!(
            command.name = line.name,
            module = line.owner,
            handler.kind = line.kind,
            options = line.takes,
            state = state.name(),
            reason,
            "registered command"
        );
    }
    let Outcome { state, reason } = outcome_of(REMOVE_MADE_UP);
    *totals.entry(state.name()).or_default() += 1;
    info!(
        command.name = REMOVE_MADE_UP,
        module = "harness",
        handler.kind = "menu",
        options = "",
        state = state.name(),
        reason,
        "registered command"
    );
    let is_gone = |name: &&String| registry.command(name).is_none() && name.as_str() != REMOVE_MADE_UP;
    for name in planned.keys().filter(is_gone) {
        let Outcome { state, reason } = outcome_of(name);
        *totals.entry(state.name()).or_default() += 1;
        info!(
            command.name = format!("/{name}"),
            module = registry.quarantined().get(name).map_or("none", String::as_str),
            handler.kind = "none",
            options = "",
            state = state.name(),
            reason,
            "registered command"
        );
    }
    let total = |state: RegistrationState| totals.get(state.name()).copied().unwrap_or_default();
    info!(
        modules = registry.modules().keys().filter(|owner| **owner != Owner::Harness).count(),
        created = total(RegistrationState::Created),
        updated = total(RegistrationState::Updated),
        unchanged = total(RegistrationState::Unchanged),
        removed = total(RegistrationState::Removed),
        rejected = total(RegistrationState::Rejected),
        "commands at Discord"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_written_is_rejected_with_the_reason_and_what_stands_is_unchanged() {
        use RegistrationState::{Created, Rejected, Removed, Unchanged, Updated};
        let cases = [
            (Created, None, None, Created, None),
            (Updated, Some("too long"), None, Rejected, Some("not updated: too long")),
            (Created, None, Some("status 500"), Rejected, Some("not created: status 500")),
            (Removed, None, Some("status 500"), Rejected, Some("not removed: status 500")),
            (Updated, Some("too long"), Some("status 500"), Rejected, Some("not updated: too long")),
            (Unchanged, Some("too long"), Some("status 500"), Unchanged, None),
        ];
        for (planned, refused, failed, state, reason) in cases {
            let wanted = Outcome { state, reason: reason.map(str::to_owned) };
            assert_eq!(outcome(planned, refused, failed), wanted, "{planned:?} {refused:?} {failed:?}");
        }
    }
}
