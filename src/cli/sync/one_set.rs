//! `candor sync` if one set of commands is registered.

use std::fmt::Write as _;

use tracing::warn;

use crate::app::{Exit, Failure};
use crate::cli::sync::report::{Ask, creates, exit, failure, json_report, print, result_text};
use crate::edges::discord::{Diff, Registrar, SyncReport};
use candor_core::registration::CREATES_PER_DAY_MAX;

pub(super) async fn carry_out(registrar: &Registrar, ask: Ask) -> Result<Exit, Failure> {
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
