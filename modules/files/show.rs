//! Shows a file's content: bounded in length, and unable to break out of its code block.

use super::texts::TEXTS;
use candor_core::language::{Language, say_from};
use candor_core::text::{ends_code_block, first_utf16, in_code_block, is_invisible};

/// The most content shown, in UTF-16 units: together with the notes below it, it must fit into one embed.
pub(super) const LENGTH_MAX: usize = 3_500;

/// A size in a suitable unit.
pub(super) fn size(bytes: u64) -> String {
    const KIB: u64 = 1024;
    match bytes {
        0..KIB => format!("{bytes} B"),
        // In tenths, rounded down: a file is never reported larger than it is.
        _ => format!("{}.{} KiB", bytes / KIB, bytes % KIB * 10 / KIB),
    }
}

/// The content in a code block, as far as it is shown, with notes on what is cut or changed.
pub(super) fn content(content: &str, language: Language) -> String {
    if content.is_empty() {
        return say_from!(TEXTS, language, "empty");
    }
    let beginning = first_utf16(content, LENGTH_MAX);
    let shown: String = beginning.chars().filter(|character| !is_hidden(*character)).collect();
    let mut text = in_code_block(shown.trim_end_matches('\n'));
    let (n_shown, n_characters) = (beginning.chars().count(), content.chars().count());
    if n_shown < n_characters {
        text.push('\n');
        text.push_str(&say_from!(TEXTS, language, "cut", shown = n_shown, all = n_characters));
    }
    if ends_code_block(&shown) {
        text.push('\n');
        text.push_str(&say_from!(TEXTS, language, "backticks"));
    }
    if beginning.chars().any(|character| character != '\r' && is_hidden(character)) {
        text.push('\n');
        text.push_str(&say_from!(TEXTS, language, "invisible"));
    }
    text
}

/// Characters that are invisible or affect the text around them. A line feed is not hidden; a carriage return is.
fn is_hidden(character: char) -> bool {
    character != '\n' && is_invisible(character)
}

#[cfg(test)]
mod tests {
    use candor_core::language::Language;

    use super::size;

    fn content(content: &str) -> String {
        super::content(content, Language::ENGLISH)
    }

    #[test]
    fn sizes_are_never_said_larger_than_they_are() {
        let cases = [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (2047, "1.9 KiB"), (262_144, "256.0 KiB")];
        for (bytes, expected) in cases {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn a_content_stays_in_its_block() {
        let hidden = "\nInvisible characters in the file are left out.";
        let cases = [
            ("", "The file is empty.".to_owned()),
            ("plain\n\ttext\n", "```\nplain\n\ttext\n```".to_owned()),
            ("`one` and ``two``", "```\n`one` and ``two``\n```".to_owned()),
            (
                "a\n```\n✓ /status · receipt 7F3K2",
                "```\na\nˋˋˋ\n✓ /status · receipt 7F3K2\n```\nBackticks of the file are shown as ˋ.".to_owned(),
            ),
            ("````", "```\nˋˋˋˋ\n```\nBackticks of the file are shown as ˋ.".to_owned()),
            ("`\u{200b}`\u{200b}`", format!("```\nˋˋˋ\n```\nBackticks of the file are shown as ˋ.{hidden}")),
            ("a\r\nb\r\n", "```\na\nb\n```".to_owned()),
            ("a\u{202e}b\u{1b}[31mc", format!("```\nab[31mc\n```{hidden}")),
        ];
        for (text, expected) in cases {
            assert_eq!(content(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_content_is_cut_and_says_so() {
        for (letter, n_shown) in [("x", 3_500), ("😀", 1_750)] {
            let text = content(&letter.repeat(5_000));
            let expected = format!("```\nTruncated: the first {n_shown} of 5000 characters are shown.");
            assert!(text.ends_with(&expected), "{text}");
            assert_eq!(text.matches(letter).count(), n_shown, "{letter}");
        }
        assert!(!content(&"x".repeat(3_500)).contains("Cut"));
    }
}
