//! The commands in force, and what the check found.

use crate::edges::admin::page::html::Html;
use crate::edges::admin::page::table::{Cell, mark, table};
use crate::edges::admin::page::view::{Finding, Overview};

pub(in crate::edges::admin::page) fn show(html: &mut Html, overview: &Overview) {
    let Overview { commands, unavailable, findings, not_reloaded, .. } = overview;
    html.raw("<section id=\"commands\"><h2>Commands</h2><p>").value(commands.len()).raw(" in force, ");
    html.value(unavailable.len()).raw(" unavailable because their module failed its check.</p>");
    if !not_reloaded.is_empty() {
        html.raw("<h3>The last reload failed</h3><p>What was in force before still is.</p>");
        show_findings(html, not_reloaded);
    }
    if !findings.is_empty() {
        html.raw("<h3>What the check found</h3>");
        show_findings(html, findings);
    }
    let in_force = commands.iter().map(|row| {
        [
            Cell::code(&row.name),
            Cell::code(&row.takes),
            Cell::text(&row.description),
            Cell::text(&row.owner),
            Cell::text(row.kind),
        ]
    });
    let rejected = unavailable.iter().map(|command| {
        [
            Cell::code(&command.name),
            Cell::code(""),
            Cell::Mark("unavailable".to_owned(), false),
            Cell::text(&command.module),
            Cell::text(""),
        ]
    });
    table(html, ["command", "takes", "what it does", "module", "kind"], rejected.chain(in_force).collect(), "None.");
    html.raw("</section>");
}

/// Each with its snippet, open if it is an error.
fn show_findings(html: &mut Html, findings: &[Finding]) {
    for Finding { code, is_error, message, snippet } in findings {
        html.raw(if *is_error { "<details open><summary>" } else { "<details><summary>" });
        mark(html, if *is_error { "error" } else { "warning" }, false).raw(" <code>").text(code).raw("</code> ");
        html.sentence(message).raw("</summary><pre tabindex=\"0\">").text(snippet).raw("</pre></details>");
    }
}
