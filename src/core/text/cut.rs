//! Text cut to a length: in characters, in bytes, or as Discord counts.

/// The text in at most `max` characters, the last of them `…` if it was cut.
pub fn shortened(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some(_) => text.chars().take(max.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// The longest prefix of at most `max` bytes.
pub fn first_bytes(text: &str, max: usize) -> &str {
    let end = (0..=max.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    text.get(..end).unwrap_or_default()
}

/// How long a text is as Discord's app counts: in UTF-16 units.
pub fn utf16_length(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_counts_and_splits_no_character() {
        let cases = [("", 3, ""), ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("äöüß", 3, "äö…"), ("👍👍", 1, "…")];
        for (text, max, expected) in cases {
            assert_eq!(shortened(text, max), expected, "{text}");
        }
        for (max, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "aä"), (9, "aäb")] {
            assert_eq!(first_bytes("aäb", max), expected, "{max}");
        }
        assert_eq!(utf16_length("a👍"), 3);
    }
}
