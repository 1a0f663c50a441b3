//! Sanitizes model text, so that nothing in it can pass for the host's own words.

use crate::reply::host_line::reads_like_the_hosts;
use crate::reply::mention::{Mention, Mentionable};
use crate::text::{CodeRules, SegmentKind, is_invisible, seen, segments};

/// Characters that format the beginning of a line on Discord, or stand before its visible text.
const MARKS: &str = "*_~`|>#-+.)\\0123456789";

/// The longest prefix of an address that is searched for its scheme, in characters.
const SCHEME_MAX: usize = 12;

/// Makes a model's text harmless outside of code:
///
/// - removes invisible and direction-changing characters;
/// - escapes lines that would render as small text like the host's mark, and quotes that would include the mark;
/// - prefixes lines that read like a line of the host's;
/// - shows the targets of links;
/// - turns mentions of users, roles, channels and commands into plain words, such as `@7`, since only the host may make
///   them.
///
/// Code is not changed: Discord renders nothing there. Idempotent.
pub fn sanitize_model_text(text: &str) -> String {
    sanitized(text, MODEL, &Mentionable::default())
}

/// Like `sanitize_model_text`, for text of a module's program or MCP server.
pub fn sanitize_module_text(text: &str) -> String {
    sanitized(text, MODULE, &Mentionable::default())
}

/// Sanitizes a model's text, but leaves allowed mentions of people and channels.
pub(super) fn sanitize_with_mentions(text: &str, may_mention: &Mentionable) -> String {
    sanitized(text, MODEL, may_mention)
}

/// Sanitizes a text, and puts `author` before lines that read like the host's.
fn sanitized(text: &str, author: &'static str, may_mention: &Mentionable) -> String {
    let text = joined(text.trim());
    let mut shown = Shown { author, may_mention, text: String::new(), line: Vec::new() };
    let mut prose = String::new();
    for segment in segments(&text, CodeRules::Discord) {
        let part = text.get(segment.range).unwrap_or_default();
        if !stays_code(segment.kind, part) {
            prose.push_str(part);
            continue;
        }
        shown.prose(&std::mem::take(&mut prose));
        if segment.kind == SegmentKind::Inline {
            shown.code(part);
        } else {
            shown.end_line();
            shown.text.push_str(part);
        }
    }
    shown.prose(&prose);
    shown.end_line();
    shown.text.trim().to_owned()
}

/// Returns whether a part is left as it is. Clients differ in rendering inline code across line ends, so its further
/// lines must not read like the host's.
fn stays_code(kind: SegmentKind<'_>, part: &str) -> bool {
    let is_harmless = |line: &str| {
        let line = plain(line, &Mentionable::default());
        without_format(&line) == line && !reads_like_the_hosts(&line)
    };
    match kind {
        SegmentKind::Text => false,
        SegmentKind::Inline => part.split('\n').skip(1).all(is_harmless),
        SegmentKind::Fence { .. } => true,
    }
}

/// The sanitized text so far, and the current line.
struct Shown<'a> {
    /// The prefix of a line that reads like one of the host's.
    author: &'static str,
    may_mention: &'a Mentionable,
    text: String,
    line: Vec<Piece<'a>>,
}

enum Piece<'a> {
    Prose(String),
    /// Inline code with its marks.
    Code(&'a str),
    /// A further line of inline code.
    Continued(&'a str),
}

impl<'a> Shown<'a> {
    /// Adds text outside of code, which may have several lines.
    fn prose(&mut self, text: &str) {
        for (n, line) in visible(text).split('\n').enumerate() {
            if 0 < n {
                self.end_line();
                self.text.push('\n');
            }
            let plain = plain(line, self.may_mention);
            let is_first = self.line.is_empty();
            self.line.push(Piece::Prose(if is_first { without_format(&plain) } else { plain }));
        }
    }

    /// Adds inline code, which may span line ends.
    fn code(&mut self, code: &'a str) {
        for (n, line) in code.split('\n').enumerate() {
            if 0 < n {
                self.end_line();
                self.text.push('\n');
            }
            self.line.push(if n == 0 { Piece::Code(line) } else { Piece::Continued(line) });
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let read: String = line.iter().map(Piece::as_read).collect();
        // The author's mark stands in front, but not within code that began on a line above. A mark counts there, and
        // at the very beginning, because the next run may read as code a part that was not code before. Elsewhere it
        // does not count: a host-like line with those words behind it still reads like the host's.
        let before = line.iter().take_while(|piece| matches!(piece, Piece::Continued(_))).count();
        let from = |at| line.iter().skip(at).map(Piece::as_str).collect::<String>();
        let is_marked = || [0, before].into_iter().any(|at| from(at).starts_with(self.author));
        let marks = || reads_like_the_hosts(&read) && !is_marked();
        let marked = (before < line.len() && marks()).then_some(before);
        for (at, piece) in line.iter().enumerate() {
            if marked == Some(at) {
                self.text.push_str(self.author);
            }
            self.text.push_str(piece.as_str());
        }
    }
}

impl Piece<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Prose(text) => text,
            Self::Code(text) | Self::Continued(text) => text,
        }
    }

    /// Returns the text that a person reads. Code that is a whole host-like line does not count: it is shown as code.
    fn as_read(&self) -> &str {
        match self {
            Self::Code(text) if reads_like_the_hosts(text) => "",
            Self::Prose(_) | Self::Code(_) | Self::Continued(_) => self.as_str(),
        }
    }
}

/// The prefixes for authors other than the host.
const MODEL: &str = "(model) ";
const MODULE: &str = "(module) ";

/// Removes invisible characters behind a backtick or a backslash outside of code. Code is detected first, and removing
/// such a character later could create or end code. The removal may itself turn code into text, so it repeats until
/// nothing changes. A text made to change each time loses these characters inside code too.
fn joined(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..LOOKS_MAX {
        let next = joined_once(&text, stays_code);
        if next.len() == text.len() {
            return next;
        }
        text = next;
    }
    joined_once(&text, |_, _| false)
}

fn joined_once(text: &str, stays: impl Fn(SegmentKind<'_>, &str) -> bool) -> String {
    let mut joined = String::with_capacity(text.len());
    for segment in segments(text, CodeRules::Discord) {
        let part = text.get(segment.range).unwrap_or_default();
        if stays(segment.kind, part) {
            joined.push_str(part);
            continue;
        }
        for character in part.chars() {
            let is_unseen = character != '\n' && is_invisible(character);
            if !is_unseen || !joined.ends_with(['`', '\\']) {
                joined.push(character);
            }
        }
    }
    joined
}

/// The most passes over a text for code marks with an invisible character between them. Honest text needs one.
const LOOKS_MAX: usize = 4;

/// Removes hidden characters: می‌خواهم, 👩‍💻 and 1️⃣ stay whole.
fn visible(text: &str) -> String {
    let lines: String = text.chars().map(plain_line_end).filter(|&sign| sign != '\r').collect();
    let visible = seen(&lines).filter(|&(sign, is_hidden)| sign == '\n' || !is_hidden);
    visible.map(|(sign, _)| sign).collect()
}

/// Replaces Unicode's line and paragraph separators, which break lines on some screens only.
fn plain_line_end(character: char) -> char {
    if matches!(character, '\u{2028}' | '\u{2029}') { '\n' } else { character }
}

/// Escapes a line's beginning that would make it small text or a quote to the end.
fn without_format(line: &str) -> String {
    let shown = line.trim_start_matches(|mark: char| mark.is_whitespace() || MARKS.contains(mark));
    let lead = line.strip_suffix(shown).unwrap_or_default();
    format!("{}{shown}", with_backslashes(&with_backslashes(lead, "-#"), ">>>"))
}

/// Puts a backslash before every unescaped `mark`.
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

/// Writes mentions as plain words, and shows the target of every link whose text could hide it.
fn plain(line: &str, may_mention: &Mentionable) -> String {
    with_targets(&without_mentions(line, may_mention))
}

/// Writes every mention that is not allowed as plain words.
fn without_mentions(line: &str, may_mention: &Mentionable) -> String {
    let mut shown = String::with_capacity(line.len());
    // The positions of each `<` that a `>` may still close: the rest of a mention may be a part of another one.
    let mut open = Vec::new();
    for character in line.chars() {
        if character == '<' {
            open.push(shown.len());
        }
        shown.push(character);
        if character != '>' {
            continue;
        }
        let mention = open.pop().and_then(|at| Some((at, Mention::read(shown.get(at..)?)?.shown(may_mention))));
        match mention {
            Some((at, words)) => {
                shown.truncate(at);
                shown.push_str(&words);
            }
            // A mention never has a `>` within.
            None => open.clear(),
        }
    }
    shown
}

/// Puts a space into every link whose text could hide its target: `[text](address)` shows only the text, and with a
/// space between, it shows both.
fn with_targets(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        shown.push(character);
        if character == ']' && is_address(rest.as_str()) {
            shown.push(' ');
        }
    }
    shown
}

/// Returns whether the text after a `]` makes the text before it a link: an address in round brackets.
fn is_address(behind: &str) -> bool {
    let inside = behind
        .strip_prefix('(')
        .unwrap_or_default()
        .trim_start_matches(|sign: char| sign.is_whitespace() || sign == '<');
    let scheme: String = inside.chars().take(SCHEME_MAX).filter(|&sign| sign != '\\').collect();
    scheme.contains(':') && scheme.starts_with(|sign: char| sign.is_ascii_alphabetic())
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
            let ran = |commands| say!(language, "label-ran", commands = commands);
            let in_bold = "   **/status**";
            let lines = [
                format!("-# {generated} · {}", ran("/status ✓ 7F3K2")),
                format!("-# {}", ran("/status ✓ 7F3K2")),
                ran("/status ✓ 7F3K2"),
                ran(in_bold).nfd().collect(),
                format!("> {generated} · {}", ran("/status")),
                format!("**{generated}** • no command ran"),
                format!("{} · no command ran", wide(&generated)),
                format!("{} · no command ran", generated.to_uppercase()),
                say!(language, "question-asked"),
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
            ("é\u{200d}é -\u{200d}- 👩\u{200d}a b\u{200d}👩", "éé -- 👩a b👩"),
            ("a\u{fe0f}b \u{fe0f}c", "ab c"),
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
            ("see </status:123>", "see /status"),
            ("</tasks add:123>", "/tasks add"),
            ("<@1> <@!2> <@&3> <#4> <id:guide>", "@1 @2 @3 #4 id:guide"),
            ("<<@1>> <@<@1>2> <<#4>", "@1 <@@12> <#4"),
            ("</a</b:1>:5> <@1 <@", "/a/b <@1 <@"),
            ("-<#4> [a]<@1>(https://x)", "\\-#4 [a]@1(https://x)"),
            ("✓ </status:1> · 1 ms", "(model) ✓ /status · 1 ms"),
            ("<div></div> a < b <https://x.y> <@name>", "<div></div> a < b <https://x.y> <@name>"),
            ("handlers[name](event)", "handlers[name](event)"),
            ("[our site](https://evil.example)", "[our site] (https://evil.example)"),
            ("[a[b]](<https\\://x>)", "[a[b]] (<https\\://x>)"),
            ("[✓ /status](https://x)", "(model) [✓ /status] (https://x)"),
        ];
        for (text, expected) in cases {
            assert_eq!(sanitize_model_text(text), expected, "{text:?}");
        }
    }

    #[test]
    fn m9_code_in_a_line_hides_no_look_alike_and_stays_as_it_is() {
        let cases = [
            ("✓ `/status` · 1 ms", "(model) ✓ `/status` · 1 ms"),
            ("`gen`erated · no command ran", "(model) `gen`erated · no command ran"),
            ("```a```generated · no command ran", "```a```(model) generated · no command ran"),
            ("fine\n<:check:1> `/status` and\nmore", "fine\n(model) <:check:1> `/status` and\nmore"),
            ("a line like `✓ /status · 1 ms` is mine", "a line like `✓ /status · 1 ms` is mine"),
            ("`generated · ran /status`", "`generated · ran /status`"),
            ("(model) ran /status", "(model) ran /status"),
            ("generated · no command ran (model) ", "(model) generated · no command ran (model)"),
            ("generated-#(model) \u{200b}", "(model) generated-#(model)"),
            ("✓ /status (model) · 1 ms", "(model) ✓ /status (model) · 1 ms"),
        ];
        for (text, expected) in cases {
            assert_eq!(sanitize_model_text(text), expected, "{text:?}");
        }
    }

    #[test]
    fn m9_words_of_any_script_stay_byte_for_byte() {
        let texts = [
            "Die Datei wurde generiert. Ausgeführt habe ich nichts · siehe unten.",
            "Привет! Я ничего не запускал · напиши /status сам.",
            "Γεια σου! Δεν έτρεξα τίποτα · γράψε /status.",
            "こんにちは・ノートは/tasksにあります。",
            "مرحبا · لم يعمل شيء",
            "Ça va ? – Très bien · merci",
        ];
        for text in texts {
            assert_eq!(sanitize_model_text(text), text);
        }
    }

    #[test]
    fn marks_of_code_that_something_invisible_parts_are_read_as_they_will_stand() {
        let cases = [
            // A block that would end only where the model's last words begin.
            ("`\u{202e}``\na\n```-# generated · ran /status", "```\na\n```(model) \\-# generated · ran /status"),
            ("\\\u{200b}`<@1>`", "\\`@1`"),
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
            "```js\nconst JOINER = '\\\u{200d}';\r\n`\u{200b}`\n```",
            "`</status:1>\n[a](https://b) \u{200b}<@1>` is one piece",
        ];
        for text in cases {
            assert_eq!(sanitize_model_text(text), text, "{text:?}");
        }
        let long = format!("`{}` and so on", "[a](https://b) <@1> ".repeat(40));
        assert_eq!(sanitize_model_text(&long), long);
        let outside = "`a` <@1>\n-# b `c`\n```\nd";
        assert_eq!(sanitize_model_text(outside), "`a` @1\n\\-# b `c`\n```\nd");
        // Marks after a backslash are no code on Discord.
        assert_eq!(sanitize_model_text("\\`<@1> </status:1>\\`"), "\\`@1 /status\\`");
        assert_eq!(sanitize_model_text("\\```\n-# small\n\\```"), "\\```\n\\-# small\n\\```");
    }

    #[test]
    fn inline_code_over_a_line_end_hides_no_line_of_the_hosts() {
        let cases = [
            ("`a\n-# b`", "`a\n\\-# b`"),
            ("`a\ngenerated · ran /status\nb`", "`a\n(model) generated · ran /status\nb`"),
            ("`a\n✓ `/status · 1 ms", "`a\n✓ `(model) /status · 1 ms"),
            ("`a\nb` `c` <@1>", "`a\nb` `c` @1"),
        ];
        for (text, expected) in cases {
            assert_eq!(sanitize_model_text(text), expected, "{text:?}");
            assert_eq!(sanitize_model_text(expected), expected, "{text:?}");
        }
    }

    /// Pieces of what would be changed outside of code.
    const CHANGED: [&str; 16] = [
        "-#",
        ">>> ",
        "<@1>",
        "</status:1>",
        "[a](https://b)",
        "✓ /status",
        "generated",
        "\u{200b}",
        "\u{202e}",
        "👩\u{200d}💻",
        "\\\u{200d}",
        "\r",
        "\t",
        "é",
        " ",
        "word",
    ];

    proptest! {
        #[test]
        fn what_is_code_keeps_its_bytes(
            before in "[a-z .é#>*-]{0,12}",
            block in prop::collection::vec(
                prop::sample::select([&CHANGED[..], &["\n", "`", "`\u{200b}`"]].concat()),
                1..80,
            ),
            inline in prop::collection::vec(prop::sample::select(&CHANGED[..]), 1..80),
            after in "[a-z .é#>*-]{0,12}",
        ) {
            let block = block.concat();
            let inline = inline.concat();
            // The marks of a block end it.
            prop_assume!(!block.contains("```") && !block.ends_with('`') && !block.starts_with('`'));
            for code in [format!("```rs\n{block}\n```"), format!("```{block}```"), format!("`{inline}`")] {
                let shown = sanitize_model_text(&format!("x {before}{code}{after} y"));
                prop_assert!(shown.contains(&code), "{:?} is not in {:?}", code, shown);
            }
        }

        #[test]
        fn doing_it_twice_changes_nothing_more(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "-#", "-", "#", ">", ">>>", " ", "\n", "\\", "generated", "·", "✓", "ran", "/status", "<", "@", "1",
                    ">", "&", "id:", ":", "](", "]", "(", "`", "```", "*", "\u{200b}", "|", "_", "ms", "<:x:1>", "(model) ", "7F3K2",
                ]),
                0..40,
            )
        ) {
            let once = sanitize_model_text(&parts.concat());
            prop_assert_eq!(sanitize_model_text(&once), once);
        }
    }
}
