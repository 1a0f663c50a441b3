//! The output of `candor sync` about plans and changes, and its exit code.

use std::io::Write as _;
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::app::{Exit, Failure};
use crate::edges::discord::{CommandOutcome, Diff, Halt, Registrar, RetryWhen, StepOutcome, SyncReport};
use candor_core::registration::{CREATES_PER_DAY_MAX, SyncAction};

#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Ask {
    pub(in crate::cli) plan_only: bool,
    /// The guild to register in, in place of the one in the settings.
    pub(in crate::cli) guild: Option<u64>,
    pub(in crate::cli) json: bool,
}

/// Returns why the whole sync failed: the settings, or the daily limit.
pub(super) fn failure(halt: &Halt) -> Failure {
    match halt.again {
        RetryWhen::Never => Failure::config(halt.why.clone()),
        RetryWhen::At(_) | RetryWhen::Soon => Failure::unavailable(halt.why.clone()),
    }
}

/// Returns the exit code. The first scope that is not in place decides it, because changes in other scopes are
/// postponed for it.
pub(super) fn exit(reports: &[SyncReport]) -> Exit {
    let Some(report) = reports.iter().find(|report| !report.is_in_place()) else { return Exit::Fine };
    let is = |wanted: fn(&StepOutcome) -> bool| report.outcomes.iter().any(|outcome| wanted(&outcome.result));
    if is(|result| matches!(result, StepOutcome::PutOff(_))) { Exit::Unavailable } else { Exit::Failed }
}

/// Returns how many creates the plan needs, and how many were used today.
pub(super) fn creates(diffs: &[Diff]) -> (usize, usize) {
    let now = SystemTime::now();
    diffs.first().map_or((0, 0), |diff| (diff.plan.cost(), diff.remembered.creates_today(now)))
}

pub(super) fn result_text(reports: &[SyncReport]) -> String {
    let written = reports.iter().flat_map(|report| &report.outcomes).filter(|it| it.step.action.is_write());
    written.map(|outcome| format!("{}\n", result_line(outcome))).collect()
}

fn result_line(CommandOutcome { step, result }: &CommandOutcome) -> String {
    let (word, why) = result_words(result);
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    format!("  {word:<10} {}{why}", step.key)
}

/// Returns the word for the outcome of a change, and the reason if it differs from the plan.
fn result_words(result: &StepOutcome) -> (&'static str, Option<&str>) {
    match result {
        StepOutcome::Done(state) => (state.name(), None),
        StepOutcome::Kept => ("kept", None),
        StepOutcome::Rejected(why) => ("rejected", Some(why)),
        StepOutcome::PutOff(why) => ("put off", Some(why)),
    }
}

pub(super) fn json_report(registrar: &Registrar, diffs: &[Diff], reports: &[SyncReport]) -> Value {
    let scopes = diffs.iter().enumerate().map(|(index, diff)| {
        let outcomes = reports.get(index).map(|report| report.outcomes.as_slice()).unwrap_or_default();
        let commands = diff.plan.steps.iter().map(|step| {
            let mut shown = step.json();
            if let Some(outcome) = outcomes.iter().find(|outcome| outcome.step.key == step.key) {
                let (word, why) = result_words(&outcome.result);
                shown["result"] = json!(word);
                if let Some(why) = why {
                    shown["reason"] = json!(why);
                }
            }
            shown
        });
        json!({ "scope": diff.scope.to_string(), "commands": commands.collect::<Vec<_>>() })
    });
    let (cost, used) = creates(diffs);
    let n = |is_wanted: fn(&SyncAction) -> bool| diffs.iter().map(|diff| diff.plan.count(is_wanted)).sum::<usize>();
    json!({
        "application": registrar.application().to_string(),
        "scopes": scopes.collect::<Vec<_>>(),
        "create": n(|action| matches!(action, SyncAction::Create { .. })),
        "update": n(|action| matches!(action, SyncAction::Update { .. })),
        "remove": n(|action| matches!(action, SyncAction::Remove { .. })),
        "unchanged": n(|action| matches!(action, SyncAction::Unchanged { .. })),
        "kept": n(|action| matches!(action, SyncAction::Kept { .. })),
        "creates": { "cost": cost, "used_today": used, "limit": CREATES_PER_DAY_MAX },
        "drift": diffs.iter().any(|diff| diff.plan.is_drift()),
        "applied": !reports.is_empty(),
    })
}

pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|problem| Failure::unavailable(format!("cannot write the report: {problem}")))
}
