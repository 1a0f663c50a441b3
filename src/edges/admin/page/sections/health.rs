//! The state of the bot, and its counters since the start.

use super::counts;
use crate::edges::admin::page::health::HealthView;
use crate::edges::admin::page::html::Html;
use crate::edges::admin::page::table::{Cell, table};

pub(in crate::edges::admin::page) fn show(html: &mut Html, how: &HealthView) {
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
    counts::show(html, &how.counts);
    html.raw("</section>");
}
