//! Counts, each with a bar of its share.

use crate::edges::admin::page::figures::grouped;
use crate::edges::admin::page::health::Counts;
use crate::edges::admin::page::html::Html;
use crate::edges::admin::page::table::{Cell, table};

/// Shows tables with nonzero counts side by side, and names the others in one line.
pub(super) fn show(html: &mut Html, all: &[Counts]) {
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
