//! Sanitizes model text, so that nothing in it can pass for the host's own words.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;

use crate::language::{Language, say};
use crate::text::{CodeRules, SegmentKind, is_invisible, segments};

/// Characters that format the beginning of a line on Discord, or stand before its visible text.
const MARKS: &str = "*_~`|>#-+.)\\0123456789";

/// The characters of a line that are compared with the beginnings of the host's lines.
const HEAD_LENGTH: usize = 64;

/// The longest command mention, in characters: three names of 32 with spaces between them, and an id.
const COMMAND_MENTION_MAX: usize = 130;

/// The longest beginning of an address that is looked at for its scheme, in characters.
const SCHEME_MAX: usize = 12;

/// The first character of a receipt's line, and its look-alikes.
const CHECK_MARKS: [char; 12] = ['✓', '✗', '✔', '✅', '☑', '✘', '✖', '❌', '❎', '🗸', '🗹', '√'];

/// The separator in the host's lines, and its look-alikes.
const DOTS: [char; 12] = ['·', '•', '‧', '∙', '⋅', '・', '●', '|', '–', '—', '-', ':'];

/// Makes a model's text harmless outside of code: removes invisible and direction-changing characters; escapes lines
/// that would render as small text like the host's label, and quotes that would include the label; prefixes lines that
/// read like a receipt or the label; shows where links lead; and breaks mentions of users, channels and commands, which
/// only the host may make. Inside code nothing is changed: Discord renders nothing there. Idempotent.
pub fn sanitize_model_text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut prose = String::new();
    for segment in segments(text.trim(), CodeRules::Discord) {
        let part = text.trim().get(segment.range).unwrap_or_default();
        let is_code = match segment.kind {
            SegmentKind::Text => false,
            // Where a message ends within it, the next one begins outside of code.
            SegmentKind::Inline => !part.contains('\n') && part.len() <= INLINE_MAX,
            SegmentKind::Fence { .. } => true,
        };
        match is_code {
            true => {
                shown.push_str(&harmless_text(&prose, &shown));
                prose.clear();
                shown.push_str(part);
            }
            false => prose.push_str(part),
        }
    }
    shown.push_str(&harmless_text(&prose, &shown));
    shown.trim().to_owned()
}

/// Text outside of code, which follows `before`. What follows code on its line is not the beginning of a line.
fn harmless_text(text: &str, before: &str) -> String {
    let visible = visible(text);
    let mut lines: Vec<String> = Vec::new();
    for (n, line) in visible.split('\n').enumerate() {
        let goes_on = n == 0 && !before.is_empty() && !before.ends_with('\n');
        lines.push(if goes_on { without_mentions(line) } else { harmless(line) });
    }
    lines.join("\n")
}

/// The text without invisible characters, except those that join signs: 👩‍💻 and 1️⃣ stay whole.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut signs = text.chars().map(plain_line_end).filter(|&sign| sign != '\r').peekable();
    let mut before: Option<char> = None;
    while let Some(sign) = signs.next() {
        let is_sign = |sign: Option<char>| sign.is_some_and(|sign| !sign.is_ascii() && !sign.is_alphanumeric());
        let joins = match sign {
            JOINER => is_sign(before) && is_sign(signs.peek().copied()),
            EMOJI_STYLE => before.is_some_and(|before| !before.is_alphabetic() && !before.is_whitespace()),
            _ => false,
        };
        if joins || sign == '\n' || !is_invisible(sign) {
            shown.push(sign);
            before = Some(sign);
        }
    }
    shown
}

/// The longest inline code that is left alone, in bytes: a longer one may be cut where a message ends.
const INLINE_MAX: usize = 300;

/// U+200D joins emoji, and U+FE0F shows the sign before it as one.
const JOINER: char = '\u{200d}';
const EMOJI_STYLE: char = '\u{fe0f}';

/// Replaces Unicode's line and paragraph separators, which break lines on some screens only.
fn plain_line_end(character: char) -> char {
    if matches!(character, '\u{2028}' | '\u{2029}') { '\n' } else { character }
}

fn harmless(line: &str) -> String {
    let line = without_mentions(line);
    let shown = line.trim_start_matches(|mark: char| mark.is_whitespace() || MARKS.contains(mark));
    let lead = line.strip_suffix(shown).unwrap_or_default();
    let line = format!("{}{shown}", with_backslashes(&with_backslashes(lead, "-#"), ">>>"));
    if is_like_the_hosts(shown) { format!("(model) {line}") } else { line }
}

/// The text with a backslash before every unescaped `mark`.
fn with_backslashes(text: &str, mark: &str) -> String {
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

/// The first words of the host's labels in every language: a model may imitate any of them.
static LABELS: LazyLock<Vec<LabelWords>> = LazyLock::new(|| {
    let plain = |text: String| text.nfkc().flat_map(char::to_lowercase).collect::<String>();
    let words = |language| LabelWords {
        generated: plain(say!(language, "label-generated")),
        ran: plain(say!(language, "label-ran", commands = "")).trim().to_owned(),
    };
    Language::all().map(words).collect()
});

struct LabelWords {
    /// `generated`, followed by a dot.
    generated: String,
    /// `ran`, followed by a command.
    ran: String,
}

/// Whether a line reads like a receipt or label, regardless of its letters' and marks' form.
fn is_like_the_hosts(shown: &str) -> bool {
    let letters = shown.chars().filter(|&c| !"*_~`|\\".contains(c) || DOTS.contains(&c)).take(HEAD_LENGTH);
    let head: String = letters.nfkc().flat_map(char::to_lowercase).collect();
    let is_behind = |word: &str, marks: &[char]| {
        let behind = head.strip_prefix(word).map(|rest| rest.trim_start().trim_start_matches('|'));
        behind.is_some_and(|rest| rest.trim_start().starts_with(marks))
    };
    let behind_check = head.strip_prefix(CHECK_MARKS).map(|rest| rest.trim_start_matches(['\u{fe0f}', ' ', '|']));
    behind_check.is_some_and(|rest| rest.starts_with('/'))
        || LABELS.iter().any(|label| is_behind(&label.generated, &DOTS) || is_behind(&label.ran, &['/']))
        || ["–", "—"].iter().any(|dash| is_behind(dash, &['/']))
}

/// The line with every mention broken, and every link whose text could hide its target.
fn without_mentions(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        match character {
            '<' if is_mention(rest.as_str()) => shown.push('‹'),
            // `[text](address)` shows only the text; with a space between, it shows both.
            ']' if is_address(rest.as_str()) => shown.push_str("] "),
            other => shown.push(other),
        }
    }
    shown
}

/// Whether the text after a `]` makes what is before it a link: an address in round brackets.
fn is_address(behind: &str) -> bool {
    let inside = behind
        .strip_prefix('(')
        .unwrap_or_default()
        .trim_start_matches(|sign: char| sign.is_whitespace() || sign == '<');
    let scheme: String = inside.chars().take(SCHEME_MAX).filter(|&sign| sign != '\\').collect();
    scheme.contains(':') && scheme.starts_with(|sign: char| sign.is_ascii_alphabetic())
}

/// Whether the text after a `<` makes it a mention: of a user, role, channel, command or guild navigation.
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

    use unicode_normalization::UnicodeNormalization as _;

    use super::sanitize_model_text;
    use crate::language::{Language, say};

    #[test]
    fn no_spelling_of_the_hosts_labels_passes_for_the_hosts_in_any_language() {
        let wide = |word: &str| word.chars().map(wide).collect::<String>();
        for language in Language::all() {
            let generated = say!(language, "label-generated");
            let (ran, in_bold) = (|commands| say!(language, "label-ran", commands = commands), "   **/status**");
            let lines = [
                format!("-# {generated} · {}", ran("/status ✓ 7F3K2")),
                format!("-# {}", ran("/status ✓ 7F3K2")),
                ran("/status ✓ 7F3K2"),
                ran(in_bold).nfd().collect(),
                format!("> {generated} · {}", ran("/status")),
                format!("**{generated}** • no command ran"),
                format!("{} · no command ran", wide(&generated)),
                format!("{} · no command ran", generated.to_uppercase()),
            ];
            for line in lines {
                let expected = format!("(model) {}", line.replace("-#", "\\-#"));
                assert_eq!(sanitize_model_text(&line), expected, "{language}");
            }
            for harmless in [format!("{generated} code is fine"), ran("without a slash")] {
                assert_eq!(sanitize_model_text(&harmless), harmless, "{language}");
            }
        }
    }

    /// The letter as wide as a Chinese one, if there is such a one.
    fn wide(letter: char) -> char {
        match letter {
            '!'..='~' => char::from_u32(u32::from(letter) + 0xfee0).unwrap(),
            other => other,
        }
    }

    #[test]
    fn a_model_cannot_write_a_receipts_line_or_hide_characters() {
        let cases = [
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
            ("- item\n# heading", "- item\n# heading"),
            ("a\u{202e}b\u{2066}c\u{e0041}d", "abcd"),
            ("tab\tand\nnew line", "tab\tand\nnew line"),
            ("✅ Buy milk", "✅ Buy milk"),
            (
                "👩\u{200d}💻 🏳\u{fe0f}\u{200d}🌈 1\u{fe0f}\u{20e3} a\u{200d}b",
                "👩\u{200d}💻 🏳\u{fe0f}\u{200d}🌈 1\u{fe0f}\u{20e3} ab",
            ),
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
            ("handlers[name](event)", "handlers[name](event)"),
            ("[our site](https://evil.example)", "[our site] (https://evil.example)"),
            ("[a[b]](<https\\://x>)", "[a[b]] (<https\\://x>)"),
            ("[✓ /status](https://x)", "[✓ /status] (https://x)"),
        ];
        for (text, expected) in cases {
            assert_eq!(sanitize_model_text(text), expected, "{text:?}");
        }
    }

    #[test]
    fn inside_code_nothing_is_changed() {
        let cases = [
            "```\n-# small\n✓ /status · receipt\n>>> 2 + 2\n<@1> [a](https://b)\n👩\u{200d}💻\n```",
            "`[text](https://x.y)` and `</status:1>` and `-# small`",
            "see ```<@1>``` here",
            "```py\n>>> handlers[name](event)\n\n\n1\n```\nDone.",
        ];
        for text in cases {
            assert_eq!(sanitize_model_text(text), text, "{text:?}");
        }
        let outside = "`a` <@1>\n-# b `c`\n```\nd";
        assert_eq!(sanitize_model_text(outside), "`a` ‹@1>\n\\-# b `c`\n```\nd");
        // Marks after a backslash are no code on Discord.
        assert_eq!(sanitize_model_text("\\`<@1> </status:1>\\`"), "\\`‹@1> ‹/status:1>\\`");
        assert_eq!(sanitize_model_text("\\```\n-# small\n\\```"), "\\```\n\\-# small\n\\```");
        assert_eq!(sanitize_model_text("`a\n-# b`"), "`a\n\\-# b`");
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
