/// Removes control characters, and so escape sequences, from untrusted text before it is shown in a terminal. Tabs
/// stay.
pub fn printable(text: &str) -> String {
    text.chars().filter(|character| !character.is_control() || *character == '\t').collect()
}

/// Returns the first line end or other control character, which a line of plain text may not hold.
pub fn first_control(text: &str) -> Option<char> {
    text.chars().find(|character| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}'))
}

#[cfg(test)]
mod tests {
    use super::{first_control, printable};

    #[test]
    fn control_characters_are_found_and_taken_out() {
        let cases = [
            ("plain é 日", "plain é 日", None),
            ("a\u{1b}[2Jb", "a[2Jb", Some('\u{1b}')),
            ("a\tb\n", "a\tb", Some('\t')),
            ("a\u{85}\u{2028}b", "a\u{2028}b", Some('\u{85}')),
            ("a\u{2029}b", "a\u{2029}b", Some('\u{2029}')),
        ];
        for (text, expected, first) in cases {
            assert_eq!((printable(text).as_str(), first_control(text)), (expected, first), "{text:?}");
        }
    }
}
