//! `/receipt page`: the caller's receipts in one place, newest first.

use serde_json::Map;

use crate::builtin::builtins::Bot;
use crate::storage::RECEIPTS_LISTED_MAX;
use candor_core::contract::{Call, CommandError};
use candor_core::inbound::CommandPath;
use candor_core::language::{Language, say};
use candor_core::record::{LedgerEntry, Outcome};
use candor_core::reply::{Page, Reply, age_in, clock_time};

const PER_PAGE: u64 = 10;

/// Shows a page of receipts. Those of `/receipt` itself are left out: otherwise each view of a page would shift all
/// others by one.
pub(super) async fn page(asked: u32, bot: &Bot<'_>) -> Result<Reply, CommandError> {
    let call = bot.call;
    let book = bot.receipts().await;
    let language = call.caller.language;
    let path = CommandPath::new("receipt", None);
    let command = path.to_string();
    let first = Page::of(Some(asked), u64::MAX, PER_PAGE);
    let mut found = book.list(&call.caller, call.place, &command, first.range()).await?;
    let page = Page::of(Some(asked), found.total, PER_PAGE);
    if page.number() != first.number() {
        // The page no longer exists: the last one is shown.
        found = book.list(&call.caller, call.place, &command, page.range()).await?;
    }
    if found.entries.is_empty() {
        return Ok(Reply::text(say!(language, "receipts-none")));
    }
    let mut lines: Vec<_> = found.entries.iter().map(|entry| line(entry, call, language)).collect();
    lines.extend(page.line(&path, &Map::new(), language));
    if found.total == RECEIPTS_LISTED_MAX && page.range().end == RECEIPTS_LISTED_MAX {
        lines.push(say!(language, "receipts-older"));
    }
    Ok(Reply {
        controls: page.controls(&path, &Map::new(), language),
        ..Reply::text(lines.join("\n")).titled(say!(language, "receipts-title"))
    })
}

fn line(entry: &LedgerEntry, call: &Call, language: Language) -> String {
    let facts = &entry.facts;
    say!(
        language,
        "receipts-line",
        id = entry.id.to_string(),
        command = facts.command.clone(),
        outcome = outcome(facts.outcome, language),
        clock = clock_time(facts.started),
        age = age_in(facts.started, call.now, language)
    )
}

pub(super) fn outcome(outcome: Outcome, language: Language) -> String {
    match outcome {
        Outcome::Done => say!(language, "outcome-done"),
        Outcome::Answered => say!(language, "outcome-answered"),
        Outcome::Asked => say!(language, "outcome-asked"),
        Outcome::Refused => say!(language, "outcome-refused"),
        Outcome::Failed => say!(language, "outcome-failed"),
        Outcome::TimedOut => say!(language, "outcome-timed-out"),
        Outcome::Interrupted => say!(language, "outcome-interrupted"),
        Outcome::Unknown => say!(language, "outcome-unknown"),
    }
}
