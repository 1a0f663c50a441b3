//! `candor sync`: shows the changes to make at Discord, and applies them. Uses REST only, without a gateway, so that it
//! can run beside a bot.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Value, json};
use tracing::warn;
use tracing_subscriber::filter::LevelFilter;

use crate::app::{Examined, Exit, Failure, Sources, open_store};
use crate::cli::run::{block_on, check, connection};
use candor_core::inbound::GuildId;
use candor_core::registration::{CREATES_PER_DAY_MAX, SyncAction};
use candor_discord::{CommandOutcome, Diff, Halt, Registrar, RetryWhen, StepOutcome, SyncReport};

pub(super) fn sync(sources: Sources<'_>, ask: Ask) -> Result<Exit, Failure> {
    block_on(async {
        let (Examined { settings, registry, reach, .. }, _log) = check(sources, LevelFilter::WARN).await?;
        let (Some(settings), Some(registry)) = (settings, registry) else {
            return Err(Failure::config("not compared; `candor check` says why"));
        };
        if let Some((path, why)) = reach.unreachable.first() {
            return Err(Failure::config(format!("`{path}` is registered but cannot be reached: {why}")));
        }
        let (token, proxy) = connection(settings.discord.insecure)?;
        let store = Arc::new(open_store(&settings.store).await?);
        let proxy = proxy.or_else(|| settings.discord.proxy.clone());
        let also = settings.discord.guild;
        let guild = ask.guild.map(GuildId).or(also);
        let registrar = Registrar::connect(&token, proxy.as_ref(), &registry, store.clone(), guild, also).await;
        let ended = match registrar {
            Ok(registrar) => {
                let ended = carry_out(&registrar, ask).await;
                registrar.end().await;
                ended
            }
            Err(problem) => Err(Failure::new(problem.exit_code(), problem.to_string())),
        };
        store.close().await;
        ended
    })
}

async fn carry_out(registrar: &Registrar, ask: Ask) -> Result<Exit, Failure> {
    let diff = registrar.diff().await.map_err(|halt| failure(&halt))?;
    let mut diffs = vec![diff];
    let (others, unread) = registrar.diff_elsewhere().await;
    diffs.extend(others);
    for (scope, halt) in &unread {
        warn!(scope = %scope, error = halt.why, "this scope cannot be read, and commands may be left in it");
    }
    if !ask.json {
        print(&plan_text(registrar, &diffs))?;
    }
    if ask.plan_only {
        if ask.json {
            print(&format!("{:#}\n", json_report(registrar, &diffs, &[])))?;
        }
        let is_drift = diffs.iter().any(|diff| diff.plan.is_drift());
        return Ok(match is_drift {
            _ if !unread.is_empty() => Exit::Unavailable,
            true => Exit::Drift,
            false => Exit::Fine,
        });
    }
    let mut reports: Vec<SyncReport> = Vec::new();
    for diff in &diffs {
        match reports.first() {
            None => reports.push(registrar.apply(diff).await),
            // Remove nothing from another scope before the commands in their own scope were synced.
            Some(first) if first.halt.is_some() => break,
            Some(first) => {
                let elsewhere = registrar.apply_elsewhere(diff, first).await;
                reports.push(elsewhere);
            }
        }
    }
    print(&match ask.json {
        true => format!("{:#}\n", json_report(registrar, &diffs, &reports)),
        false => result_text(&reports),
    })?;
    Ok(if unread.is_empty() { exit(&reports) } else { Exit::Unavailable })
}

fn plan_text(registrar: &Registrar, diffs: &[Diff]) -> String {
    let mut text = String::new();
    for (index, diff) in diffs.iter().enumerate() {
        let scope = diff.scope;
        // Writing to a string cannot fail.
        let _always = match index {
            0 => writeln!(
                text,
                "application {} · {scope}\n{}",
                registrar.application(),
                diff.plan.to_string().trim_end()
            ),
            _ if diff.plan.is_drift() => {
                writeln!(text, "{scope}, where nothing of this bot belongs\n{}", diff.plan.to_string().trim_end())
            }
            _ => Ok(()),
        };
    }
    let (cost, used) = creates(diffs);
    let to_do = if diffs.iter().any(|diff| diff.plan.is_drift()) { "" } else { "nothing to do; " };
    let _always = writeln!(text, "{to_do}costs {cost} of {CREATES_PER_DAY_MAX} creates today, {used} used");
    text
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    pub(super) plan_only: bool,
    /// The guild to register in, in place of the one in the settings.
    pub(super) guild: Option<u64>,
    pub(super) json: bool,
}

/// Returns why the whole sync failed: the settings, or the daily limit.
fn failure(halt: &Halt) -> Failure {
    match halt.again {
        RetryWhen::Never => Failure::config(halt.why.clone()),
        RetryWhen::At(_) | RetryWhen::Soon => Failure::unavailable(halt.why.clone()),
    }
}

/// Returns the exit code. The first scope that is not in place decides it, because changes in other scopes are
/// postponed for it.
fn exit(reports: &[SyncReport]) -> Exit {
    let Some(report) = reports.iter().find(|report| !report.is_in_place()) else { return Exit::Fine };
    let is = |wanted: fn(&StepOutcome) -> bool| report.outcomes.iter().any(|outcome| wanted(&outcome.result));
    if is(|result| matches!(result, StepOutcome::PutOff(_))) { Exit::Unavailable } else { Exit::Failed }
}

/// Returns how many creates the plan needs, and how many were used today.
fn creates(diffs: &[Diff]) -> (usize, usize) {
    let now = SystemTime::now();
    diffs.first().map_or((0, 0), |diff| (diff.plan.cost(), diff.remembered.creates_today(now)))
}

fn result_text(reports: &[SyncReport]) -> String {
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

fn json_report(registrar: &Registrar, diffs: &[Diff], reports: &[SyncReport]) -> Value {
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

fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|problem| Failure::unavailable(format!("cannot write the report: {problem}")))
}
