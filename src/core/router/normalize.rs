//! Finds the first visible character of a message, and whether it stands plainly there.
//!
//! Several things are stripped from the front, repeatedly and in any order: mentions, timestamps, custom emoji, white
//! space, invisible characters, whole quoted lines, Discord's markdown, escaping backslashes, and quotation marks. The
//! first character left decides. A message of only quoted lines is decided by the quoted text.
//!
//! Marks that Discord shows as text are text. `~` and `|` count in pairs only. A lone `*`, `_` or `[` counts only if a
//! later character may close it. `#`, `-` and numbers count only before white space. Stripping too much is safe: it
//! only refuses more messages, because a command runs only with white space and mentions of the bot in front.
//!
//! Chat text is passed on whole, quoted lines included, without the leading mention of the bot.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use crate::inbound::UserId;
use crate::record::NotPlain;
use crate::router::front::{Ends, Front};
use crate::text::is_invisible;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum FirstWords<'a> {
    Empty,
    /// A plain slash, with the text after it.
    Plain(&'a str),
    /// The first visible character reads as a slash but is not plain. Holds the text after it and the reason.
    NotPlain(Cow<'a, str>, NotPlain),
    /// Chat text, without the leading mention of the bot.
    Words(&'a str),
}

/// Reads a message. Takes time linear in the length of the text, and constant time for a message that begins with a
/// slash or an ASCII letter.
pub(super) fn read(text: &str, bot: UserId) -> FirstWords<'_> {
    let rest = without_mentions(text, bot, char::is_whitespace);
    if let Some(behind) = rest.strip_prefix('/') {
        return FirstWords::Plain(behind);
    }
    if rest.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return FirstWords::Words(rest.trim_end());
    }
    let before = text.strip_suffix(rest).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    let starts_line = before.nfkd().all(|character| character == ' ');
    let first =
        first_shown(rest, starts_line, Quoted::Dropped).or_else(|| first_shown(rest, starts_line, Quoted::Read));
    if let Some(First::Slash(behind, why)) = first {
        return FirstWords::NotPlain(behind, why);
    }
    match without_mentions(text, bot, |first| first.is_whitespace() || is_invisible(first)).trim_end() {
        "" => FirstWords::Empty,
        words => FirstWords::Words(words),
    }
}

/// Returns the text after the slash of a separate line, and the reason if it is not plain. Mentions, emoji, marks of
/// lists and headings may precede the slash, and so may a plain-text mention with blanks (`@Two Words`). Quoted,
/// escaped and code text is skipped, because it is talked about.
pub(super) fn behind_slash_of_line(line: &str, bot: UserId) -> Option<(&str, Option<NotPlain>)> {
    let line = without_mentions(line, bot, char::is_whitespace);
    if let Some(behind) = line.strip_prefix('/') {
        return Some((behind, None));
    }
    let mut front = Front::new(line);
    let mut why = None;
    while let Some(character) = front.peek() {
        let stripped = match character {
            space if space.is_whitespace() => {
                front.advance();
                continue;
            }
            '/' => {
                let behind = front.behind();
                // Only a real slash, not a character that decomposes to one.
                let is_plain = line.strip_suffix(behind).is_some_and(|before| before.ends_with('/'));
                return is_plain.then_some((behind, why));
            }
            '#' | '-' | '0'..='9' => front.skip_line_mark().then_some(NotPlain::Formatted),
            '<' => front.skip_pill().then_some(NotPlain::Mention),
            '@' => {
                if let Some(behind) = behind_spaced_name(front.behind()) {
                    return Some((behind, why.or(Some(NotPlain::Mention))));
                }
                front.skip_at_name().then_some(NotPlain::Mention)
            }
            _ => None,
        };
        why = why.or(Some(stripped?));
    }
    None
}

/// Returns the text after ` /` that follows a name with blanks.
fn behind_spaced_name(text: &str) -> Option<&str> {
    let (name, behind) = text.split_once(" /")?;
    (name.contains(' ') && name.chars().count() <= DISPLAY_NAME_MAX).then_some(behind)
}

/// The longest name that Discord shows, in characters.
const DISPLAY_NAME_MAX: usize = 32;

/// Returns a command's name for look-up: without invisible characters, composed (NFC).
pub(super) fn name(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_graphic()) {
        return word.into();
    }
    word.chars().filter(|&character| !is_invisible(character)).nfc().collect::<String>().into()
}

/// Cuts the closing marks from a word of text that is not plain: `` status` `` is `status`.
pub(super) fn before_marks(word: &str) -> &str {
    let closes = |c: char| matches!(c, '*' | '~' | '`' | '|' | ']' | '>' | '\\') || is_quotation_mark(c) && c != '\'';
    // Names may hold `_` and `'`, so these two close at the end only.
    word.split(closes).next().unwrap_or_default().trim_end_matches(['_', '\''])
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoted {
    Dropped,
    Read,
}

enum First<'a> {
    /// A character that reads as a slash. Holds the text after it, and why it is not plain.
    Slash(Cow<'a, str>, NotPlain),
    Other,
}

/// Returns the first visible character after stripping; `None` if nothing is left. The text must not begin with a plain
/// slash. `starts_line` says whether a quote may begin there.
fn first_shown(text: &str, mut starts_line: bool, quoted: Quoted) -> Option<First<'_>> {
    let mut front = Front::new(text);
    let mut ends = None;
    // The first stripped part is the reason.
    let mut why = None;
    while let Some(character) = front.peek() {
        if is_slash(character) {
            let behind = front.behind().into();
            return Some(First::Slash(behind, why.unwrap_or(NotPlain::Lookalike)));
        }
        if character == '<'
            && let Some((name, behind)) = front.command_mention()
        {
            return Some(First::Slash(format!("{name}{behind}").into(), why.unwrap_or(NotPlain::Link)));
        }
        if character == '>' && starts_line && quoted == Quoted::Dropped && front.skip_quoted() {
            why = why.or(Some(NotPlain::Below));
            continue;
        }
        starts_line = character == '\n' || (starts_line && character == ' ');
        let stripped = match character {
            space if space.is_whitespace() => {
                front.advance();
                continue;
            }
            '`' => {
                if 3 <= front.skip_run('`') {
                    starts_line = front.skip_language();
                }
                Some(NotPlain::Code)
            }
            '*' | '_' => {
                let is_closed = ends.get_or_insert_with(|| Ends::of(&front)).has(character, &front);
                let is_mark = 2 <= front.skip_run(character) || is_closed || (character == '*' && front.is_at_space());
                is_mark.then_some(NotPlain::Formatted)
            }
            '~' | '|' => front.skip_run(character).is_multiple_of(2).then_some(NotPlain::Formatted),
            '#' | '-' | '0'..='9' => front.skip_line_mark().then_some(NotPlain::Formatted),
            '<' => front.skip_pill().then_some(NotPlain::Mention),
            '@' => front.skip_at_name().then_some(NotPlain::Mention),
            '[' => {
                let is_link = ends.get_or_insert_with(|| Ends::of(&front)).has('[', &front);
                front.advance();
                is_link.then_some(NotPlain::Link)
            }
            _ => {
                front.advance();
                match character {
                    '>' => Some(NotPlain::Quote),
                    '\\' => Some(NotPlain::Backslash),
                    mark if is_quotation_mark(mark) => Some(NotPlain::QuotationMarks),
                    unseen if shows_nothing(unseen) => Some(NotPlain::Hidden),
                    _ => None,
                }
            }
        };
        if stripped.is_none() {
            return Some(First::Other);
        }
        why = why.or(stripped);
    }
    None
}

/// Returns whether a character reads as a slash at the front of a message. The full-width slash is missing here because
/// it decomposes to the ASCII one.
///
/// Characters that words begin with in languages written today are excluded deliberately: the katakana U+30CE, the
/// ideograph U+4E3F, and the characters that normalize to them (U+FF89, U+2F03). Combining overlays are included:
/// without a base character they show as a slash, as does `≯` (U+226F) once decomposed.
fn is_slash(character: char) -> bool {
    matches!(
        character,
        '/' | '\u{337}' // combining short solidus overlay
            | '\u{338}' // combining long solidus overlay
            | '\u{1735}' // Philippine single punctuation
            | '\u{2041}' // caret insertion point
            | '\u{2044}' // fraction slash
            | '\u{20eb}' // combining long double solidus overlay
            | '\u{2215}' // division slash
            | '\u{2571}' // box drawings light diagonal
            | '\u{27cb}' // mathematical rising diagonal
            | '\u{29f6}' // solidus with overbar
            | '\u{29f8}' // big solidus
            | '\u{2afb}' // triple solidus binary relation
            | '\u{2afd}' // double solidus operator
            | '\u{2cc6}' // Coptic capital letter old Coptic esh
            | '\u{2cc7}' // its small letter
            | '\u{2e4a}' // dotted solidus
            | '\u{3033}' // vertical kana repeat mark upper half
            | '\u{31d3}' // CJK stroke SP
            | '\u{1d23a}' // Greek instrumental notation symbol 47
            | '\u{1f67c}' // very heavy solidus
    )
}

/// Unicode's property Quotation_Mark.
fn is_quotation_mark(character: char) -> bool {
    matches!(character,
        '"' | '\'' | '\u{ab}' | '\u{bb}' | '\u{2018}'..='\u{201f}' | '\u{2039}' | '\u{203a}' | '\u{2e42}'
        | '\u{300c}'..='\u{300f}' | '\u{301d}'..='\u{301f}' | '\u{fe41}'..='\u{fe44}' | '\u{ff02}' | '\u{ff07}'
        | '\u{ff62}' | '\u{ff63}')
}

/// Returns whether a character at the front is invisible. A combining mark without a base character must not hide the
/// slash after it.
fn shows_nothing(character: char) -> bool {
    let combines = |category| matches!(category, GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark);
    is_invisible(character) || combines(character.general_category())
}

/// Strips leading mentions of the bot, and the characters around them for which `shows_nothing` holds.
fn without_mentions(text: &str, bot: UserId, shows_nothing: impl Fn(char) -> bool) -> &str {
    let mut words = text;
    loop {
        words = words.trim_start_matches(&shows_nothing);
        match behind_mention(words, bot) {
            Some(behind) => words = behind,
            None => return words,
        }
    }
}

fn behind_mention(text: &str, bot: UserId) -> Option<&str> {
    let inside = text.strip_prefix("<@")?;
    let (id, behind) = inside.strip_prefix('!').unwrap_or(inside).split_once('>')?;
    (id == bot.0.to_string()).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::{FirstWords, before_marks, name, read};
    use crate::inbound::UserId;
    use crate::record::NotPlain;

    const BOT: UserId = UserId(42);

    #[test]
    fn everything_behind_the_slash_is_its_text() {
        let plain = [
            ("/status", "status"),
            ("/status cpu ", "status cpu "),
            ("//status", "/status"),
            ("/ x", " x"),
            ("/", ""),
            (" <@42>\n/status*", "status*"),
        ];
        for (text, behind) in plain {
            assert_eq!(read(text, BOT), FirstWords::Plain(behind), "{text:?}");
        }
        let not_plain = [
            ("`/status cpu`", "status cpu`", NotPlain::Code),
            ("／status", "status", NotPlain::Lookalike),
            ("</tasks add:123> x", "tasks add x", NotPlain::Link),
            ("> /a\n> /b", "a\n> /b", NotPlain::Quote),
        ];
        for (text, behind, why) in not_plain {
            assert_eq!(read(text, BOT), FirstWords::NotPlain(behind.into(), why), "{text:?}");
        }
    }

    #[test]
    fn words_lose_the_mention_of_the_bot_and_nothing_else() {
        let cases = [
            ("hello ", "hello"),
            ("<@42> see /home/x", "see /home/x"),
            ("\u{200b}<@!42>, hello /x", ", hello /x"),
            ("<@42> <@43> hello <@42>", "<@43> hello <@42>"),
        ];
        for (text, words) in cases {
            assert_eq!(read(text, BOT), FirstWords::Words(words), "{text:?}");
        }
    }

    #[test]
    fn a_name_is_looked_up_without_what_it_hides() {
        let cases = [("status", "status"), ("sta\u{200b}tus\u{fe0f}", "status"), ("gro\u{308}ße", "größe"), ("İ", "İ")];
        for (word, looked_up) in cases {
            assert_eq!(name(word), looked_up);
        }
    }

    #[test]
    fn a_name_ends_before_the_marks_that_close_behind_it() {
        let cases = [
            ("status**", "status"),
            ("status_", "status"),
            ("status'", "status"),
            ("status](https://example.org)", "status"),
            ("it's_so-", "it's_so-"),
            ("home/x", "home/x"),
            ("`", ""),
        ];
        for (word, expected) in cases {
            assert_eq!(before_marks(word), expected);
        }
    }

    /// With quadratic reading these would take hours instead of milliseconds.
    #[test]
    fn reading_is_linear() {
        let long = |piece: &str| piece.repeat(100_000);
        let fronts = [
            "**", "*_", "`", ">", "> a\n", "<@43> ", "\u{200b}", "\u{301}", "``` ", "\"", "\\", "\u{a8}", "~~", "- ",
            "1. ", "# ", "[", "@a ", "<t:1>", "<@42> > ",
        ];
        for front in fronts {
            let text = format!("{}/status{}](", long(front), long("_*"));
            assert!(matches!(read(&text, BOT), FirstWords::NotPlain(..)), "{front:?}");
        }
        for front in ["</", "```a", "<@", "<@4", "<@42> <", ">>> ", "<:", "1", "[]", "_ *", "-#", "@"] {
            assert!(matches!(read(&long(front), BOT), FirstWords::Words(_)), "{front:?}");
        }
        assert!(matches!(read(&format!("{}/status", long("<@42> ")), BOT), FirstWords::Plain("status")));
    }
}
