//! Puts people's text on one line, otherwise unchanged.

use crate::text::is_invisible;

/// The text without invisible characters, and with each run of white space and line ends as a single space. All visible
/// text stays as written: markdown is [`escaped`](crate::text::escaped) where the text is shown.
pub fn visible_line(text: &str) -> String {
    let seen: String = text.chars().filter(|&c| c.is_whitespace() || !is_invisible(c)).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::visible_line;

    #[test]
    fn what_can_be_seen_stays_and_nothing_else() {
        let cases = [
            ("plain", "plain"),
            ("  two\r\n lines\tand\u{2028}more\u{85}\u{a0}", "two lines and more"),
            ("a\u{202e}b\u{200b}c\u{e0041}\u{1b}d", "abcd"),
            ("one \u{200b} space", "one space"),
            (" \u{200b}\n\u{202e}\0", ""),
            ("ran /backup by hand", "ran /backup by hand"),
            ("✓ /status · receipt 7F3K2", "✓ /status · receipt 7F3K2"),
            ("-# [here](https://x.y/a_b) <@42> </status:1>", "-# [here](https://x.y/a_b) <@42> </status:1>"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible_line(text), expected, "{text:?}");
        }
    }
}
