//! `candor sync` if each guild has its own set of commands.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use tracing::warn;

use crate::app::{Exit, Failure};
use crate::cli::sync::report::{Ask, exit, failure, json_report, print, result_text};
use crate::edges::discord::{Diff, Halt, Registrar, SyncReport};
use crate::host::Guilds;
use candor_core::guild::SwitchedOff;
use candor_core::inbound::GuildId;
use candor_core::registration::{CREATES_PER_DAY_MAX, Key};

/// The changes for one guild, and the commands switched off there.
struct OfGuild {
    diff: Diff,
    off: SwitchedOff,
}

/// Prints the plan for the global set and for each guild, and applies it. The order: new global commands, then the
/// guilds, then the removal of global commands that no guild needs any more.
pub(super) async fn carry_out(registrar: &Registrar, guilds: &Guilds, ask: Ask) -> Result<Exit, Failure> {
    let globally = registrar.diff().await.map_err(|halt| failure(&halt))?;
    let members = registrar.guilds().await.map_err(|halt| failure(&halt))?;
    let asked: BTreeSet<GuildId> = match ask.guild.map(GuildId) {
        Some(guild) if !members.contains(&guild) => {
            return Err(Failure::config(format!("the bot is not in the server {guild}")));
        }
        Some(guild) => [guild].into(),
        None => members.clone(),
    };
    let is_all = asked.len() == members.len();
    let (of_guilds, n_unread) = read(registrar, guilds, &asked).await?;
    if !ask.json {
        print(&plan_text(registrar, &globally, &of_guilds, asked.len()))?;
    }
    let is_drift = globally.plan.is_drift() || of_guilds.iter().any(|it| it.diff.plan.is_drift());
    if ask.plan_only {
        if ask.json {
            print(&format!("{:#}\n", json_report(registrar, &in_order(globally, of_guilds), &[])))?;
        }
        return Ok(match is_drift {
            _ if 0 < n_unread => Exit::Unavailable,
            true => Exit::Drift,
            false => Exit::Fine,
        });
    }
    let (first, of_guilds, reports) = apply(registrar, globally, of_guilds, n_unread == 0 && is_all).await;
    let diffs = in_order(first, of_guilds);
    print(&match ask.json {
        true => format!("{:#}\n", json_report(registrar, &diffs, &reports)),
        false => result_text(&reports),
    })?;
    Ok(if n_unread == 0 { exit(&reports) } else { Exit::Unavailable })
}

/// Returns the changes for these guilds, and how many could not be read.
async fn read(
    registrar: &Registrar,
    guilds: &Guilds,
    asked: &BTreeSet<GuildId>,
) -> Result<(Vec<OfGuild>, usize), Failure> {
    let (mut of_guilds, mut n_unread) = (Vec::new(), 0);
    for &guild in asked {
        let off = guilds.switched_off(guild).await.map_err(|problem| {
            Failure::unavailable(format!("what is switched off in the server {guild} cannot be read: {problem}"))
        })?;
        match registrar.diff_guild(guild, &off).await {
            Ok(Some(diff)) => of_guilds.push(OfGuild { diff, off }),
            Ok(None) => warn!(guild.id = %guild, "the bot may not make commands in this server"),
            Err(Halt { why, .. }) => {
                warn!(guild.id = %guild, error = why, "the commands of this server cannot be read");
                n_unread += 1;
            }
        }
    }
    Ok((of_guilds, n_unread))
}

/// Applies the plans. `is_all`: the plans cover every guild, so unneeded global commands may be removed.
async fn apply(
    registrar: &Registrar,
    mut globally: Diff,
    of_guilds: Vec<OfGuild>,
    is_all: bool,
) -> (Diff, Vec<OfGuild>, Vec<SyncReport>) {
    let whole = globally.plan.clone();
    globally.plan = globally.plan.holding(|_| true);
    let waits = globally.plan.waits_for_guilds();
    let mut first = registrar.apply(&globally).await;
    let mut reports = Vec::new();
    for OfGuild { diff, off } in &of_guilds {
        reports.push(registrar.apply_guild(diff, off).await);
    }
    let is_halted = first.halt.is_some() || reports.iter().any(|report| report.halt.is_some());
    if waits && is_all && !is_halted {
        let missing: BTreeSet<Key> = reports.iter().flat_map(SyncReport::not_in_place).cloned().collect();
        // Compare again: the first part has created commands by now.
        match registrar.diff().await {
            Ok(mut rest) => {
                rest.plan = rest.plan.holding(|key| missing.contains(key));
                let later = registrar.apply(&rest).await;
                let done_before = std::mem::replace(&mut first, later);
                let is_new = |key: &Key| first.outcomes.iter().all(|outcome| outcome.step.key != *key);
                let before: Vec<_> =
                    done_before.outcomes.into_iter().filter(|outcome| is_new(&outcome.step.key)).collect();
                first.outcomes.extend(before);
            }
            Err(halt) => warn!(error = halt.why, "what servers no longer need everywhere stays for now"),
        }
    }
    globally.plan = whole;
    reports.insert(0, first);
    (globally, of_guilds, reports)
}

fn in_order(globally: Diff, of_guilds: Vec<OfGuild>) -> Vec<Diff> {
    [globally].into_iter().chain(of_guilds.into_iter().map(|it| it.diff)).collect()
}

fn plan_text(registrar: &Registrar, globally: &Diff, of_guilds: &[OfGuild], n_asked: usize) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _always = writeln!(
        text,
        "application {} · {}, for direct messages\n{}",
        registrar.application(),
        globally.scope,
        globally.plan.to_string().trim_end()
    );
    let now = std::time::SystemTime::now();
    let differing: Vec<_> = of_guilds.iter().map(|it| &it.diff).filter(|diff| diff.plan.is_drift()).collect();
    for Diff { scope, plan, remembered, .. } in &differing {
        let used = remembered.creates_today(now);
        let _always = writeln!(
            text,
            "{scope}: costs {} of {CREATES_PER_DAY_MAX} creates today, {used} used\n{}",
            plan.cost(),
            plan.to_string().trim_end()
        );
    }
    let _always = writeln!(text, "servers: {n_asked}, with differences: {}", differing.len());
    text
}
