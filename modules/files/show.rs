//! Shows a file's content: bounded in length, and unable to break out of its code block. What cannot be shown whole is
//! attached, where there are attachments.

use super::texts::TEXTS;
use candor_core::contract::CommandError;
use candor_core::language::{Language, say_from};
use candor_core::reply::{Reply, ReplyFile};
use candor_core::text::{ends_code_block, first_utf16, in_code_block, is_invisible};

/// The most content shown, in UTF-16 units: together with the notes below it, of 250 at most, it must fit into one embed.
pub(super) const LENGTH_MAX: usize = 3_200;

/// A size in a suitable unit.
pub(super) fn size(bytes: u64) -> String {
    const KIB: u64 = 1024;
    match bytes {
        0..KIB => format!("{bytes} B"),
        // In tenths, rounded down: a file is never reported larger than it is.
        _ => format!("{}.{} KiB", bytes / KIB, bytes % KIB * 10 / KIB),
    }
}

/// A file as far as it can be shown, with the rest in an attachment.
pub(super) fn with_file(path: &str, bytes: Vec<u8>, language: Language) -> Reply {
    let (text, is_whole) = match std::str::from_utf8(&bytes) {
        Ok(text) => {
            let is_whole = is_shown_whole(text);
            let mut shown = content(text, language);
            if !is_whole {
                shown.push('\n');
                shown.push_str(&say_from!(TEXTS, language, "attached"));
            }
            (shown, is_whole)
        }
        Err(_) => (say_from!(TEXTS, language, "no-text-attached"), false),
    };
    let file = (!is_whole).then(|| ReplyFile { name: file_name(path), content: bytes });
    Reply { file, ..Reply::text(text) }
}

/// The same without an attachment. What is no text is refused.
pub(super) fn alone(path: &str, bytes: Vec<u8>, language: Language) -> Result<Reply, CommandError> {
    let no_text = |_| CommandError::tell(say_from!(TEXTS, language, "no-text", path = path));
    String::from_utf8(bytes).map(|text| Reply::text(content(&text, language))).map_err(no_text)
}

/// The last name of a path, in characters that every system and Discord leave as they are.
fn file_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default().trim_start_matches('.');
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || ".-_".contains(letter) { letter } else { '-' };
    if name.is_empty() { "file".to_owned() } else { name.chars().map(plain).collect() }
}

/// Whether nothing of a text is cut, left out or replaced.
fn is_shown_whole(text: &str) -> bool {
    let is_left_out = |character: char| character != '\r' && is_hidden(character);
    first_utf16(text, LENGTH_MAX).len() == text.len() && !ends_code_block(text) && !text.chars().any(is_left_out)
}

/// The content in a code block, as far as it is shown, with notes on what is cut or changed.
fn content(content: &str, language: Language) -> String {
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

    use super::{file_name, size, with_file};

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
    fn what_is_not_shown_whole_is_attached_as_it_is() {
        let long = "x".repeat(3_201);
        for (path, bytes, name) in [
            ("a.txt", b"plain\ntext\r\n".as_slice(), None),
            ("a.txt", b"", None),
            ("notes/long.txt", long.as_bytes(), Some("long.txt")),
            ("a.md", b"```\ncode\n```", Some("a.md")),
            ("a.txt", "a\u{202e}b".as_bytes(), Some("a.txt")),
            ("picture.png", b"\x89PNG\xff", Some("picture.png")),
        ] {
            let reply = with_file(path, bytes.to_vec(), Language::ENGLISH);
            assert_eq!(reply.file.as_ref().map(|file| file.name.as_str()), name, "{path}");
            assert!(reply.file.as_ref().is_none_or(|file| file.content == bytes), "{path}");
            assert_eq!(reply.text.contains("attached"), name.is_some(), "{}", reply.text);
        }
        for (path, name) in [("a/größe und mehr.txt", "gr--e-und-mehr.txt"), (".gitignore", "gitignore"), ("...a", "a")]
        {
            assert_eq!(file_name(path), name);
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
        for (letter, n_shown) in [("x", 3_200), ("😀", 1_600)] {
            let text = content(&letter.repeat(5_000));
            let expected = format!("```\nTruncated: the first {n_shown} of 5000 characters are shown.");
            assert!(text.ends_with(&expected), "{text}");
            assert_eq!(text.matches(letter).count(), n_shown, "{letter}");
        }
        assert!(!content(&"x".repeat(3_200)).contains("Truncated"));
    }
}
