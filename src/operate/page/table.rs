//! Tables, which become lists on a narrow screen.

use super::html::Html;

pub(super) enum Cell {
    Text(String),
    /// A name or a value of the program.
    Code(String),
    /// A mark, and whether it is a good one.
    Mark(String, bool),
    /// A share, 0 to 1, as a bar, with its text.
    Bar(f64, String),
}

impl Cell {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn code(text: impl Into<String>) -> Self {
        Self::Code(text.into())
    }
}

/// Adds a table with these headings, or `none` if it has no rows.
pub(super) fn table<const COLUMNS: usize>(
    html: &mut Html,
    headings: [&'static str; COLUMNS],
    rows: Vec<[Cell; COLUMNS]>,
    none: &'static str,
) {
    if rows.is_empty() {
        html.raw("<p class=\"none\">").raw(none).raw("</p>");
        return;
    }
    html.raw("<table><thead><tr>");
    for heading in headings {
        html.raw("<th scope=\"col\">").raw(heading).raw("</th>");
    }
    html.raw("</tr></thead><tbody>");
    for row in rows {
        html.raw("<tr>");
        for (heading, cell) in headings.into_iter().zip(row) {
            html.raw("<td data-label=\"").raw(heading).raw("\"><div>");
            match cell {
                Cell::Text(text) => html.text(&text),
                Cell::Code(text) => html.raw("<code>").text(&text).raw("</code>"),
                Cell::Mark(text, is_good) => mark(html, &text, is_good),
                Cell::Bar(share, words) => bar(html, share, &words),
            };
            html.raw("</div></td>");
        }
        html.raw("</tr>");
    }
    html.raw("</tbody></table>");
}

/// Adds a coloured word; its meaning does not depend on the colour.
pub(super) fn mark<'a>(html: &'a mut Html, word: &str, is_good: bool) -> &'a mut Html {
    html.raw(if is_good { "<span class=\"mark good\">" } else { "<span class=\"mark bad\">" });
    html.text(word).raw("</span>")
}

fn bar<'a>(html: &'a mut Html, share: f64, words: &str) -> &'a mut Html {
    html.raw("<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    html.raw("<rect class=\"whole\" width=\"100\" height=\"10\"/><rect class=\"share\" height=\"10\" width=\"");
    html.value(format_args!("{:.1}", 100.0 * share.clamp(0.0, 1.0))).raw("\"/></svg><span>");
    html.text(words).raw("</span>")
}
