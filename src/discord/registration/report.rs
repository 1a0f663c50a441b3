//! Logs the outcome of each command's registration.

use tracing::{Level, debug, info, warn};

use crate::registration::payload::key;
use crate::registration::{CommandOutcome, StepOutcome};
use candor_core::access::Access;
use candor_core::contract::{Command, Owner, REPLY_MENUS};
use candor_core::inbound::CommandType;
use candor_core::registration::{CHAT_INPUT, Keep, Key, MESSAGE_MENU, SyncAction, USER_MENU};
use candor_core::registry::{CommandRow, Registry, SyncOutcome};

#[derive(Debug, PartialEq)]
struct Line {
    key: Key,
    name: String,
    module: String,
    kind: &'static str,
    options: String,
    state: SyncOutcome,
    reason: Option<String>,
}

/// A command whose registration is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotInPlace {
    /// Its name as people write it.
    pub name: String,
    pub module: String,
    /// Rejected or put off.
    pub state: SyncOutcome,
    /// The reason, in Discord's words if it gave any.
    pub reason: String,
}

/// Returns the commands that are not as they should be. `outcomes` as in [`log`].
pub(crate) fn not_in_place(registry: &Registry, outcomes: Result<&[CommandOutcome], &str>) -> Vec<NotInPlace> {
    let lines = lines(registry, outcomes).into_iter();
    let told = lines.filter_map(|Line { name, module, state, reason, .. }| {
        let reason = reason?;
        Some(NotInPlace { name, module, state, reason })
    });
    told.collect()
}

fn lines(registry: &Registry, outcomes: Result<&[CommandOutcome], &str>) -> Vec<Line> {
    match outcomes {
        Ok(outcomes) => outcomes.iter().filter_map(|outcome| line(registry, outcome)).collect(),
        Err(why) => unknown(registry, why),
    }
}

/// Logs one event for each command that changed, then the totals. If the registered commands could not be listed,
/// `outcomes` gives the reason, and its warning covers all of them.
pub(crate) fn log(registry: &Registry, access: &Access, outcomes: Result<&[CommandOutcome], &str>) {
    let lines = lines(registry, outcomes);
    // The log of the start lists the commands of a new application.
    let are_new = lines.iter().all(|line| line.state == SyncOutcome::Created);
    for line in &lines {
        line.log(access, registry, if are_new || outcomes.is_err() { Level::DEBUG } else { level(line.state) });
    }
    let total = |states: &[SyncOutcome]| lines.iter().filter(|line| states.contains(&line.state)).count();
    info!(
        modules = registry.modules().keys().filter(|owner| **owner != Owner::Builtin).count(),
        created = total(&[SyncOutcome::Created]),
        updated = total(&[SyncOutcome::Updated]),
        unchanged = total(&[SyncOutcome::Unchanged, SyncOutcome::Withdrawn]),
        removed = total(&[SyncOutcome::Removed]),
        rejected = total(&[SyncOutcome::Rejected]),
        put_off = total(&[SyncOutcome::PutOff]),
        "commands at Discord"
    );
}

fn level(state: SyncOutcome) -> Level {
    match state {
        SyncOutcome::Unchanged | SyncOutcome::Withdrawn => Level::DEBUG,
        SyncOutcome::Created | SyncOutcome::Updated | SyncOutcome::Removed | SyncOutcome::PutOff => Level::INFO,
        SyncOutcome::Rejected => Level::WARN,
    }
}

impl Line {
    fn log(&self, access: &Access, registry: &Registry, level: Level) {
        let Self { key, name, module, kind, options, state, reason } = self;
        let summary = command(registry, key).map(|command| access.summary(command));
        macro_rules! event {
            ($level:ident) => {
                $level!(
                    command.name = name,
                    module,
                    handler.kind = kind,
                    options,
                    access = summary,
                    state = state.name(),
                    reason,
                    "registered command"
                )
            };
        }
        match level {
            Level::WARN => event!(warn),
            Level::INFO => event!(info),
            _ => event!(debug),
        }
    }
}

/// Returns the line of a change; `None` for a command that is not the bot's.
fn line(registry: &Registry, outcome: &CommandOutcome) -> Option<Line> {
    let key = &outcome.step.key;
    let (state, reason) = match &outcome.result {
        StepOutcome::Done(state) => (*state, None),
        StepOutcome::Kept => match &outcome.step.action {
            SyncAction::Kept { why: Keep::Quarantined(_), .. } => (SyncOutcome::Withdrawn, None),
            _ => return None,
        },
        StepOutcome::Rejected(why) => (SyncOutcome::Rejected, Some(not(&outcome.step.action, why))),
        StepOutcome::PutOff(why) => (SyncOutcome::PutOff, Some(not(&outcome.step.action, why))),
    };
    Some(of(registry, key, state, reason))
}

fn not(action: &SyncAction, why: &str) -> String {
    format!("not {}: {why}", done(action))
}

fn done(action: &SyncAction) -> &'static str {
    match action {
        SyncAction::Create { .. } => "created",
        SyncAction::Update { .. } => "updated",
        SyncAction::Remove { .. } => "removed",
        SyncAction::Unchanged { .. } | SyncAction::Kept { .. } => "kept",
    }
}

fn of(registry: &Registry, key: &Key, state: SyncOutcome, reason: Option<String>) -> Line {
    let is_ours = key.kind == MESSAGE_MENU && REPLY_MENUS.contains(&key.name.as_str());
    let name = if key.kind == CHAT_INPUT { format!("/{}", key.name) } else { key.name.clone() };
    let (module, kind, options) = match command(registry, key).map(CommandRow::of) {
        Some(known) => (known.owner, known.kind, known.takes),
        None if is_ours => ("builtin".to_owned(), "menu", String::new()),
        None => {
            let withdrawn = registry.quarantined_command(&key.name).filter(|_| key.kind == CHAT_INPUT);
            (withdrawn.map_or("none".to_owned(), |command| command.module.clone()), "none", String::new())
        }
    };
    Line { key: key.clone(), name, module, kind, options, state, reason }
}

fn command<'a>(registry: &'a Registry, key: &Key) -> Option<&'a Command> {
    match key.kind {
        CHAT_INPUT => registry.command(&key.name),
        USER_MENU => registry.menu(CommandType::UserMenu, &key.name),
        MESSAGE_MENU => registry.menu(CommandType::MessageMenu, &key.name),
        _ => None,
    }
}

/// Returns the lines for the case that the registered commands could not be listed.
fn unknown(registry: &Registry, why: &str) -> Vec<Line> {
    let in_force = registry.commands().chain(registry.menus()).map(key);
    let ours = registry.reply_menus().map(|name| Key { kind: MESSAGE_MENU, name: name.to_owned() });
    let reason = format!("not sent: {why}");
    in_force.chain(ours).map(|key| of(registry, &key, SyncOutcome::PutOff, Some(reason.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use candor_core::registration::{ManifestLines, SyncStep};

    #[test]
    fn held_08_what_was_not_done_is_rejected_or_put_off_with_the_reason_and_what_is_not_ours_is_not_logged() {
        let quarantined = Keep::Quarantined("weather".to_owned());
        let create = SyncAction::Create { payload: Value::Null };
        let update = SyncAction::Update { id: 1, differences: Vec::new(), body: Value::Null };
        let no = |why: &str| StepOutcome::Rejected(why.to_owned());
        let off = |why: &str| StepOutcome::PutOff(why.to_owned());
        use SyncOutcome::{Created, PutOff, Rejected, Unchanged, Withdrawn};
        for (action, result, wanted) in [
            (create.clone(), StepOutcome::Done(Created), Some((Created, None))),
            (create, no("too long"), Some((Rejected, Some("not created: too long")))),
            (update, off("status 500"), Some((PutOff, Some("not updated: status 500")))),
            (SyncAction::Remove { id: 1 }, off("later"), Some((PutOff, Some("not removed: later")))),
            (SyncAction::Unchanged { id: 1 }, StepOutcome::Done(Unchanged), Some((Unchanged, None))),
            (SyncAction::Kept { id: 1, why: quarantined }, StepOutcome::Kept, Some((Withdrawn, None))),
            (SyncAction::Kept { id: 1, why: Keep::EntryPoint }, StepOutcome::Kept, None),
        ] {
            let key = Key { kind: CHAT_INPUT, name: "x".to_owned() };
            let outcome = CommandOutcome { step: SyncStep { key, action, places: ManifestLines::default() }, result };
            let logged = line(&Registry::default(), &outcome).map(|line| (line.state, line.reason));
            assert_eq!(logged, wanted.map(|(state, reason)| (state, reason.map(str::to_owned))), "{outcome:?}");
        }
    }
}
