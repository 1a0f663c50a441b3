//! Cuts text to a length: in characters, in bytes, or as Discord counts.

/// Returns the text in at most `max` characters, the last of them `…` if it was cut.
pub fn shortened(text: &str, max: usize) -> String {
    shortened_with(text, max, "…")
}

/// Returns the text in at most `max` characters, ending with this note if it was cut.
pub fn shortened_with(text: &str, max: usize, note: &str) -> String {
    if first_characters(text, max).len() == text.len() {
        return text.to_owned();
    }
    format!("{}{note}", first_characters(text, max.saturating_sub(note.chars().count())))
}

pub fn first_characters(text: &str, max: usize) -> &str {
    // A text never has more characters than bytes.
    if text.len() <= max {
        return text;
    }
    text.char_indices().nth(max).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Returns the longest prefix of at most `max` UTF-16 units, as Discord's app counts.
pub fn first_utf16(text: &str, max: usize) -> &str {
    let mut used = 0;
    let over = text.char_indices().find(|(_, character)| {
        used += character.len_utf16();
        max < used
    });
    over.and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Returns the longest prefix of at most `max` bytes.
pub fn first_bytes(text: &str, max: usize) -> &str {
    let end = (0..=max.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    text.get(..end).unwrap_or_default()
}

/// Returns the longest suffix of at most `max` bytes.
pub(crate) fn last_bytes(text: &str, max: usize) -> &str {
    let start = text.len().saturating_sub(max);
    let start = (start..=text.len()).find(|start| text.is_char_boundary(*start)).unwrap_or(text.len());
    text.get(start..).unwrap_or_default()
}

/// Returns the length as Discord's app counts: in UTF-16 units.
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
        assert_eq!(shortened_with("äöüßä", 5, " (cut)"), "äöüßä");
        assert_eq!(shortened_with("äöüßäöüßä", 8, " (cut)"), "äö (cut)");
        for (max, expected) in [(0, ""), (2, "aä"), (3, "aäb"), (9, "aäb")] {
            assert_eq!(first_characters("aäb", max), expected, "{max}");
        }
        for (max, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "aä"), (9, "aäb")] {
            assert_eq!(first_bytes("aäb", max), expected, "{max}");
        }
        for (max, expected) in [(0, ""), (1, "b"), (2, "b"), (3, "äb"), (9, "aäb")] {
            assert_eq!(last_bytes("aäb", max), expected, "{max}");
        }
        for (max, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "a👍"), (9, "a👍b")] {
            assert_eq!(first_utf16("a👍b", max), expected, "{max}");
        }
        assert_eq!(utf16_length("a👍"), 3);
    }
}
