//! The commands in force, and the findings of the check.

use crate::page::html::Html;
use crate::page::table::{Cell, table};
use crate::page::view::{Finding, Overview};

pub(in crate::page) fn show(html: &mut Html, overview: &Overview) {
    let Overview { commands, unavailable, not_at_discord, findings, not_reloaded, .. } = overview;
    html.raw("<section id=\"commands\"><h2>Commands</h2><p>").value(commands.len()).raw(" in force, ");
    html.value(unavailable.len()).raw(" unavailable because their module failed its check.</p>");
    if !not_reloaded.is_empty() {
        html.raw("<h3>The last reload failed</h3><p>Broken modules keep their old version.</p>");
        show_findings(html, not_reloaded);
    }
    if !findings.is_empty() {
        html.raw("<h3>What the check found</h3>");
        show_findings(html, findings);
    }
    if !not_at_discord.is_empty() {
        html.raw("<h3>Not at Discord as they should be</h3>");
        let rows = not_at_discord.iter().map(|command| {
            [
                Cell::code(&command.name),
                Cell::Mark(command.state.to_owned(), false),
                Cell::text(&command.reason),
                Cell::text(&command.module),
            ]
        });
        table(html, ["command", "state", "why", "module"], rows.collect(), "None.");
        html.raw("<h3>In force</h3>");
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

/// Shows each finding with its snippet, which is open for an error.
fn show_findings(html: &mut Html, findings: &[Finding]) {
    for Finding { code, is_error, message, snippet } in findings {
        html.raw(if *is_error { "<details open><summary>" } else { "<details><summary>" });
        let word = if *is_error { "<span class=\"mark bad\">error" } else { "<span class=\"mark fair\">warning" };
        html.raw(word).raw("</span> <code>").text(code).raw("</code> ");
        html.sentence(message).raw("</summary><pre tabindex=\"0\">").text(snippet).raw("</pre></details>");
    }
}
