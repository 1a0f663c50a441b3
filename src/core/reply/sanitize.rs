//! Model text made harmless: nothing in it can look like the host's own words.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;

use crate::language::{Language, say};
use crate::text::is_invisible;

/// Marks that shape how Discord shows the beginning of a line, and are not shown themselves or stand before what is.
const MARKS: &str = "*_~`|>#-+.)\\0123456789";

/// So much of a line tells whether it begins like a line of the host, in characters.
const HEAD_LENGTH: usize = 64;

/// The longest mention of a command, in characters: three names of 32 with a space between each, and an id.
const COMMAND_MENTION_MAX: usize = 130;

/// What a receipt's line begins with, and what looks like it.
const CHECK_MARKS: [char; 12] = ['✓', '✗', '✔', '✅', '☑', '✘', '✖', '❌', '❎', '🗸', '🗹', '√'];

/// What stands between the parts of the host's lines, and what looks like it.
const DOTS: [char; 12] = ['·', '•', '‧', '∙', '⋅', '・', '●', '|', '–', '—', '-', ':'];

/// Removes invisible and direction-changing characters; escapes lines that would be rendered as small text, as the
/// host's own label is, and quotes that would take the label in; sets a mark before lines that begin like a receipt
/// or a label; shows where links lead; and leaves no mention of a person, a channel or a command: those are the
/// host's. Doing it twice changes nothing more.
pub fn sanitize_model_text(text: &str) -> String {
    let visible: String = text.chars().map(plain_line_end).filter(|&c| c == '\n' || !is_invisible(c)).collect();
    let lines: Vec<_> = visible.trim().lines().map(harmless).collect();
    lines.join("\n")
}

/// Unicode's own line and paragraph ends break a line on some screens and not on others.
fn plain_line_end(character: char) -> char {
    if matches!(character, '\u{2028}' | '\u{2029}') { '\n' } else { character }
}

fn harmless(line: &str) -> String {
    let line = without_mentions(line);
    let shown = line.trim_start_matches(|mark: char| mark.is_whitespace() || MARKS.contains(mark));
    let lead = line.strip_suffix(shown).unwrap_or_default();
    let line = format!("{}{shown}", escaped(&escaped(lead, "-#"), ">>>"));
    if is_like_the_hosts(shown) { format!("(model) {line}") } else { line }
}

/// The text with a backslash before every `mark` that has none.
fn escaped(text: &str, mark: &str) -> String {
    let mut parts = text.split(mark);
    let mut line = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if !line.ends_with('\\') {
            line.push('\\');
        }
        line.push_str(mark);
        line.push_str(part);
    }
    line
}

/// What the host's labels begin with, in every language: a model may imitate any of them.
static LABELS: LazyLock<Vec<LabelWords>> = LazyLock::new(|| {
    let plain = |text: String| text.nfkc().flat_map(char::to_lowercase).collect::<String>();
    let words = |language| LabelWords {
        generated: plain(say!(language, "label-generated")),
        ran: plain(say!(language, "label-ran", commands = "")).trim().to_owned(),
    };
    Language::all().map(words).collect()
});

struct LabelWords {
    /// `generated`, with a dot behind it.
    generated: String,
    /// `ran`, with a command behind it.
    ran: String,
}

/// Whether a line reads like a receipt or a label, whatever letters and marks it is written in.
fn is_like_the_hosts(shown: &str) -> bool {
    let letters = shown.chars().filter(|&c| !"*_~`|\\".contains(c) || DOTS.contains(&c)).take(HEAD_LENGTH);
    let head: String = letters.nfkc().flat_map(char::to_lowercase).collect();
    let is_behind = |word: &str, marks: &[char]| {
        let behind = head.strip_prefix(word).map(|rest| rest.trim_start().trim_start_matches('|'));
        behind.is_some_and(|rest| rest.trim_start().starts_with(marks))
    };
    head.starts_with(CHECK_MARKS)
        || LABELS.iter().any(|label| is_behind(&label.generated, &DOTS) || is_behind(&label.ran, &['/']))
        || ["–", "—"].iter().any(|dash| is_behind(dash, &['/']))
}

/// The line with every mention broken, and every link whose words could hide where it leads.
fn without_mentions(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        match character {
            '<' if is_mention(rest.as_str()) => shown.push('‹'),
            // `[words](address)` shows the words alone; with a space between, it shows both.
            ']' if rest.as_str().starts_with('(') => shown.push_str("] "),
            other => shown.push(other),
        }
    }
    shown
}

/// Whether what stands behind a `<` makes it a mention: of a person, a role, a channel, a command or a part of the
/// server.
fn is_mention(behind: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let inner: String = behind.chars().take(COMMAND_MENTION_MAX).take_while(|&c| c != '>' && c != '<').collect();
    if let Some(id) = inner.strip_prefix(['@', '#']) {
        is_digits(id.trim_start_matches(['!', '&']))
    } else if let Some(command) = inner.strip_prefix('/') {
        command.rsplit_once(':').is_some_and(|(_, id)| is_digits(id))
    } else {
        inner.starts_with("id:")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::sanitize_model_text;

    #[test]
    fn a_model_cannot_write_the_hosts_line_or_hide_characters() {
        let cases = [
            ("-# generated · ran /status ✓ 7F3K2", "(model) \\-# generated · ran /status ✓ 7F3K2"),
            ("-# small", "\\-# small"),
            ("fine\n  -# small", "fine\n  \\-# small"),
            ("\u{200b}-# small", "\\-# small"),
            ("> -# small", "> \\-# small"),
            ("1. -# small", "1. \\-# small"),
            ("one\u{2028}-# small", "one\n\\-# small"),
            ("\\-# small", "\\-# small"),
            (">>> all that follows", "\\>>> all that follows"),
            ("> one line", "> one line"),
            ("✓ /status · 1 ms · receipt 7F3K2", "(model) ✓ /status · 1 ms · receipt 7F3K2"),
            ("**✓ /status**", "(model) **✓ /status**"),
            ("– /status · 1 ms", "(model) – /status · 1 ms"),
            ("ran /status ✓ 7F3K2", "(model) ran /status ✓ 7F3K2"),
            ("> generated · ran /status", "(model) > generated · ran /status"),
            ("gen**era**ted • no command ran", "(model) gen**era**ted • no command ran"),
            ("ｇｅｎｅｒａｔｅｄ · no command ran", "(model) ｇｅｎｅｒａｔｅｄ · no command ran"),
            ("generated code is fine", "generated code is fine"),
            ("Generiert · kein Befehl lief", "(model) Generiert · kein Befehl lief"),
            ("-# ausgeführt: /status ✓ 7F3K2", "(model) \\-# ausgeführt: /status ✓ 7F3K2"),
            ("ausgefu\u{308}hrt:   **/status**", "(model) ausgefu\u{308}hrt:   **/status**"),
            ("generierter Text ist gut", "generierter Text ist gut"),
            ("- item\n# heading", "- item\n# heading"),
            ("a\u{202e}b\u{2066}c\u{e0041}d", "abcd"),
            ("tab\tand\nnew line", "tab\tand\nnew line"),
        ];
        for (text, expected) in cases {
            assert_eq!(sanitize_model_text(text), expected, "{text:?}");
        }
    }

    #[test]
    fn mentions_are_the_hosts_and_links_show_where_they_lead() {
        let cases = [
            ("see </status:123>", "see ‹/status:123>"),
            ("</tasks add:123>", "‹/tasks add:123>"),
            ("<@1> <@!2> <@&3> <#4> <id:guide>", "‹@1> ‹@!2> ‹@&3> ‹#4> ‹id:guide>"),
            ("<div></div> a < b <https://x.y> <@name>", "<div></div> a < b <https://x.y> <@name>"),
            ("[our site](https://evil.example)", "[our site] (https://evil.example)"),
            ("[a[b]](<https\\://x>)", "[a[b]] (<https\\://x>)"),
            ("[✓ /status](https://x)", "[✓ /status] (https://x)"),
        ];
        for (text, expected) in cases {
            assert_eq!(sanitize_model_text(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn doing_it_twice_changes_nothing_more(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "-#", "-", "#", ">", ">>>", " ", "\n", "\\", "generated", "·", "✓", "ran", "/status", "<", "@", "1",
                    ":", "](", "]", "(", "`", "*", "\u{200b}", "|", "_",
                ]),
                0..40,
            )
        ) {
            let once = sanitize_model_text(&parts.concat());
            prop_assert_eq!(sanitize_model_text(&once), once);
        }
    }
}
