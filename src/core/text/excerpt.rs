//! Excerpts of untrusted text, for quoting.

use crate::text::seen;

/// The longest excerpt, in characters, including its ellipsis.
const EXCERPT_LENGTH_MAX: usize = 40;

/// Shortens untrusted text for quoting in a reply: on one line, without characters that hide or end the quotation, and
/// with any `@` defused.
pub fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    let mut length = 0;
    let visible = seen(text).filter(|&(c, is_hidden)| c.is_whitespace() || !(c == '`' || is_hidden));
    let mut visible = visible.map(|(character, _)| character).peekable();
    while let Some(character) = visible.next() {
        if character.is_whitespace() {
            // Collapse a run of white space to one space.
            while visible.next_if(|next| next.is_whitespace()).is_some() {}
        }
        length += 1;
        if length == EXCERPT_LENGTH_MAX && visible.peek().is_some() {
            shown.push('…');
            break;
        }
        shown.push(match character {
            '@' => '＠',
            space if space.is_whitespace() => ' ',
            other => other,
        });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn an_excerpt_is_short_and_cannot_leave_its_quotation() {
        let cases = [
            ("/status", "/status".to_owned()),
            ("a` @everyone\n\t b", "a ＠everyone b".to_owned()),
            ("a\u{200b}b\u{202e}c\u{e0041}\u{0}", "abc".to_owned()),
            ("می\u{200c}خواهم", "می\u{200c}خواهم".to_owned()),
            (&"x".repeat(40), "x".repeat(40)),
            (&"é".repeat(41), format!("{}…", "é".repeat(39))),
            ("``", String::new()),
        ];
        for (text, expected) in cases {
            assert_eq!(excerpt(text), expected, "{text:?}");
        }
    }
}
