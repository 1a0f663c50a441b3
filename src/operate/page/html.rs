//! HTML under construction. Only literals of this program are markup; everything else is text and gets escaped.
//!
//! Also tables, which become lists on a narrow screen.

use std::fmt::Display;

use candor_core::text::seen;

#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Adds markup. Foreign text does not have the `'static` lifetime, so it cannot be passed here.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Adds text, between tags or within the quotes of an attribute. Hidden characters become escapes such as
    /// `\u{202e}`, so that they cannot reorder the text around them.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for (character, is_hidden) in seen(text) {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' => self.0.push('\n'),
                hidden if is_hidden => self.0.extend(hidden.escape_unicode()),
                other => self.0.push(other),
            }
        }
        self
    }

    pub(super) fn value(&mut self, value: impl Display) -> &mut Self {
        self.text(&value.to_string())
    }

    /// Adds a sentence of the bot, with names between backticks.
    pub(super) fn sentence(&mut self, sentence: &str) -> &mut Self {
        for (n, part) in sentence.split('`').enumerate() {
            if n % 2 == 0 {
                self.text(part);
            } else {
                self.raw("<code>").text(part).raw("</code>");
            }
        }
        self
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

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

#[cfg(test)]
mod tests {
    use super::Html;

    #[test]
    fn text_stays_text_wherever_it_stands() {
        let cases = [
            ("plain é 日 😀", "plain é 日 😀"),
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("\" onfocus='x' autofocus", "&quot; onfocus=&#39;x&#39; autofocus"),
            ("&lt;b&gt; &amp;", "&amp;lt;b&amp;gt; &amp;amp;"),
            ("</textarea></style><!--", "&lt;/textarea&gt;&lt;/style&gt;&lt;!--"),
            ("two\nlines\r\n", "two\nlines\\u{d}\n"),
            ("a\u{202e}b\u{200b}\0", "a\\u{202e}b\\u{200b}\\u{0}"),
        ];
        for (text, expected) in cases {
            let mut html = Html::default();
            html.text(text);
            assert_eq!(html.finish(), expected);
        }
    }

    #[test]
    fn names_in_a_sentence_are_code_and_still_text() {
        let mut html = Html::default();
        html.sentence("there is no `/<b>`; did you mean `/status`?");
        let expected = "there is no <code>/&lt;b&gt;</code>; did you mean <code>/status</code>?";
        assert_eq!(html.finish(), expected);
    }
}
