//! The findings of the chat guard, and refusals.

use super::counts;
use crate::edges::admin::page::figures::moment;
use crate::edges::admin::page::health::HealthView;
use crate::edges::admin::page::html::Html;
use crate::edges::admin::page::table::{Cell, table};
use crate::edges::admin::page::view::Overview;

pub(in crate::edges::admin::page) fn show(html: &mut Html, overview: &Overview, how: &HealthView) {
    html.raw("<section id=\"events\"><h2>Guard</h2><h3>Since the start</h3>");
    counts::show(html, &how.guard);
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
