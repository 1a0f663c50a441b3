//! Receipts and budgets.

use crate::page::figures::{grouped, moment, span};
use crate::page::html::Html;
use crate::page::table::{Cell, table};
use crate::page::view::Overview;
use candor_core::agent::Usage;
use candor_core::record::LedgerEntry;

pub(in crate::page) fn show(html: &mut Html, overview: &Overview) {
    html.raw("<section id=\"receipts\"><h2>Receipts</h2>");
    match &overview.receipts {
        Err(problem) => {
            html.raw("<p class=\"none\">").sentence(problem).raw("</p>");
        }
        Ok(receipts) => {
            html.raw("<p>The newest, without arguments: <code>candor receipts show ID</code> has them.</p>");
            let headings = ["receipt", "when (UTC)", "command", "by", "asked by", "took", "ended"];
            table(html, headings, receipts.iter().map(receipt).collect(), "None yet.");
        }
    }
    html.raw("</section><section id=\"budgets\"><h2>Budgets</h2>");
    match &overview.budgets {
        None => {
            html.raw("<p class=\"none\">Chat is off: there is no <code>[model]</code> in the settings.</p>");
        }
        Some(Err(problem)) => {
            html.raw("<p class=\"none\">").sentence(problem).raw("</p>");
        }
        Some(Ok(budgets)) => {
            html.raw("<p>What chat used today (UTC): the bot as a whole, and whoever used most.</p>");
            table(html, ["whose", "tokens", "turns"], budgets.iter().map(budget).collect(), "None yet.");
        }
    }
    html.raw("</section>");
}

fn receipt(LedgerEntry { id, facts, .. }: &LedgerEntry) -> [Cell; 7] {
    [
        Cell::code(id.to_string()),
        Cell::text(moment(facts.started)),
        Cell::code(&facts.command),
        Cell::text(facts.origin.name()),
        Cell::text(facts.caller.to_string()),
        Cell::text(span(facts.took)),
        Cell::Mark(facts.outcome.name().to_owned(), facts.outcome.is_reply()),
    ]
}

fn budget(Usage { subject, spent, limits }: &Usage) -> [Cell; 3] {
    let cell = |used: u64, most: Option<u64>| match most {
        None => Cell::text(format!("{}, no limit", grouped(used))),
        #[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
        Some(most) => Cell::Bar(used as f64 / most.max(1) as f64, format!("{} of {}", grouped(used), grouped(most))),
    };
    [
        Cell::text(subject.key().replace(':', " ")),
        cell(spent.tokens.total(), limits.tokens),
        cell(spent.turns, limits.turns),
    ]
}
