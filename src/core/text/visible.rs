//! Shows untrusted text unaltered, so that a person can judge it.

use std::fmt::Write as _;

use crate::text::is_invisible;

/// The text with every invisible character written as an escape such as `\u{202e}`, and cut after about `limit` UTF-16
/// units with a note, so that a person sees everything they approve, or how much they do not see.
pub fn visible(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    let mut used = 0;
    let mut rest = text.chars();
    while used < limit
        && let Some(character) = rest.next()
    {
        if is_invisible(character) {
            let escaped = character.escape_unicode();
            used += escaped.len();
            // Writing to a `String` cannot fail.
            let _written = write!(shown, "{escaped}");
        } else {
            used += character.len_utf16();
            shown.push(character);
        }
    }
    match rest.count() {
        0 => shown,
        left_out => format!("{shown}… (cut: {left_out} more characters)"),
    }
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_is_hidden_and_what_is_cut_is_counted() {
        let cases = [
            ("plain\ttext", "plain\ttext"),
            ("a\u{202e}b\n", "a\\u{202e}b\\u{a}"),
            ("0123456789012345678", "0123456789012345678"),
            ("01234567890123456789", "01234567890123456789"),
            ("01234567890123456789abc", "01234567890123456789… (cut: 3 more characters)"),
            ("\u{e0041}\u{e0042}\u{e0043}", "\\u{e0041}\\u{e0042}\\u{e0043}"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text, 20), expected, "{text:?}");
        }
    }
}
