//! HTML under construction. Only literals of this program are markup; everything else is text and gets escaped.

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
