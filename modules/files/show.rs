//! Shows a file's content in pages, within a code block that it cannot break out of. A file that cannot be shown
//! unchanged on one page is attached, where attachments exist.

use std::sync::LazyLock;

use candor_core::contract::CommandError;
use candor_core::inbound::CommandPath;
use candor_core::language::{self, Language, Texts, say_from};
use candor_core::reply::{Page, Reply, ReplyFile};
use candor_core::text::{ends_code_block, first_utf16, in_code_block, seen};
use serde_json::Map;

pub(super) static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| Texts::new(&[("en", include_str!("en.ftl")), ("de", include_str!("de.ftl"))]));

/// The most content shown, in UTF-16 units: together with the notes below it, of 250 at most, it must fit into one
/// embed.
pub(super) const LENGTH_MAX: usize = 3_200;

/// Formats a size in a suitable unit.
pub(super) fn size(bytes: u64, language: Language) -> String {
    const KIB: u64 = 1024;
    match bytes {
        0..KIB => format!("{bytes} B"),
        // In tenths, rounded down: a file is never reported larger than it is.
        _ => language::number(&format!("{}.{} KiB", bytes / KIB, bytes % KIB * 10 / KIB), language),
    }
}

pub(super) struct File<'a> {
    pub(super) path: &'a str,
    /// From 1; the first if `None`.
    pub(super) page: Option<u32>,
    pub(super) language: Language,
}

impl File<'_> {
    /// Returns a page of the file. Attaches the file if it cannot be shown unchanged on one page, but only to the first
    /// page: the other pages replace it in place, and the attachment stays.
    pub(super) fn with_attachment(&self, bytes: Vec<u8>) -> Reply {
        let (reply, note) = match std::str::from_utf8(&bytes) {
            Ok(text) if is_shown_whole(text) || self.page.is_some() => return self.shown(text),
            Ok(text) => (self.shown(text), say_from!(TEXTS, self.language, "attached")),
            Err(_) => (Reply::default(), say_from!(TEXTS, self.language, "no-text-attached")),
        };
        let text = if reply.text.is_empty() { note } else { format!("{}\n{note}", reply.text) };
        Reply { text, file: Some(ReplyFile { name: file_name(self.path), content: bytes }), ..reply }
    }

    /// Returns the page without an attachment. Refuses a file that is not text.
    pub(super) fn alone(&self, bytes: Vec<u8>) -> Result<Reply, CommandError> {
        let no_text = |_| CommandError::tell(say_from!(TEXTS, self.language, "no-text", path = self.path));
        String::from_utf8(bytes).map(|text| self.shown(&text)).map_err(no_text)
    }

    fn shown(&self, text: &str) -> Reply {
        let pages = pages(text);
        let page = Page::of(self.page, pages.len() as u64, 1);
        let shown = page.shown(&pages).first().copied().unwrap_or_default();
        let mut lines = vec![content(shown, self.language)];
        let path = CommandPath::new("files", Some("read"));
        let others = Map::from_iter([("path".into(), self.path.into())]);
        lines.extend(page.line(&path, &others, self.language));
        Reply { controls: page.controls(&path, &others, self.language), ..Reply::text(lines.join("\n")) }
    }
}

/// Splits a text into pages of at most [`LENGTH_MAX`]. A page ends at the end of a line, unless that is in its first
/// half.
fn pages(text: &str) -> Vec<&str> {
    let mut pages = Vec::new();
    let mut rest = text;
    loop {
        let most = first_utf16(rest, LENGTH_MAX);
        let line_end = most.rfind('\n').map(|at| at + 1).filter(|at| most.len() / 2 < *at);
        let (page, after) = match most.len() == rest.len() {
            true => (rest, ""),
            false => rest.split_at(line_end.unwrap_or(most.len())),
        };
        pages.push(page);
        if after.is_empty() {
            return pages;
        }
        rest = after;
    }
}

/// Returns the last name of a path, in characters that every system and Discord leave unchanged.
fn file_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default().trim_start_matches('.');
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || ".-_".contains(letter) { letter } else { '-' };
    if name.is_empty() { "file".to_owned() } else { name.chars().map(plain).collect() }
}

/// Returns whether the text is shown without cuts, omissions or replacements.
fn is_shown_whole(text: &str) -> bool {
    first_utf16(text, LENGTH_MAX).len() == text.len() && !ends_code_block(text) && !is_left_out(text)
}

/// Returns a page in a code block, with notes about its changes.
fn content(page: &str, language: Language) -> String {
    if page.is_empty() {
        return say_from!(TEXTS, language, "empty");
    }
    let shown = seen(page).filter(|&(character, is_hidden)| character == '\n' || !is_hidden);
    let shown: String = shown.map(|(character, _)| character).collect();
    let mut text = in_code_block(shown.trim_end_matches('\n'));
    if ends_code_block(&shown) {
        text.push('\n');
        text.push_str(&say_from!(TEXTS, language, "backticks"));
    }
    if is_left_out(page) {
        text.push('\n');
        text.push_str(&say_from!(TEXTS, language, "invisible"));
    }
    text
}

/// Returns whether the text has hidden characters that are left out. Carriage returns do not count.
fn is_left_out(text: &str) -> bool {
    seen(text).any(|(character, is_hidden)| is_hidden && !"\r\n".contains(character))
}

#[cfg(test)]
mod tests {
    use candor_core::language::Language;
    use candor_core::reply::Control;

    use super::{File, LENGTH_MAX, file_name, pages, size};

    fn content(content: &str) -> String {
        super::content(content, Language::ENGLISH)
    }

    #[test]
    fn sizes_are_never_said_larger_than_they_are() {
        let cases = [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (2047, "1.9 KiB"), (262_144, "256.0 KiB")];
        for (bytes, expected) in cases {
            assert_eq!(size(bytes, Language::ENGLISH), expected);
        }
        assert_eq!(size(2047, Language::of_locale("de").unwrap()), "1,9 KiB");
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
            let file = File { path, page: None, language: Language::ENGLISH };
            let reply = file.with_attachment(bytes.to_vec());
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
    fn a_long_content_comes_in_pages_of_whole_lines_of_which_nothing_is_left_out() {
        let lines: String = (0..1_000).map(|n| format!("line {n} 😀\n")).collect();
        for text in ["x".repeat(7_000), "😀".repeat(3_000), lines.clone(), format!("{}\n{}", "a\n", "x".repeat(5_000))]
        {
            let pages = pages(&text);
            assert_eq!(pages.concat(), text);
            assert!(pages.iter().all(|page| page.encode_utf16().count() <= LENGTH_MAX && !page.is_empty()));
        }
        assert!(pages(&lines).iter().all(|page| page.ends_with('\n')));
        assert_eq!(pages(""), [""]);

        let file = |page| File { path: "a.txt", page, language: Language::ENGLISH };
        let first = file(None).with_attachment(lines.clone().into_bytes());
        assert!(first.text.contains("Page 1 of"), "{}", first.text);
        assert!(first.file.is_some_and(|file| file.content == lines.as_bytes()));
        let third = file(Some(3)).with_attachment(lines.into_bytes());
        assert!(third.file.is_none() && third.text.contains("Page 3 of"), "{}", third.text);
        let [row] = third.controls.as_slice() else { panic!("{:?}", third.controls) };
        let targets = row.iter().map(|control| match control {
            Control::Button { call: Some(call), .. } => call.arguments["page"].as_u64().unwrap(),
            other => panic!("{other:?}"),
        });
        assert_eq!(targets.collect::<Vec<_>>(), [2, 4]);
    }
}
