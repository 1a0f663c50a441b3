//! The state of the bot, its counters since the start, and the findings of the chat guard.

use crate::page::figures::{grouped, moment};
use crate::page::health::{Counts, HealthView};
use crate::page::html::Html;
use crate::page::table::{Cell, table};
use crate::page::view::Overview;

pub(in crate::page) fn show(html: &mut Html, how: &HealthView) {
    html.raw("<section id=\"health\"><h2>Health</h2>");
    let parts = how.parts.iter().map(|(part, is_ready, losses)| {
        let stands = if *is_ready { "ready" } else { "not ready" };
        [Cell::text(*part), Cell::Mark(stands.to_owned(), *is_ready), Cell::text(losses.to_string())]
    });
    table(html, ["part", "stands", "times lost"], parts.collect(), "None.");
    html.raw("<dl>");
    for (name, value) in &how.facts {
        html.raw("<div><dt>").raw(name).raw("</dt><dd>").text(value).raw("</dd></div>");
    }
    html.raw("</dl><h3>Since the start</h3>");
    show_counts(html, &how.counts);
    html.raw("</section>");
}

/// Shows tables with nonzero counts side by side, and names the others in one line.
fn show_counts(html: &mut Html, all: &[Counts]) {
    html.raw("<div class=\"cards\">");
    for Counts { title, counts } in all.iter().filter(|counts| !counts.counts.is_empty()) {
        let most = counts.iter().map(|(_, n)| *n).max().unwrap_or(1);
        #[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
        let share = |n: u64| n as f64 / most as f64;
        let rows = counts.iter().map(|(name, n)| [Cell::text(name), Cell::Bar(share(*n), grouped(*n))]);
        html.raw("<div class=\"card\"><h4>").raw(title).raw("</h4>");
        table(html, ["what", "how often"], rows.collect(), "None.");
        html.raw("</div>");
    }
    html.raw("</div>");
    let none: Vec<_> = all.iter().filter(|counts| counts.counts.is_empty()).map(|counts| counts.title).collect();
    if !none.is_empty() {
        html.raw("<p class=\"none\">None yet: ").text(&none.join("; ")).raw(".</p>");
    }
}

/// Shows the findings of the chat guard, and refusals.
pub(in crate::page) fn show_guard(html: &mut Html, overview: &Overview, how: &HealthView) {
    html.raw("<section id=\"events\"><h2>Guard</h2><h3>Since the start</h3>");
    show_counts(html, &how.guard);
    html.raw("<h3>Chat turns in which something was found</h3>");
    match &overview.turns {
        Err(problem) => {
            html.raw("<p class=\"none\">").sentence(problem).raw("</p>");
        }
        Ok(turns) => {
            let rows = turns
                .iter()
                .map(|turn| [Cell::text(moment(turn.at)), Cell::text(&turn.model), Cell::text(turn.found.join("\n"))]);
            table(html, ["when (UTC)", "model", "what was found"], rows.collect(), "None among the newest turns.");
        }
    }
    html.raw("</section>");
}
