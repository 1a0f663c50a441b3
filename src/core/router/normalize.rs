//! Finds the first visible character of a message, as a person sees it.
//!
//! The following is stripped from the front, repeatedly and in any order: mentions, white space, invisible characters,
//! whole quoted lines, Discord's markdown for emphasis, code, spoilers, headings, lists and links, escaping
//! backslashes, and quotation marks. The first character left decides. A message of only quoted lines is decided by the
//! quoted text.
//!
//! Chat text is passed on whole, quoted lines included, without the leading mention of the bot. Slash text loses, at
//! its end, the marks that were opened before the slash.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use crate::inbound::UserId;
use crate::router::front::Front;
use crate::text::is_invisible;

/// The result of reading a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FirstWords<'a> {
    /// Nothing is visible.
    Empty,
    /// The first visible character reads as a slash; this is everything after it.
    Slash(Cow<'a, str>),
    /// Chat text, without the leading mention of the bot.
    Words(&'a str),
}

/// Reads a message. Takes time linear in the length of the stripped text, and constant time for a message that begins
/// with an ASCII letter, digit or slash.
pub(super) fn read(text: &str, bot: UserId) -> FirstWords<'_> {
    if let Some(behind) = text.strip_prefix('/') {
        return FirstWords::Slash(behind.into());
    }
    if text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return FirstWords::Words(text.trim_end());
    }
    let first = first_shown(text, Quoted::Dropped).or_else(|| first_shown(text, Quoted::Read));
    if let Some(First::Slash(behind)) = first {
        return FirstWords::Slash(behind);
    }
    match without_mentions(text, bot) {
        "" => FirstWords::Empty,
        words => FirstWords::Words(words),
    }
}

/// A command's name for look-up: without invisible characters, composed (NFC).
pub(super) fn name(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_graphic()) {
        return word.into();
    }
    word.chars().filter(|&character| !is_invisible(character)).nfc().collect::<String>().into()
}

/// What to do with quoted lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoted {
    Dropped,
    Read,
}

/// The first character after stripping.
enum First<'a> {
    /// It reads as a slash; this is the text after it.
    Slash(Cow<'a, str>),
    /// It does not.
    Other,
}

/// The first visible character after stripping; `None` if nothing is left.
fn first_shown(text: &str, quoted: Quoted) -> Option<First<'_>> {
    let mut front = Front::new(text);
    let mut opened = Opened::default();
    while let Some(character) = front.peek() {
        match character {
            _ if is_slash(character) => return Some(First::Slash(opened.close(front.behind()).into())),
            '<' => {
                if let Some((name, behind)) = front.command_mention() {
                    return Some(First::Slash(format!("{name}{}", opened.close(behind)).into()));
                }
                if !front.skip_mention() {
                    return Some(First::Other);
                }
            }
            '>' if quoted == Quoted::Dropped && front.skip_quoted() => {}
            '`' => {
                let run = front.skip_run('`');
                opened.add('`', run);
                if 3 <= run {
                    front.skip_language();
                }
            }
            _ if is_mark(character) => {
                opened.add(character, 1);
                front.advance();
            }
            _ if shows_nothing(character) => front.advance(),
            _ => return Some(First::Other),
        }
    }
    None
}

/// Whether a character reads as a slash at the front of a message. The full-width slash is missing here because it
/// decomposes to the ASCII one.
///
/// Characters that words begin with in languages written today are excluded deliberately: the katakana U+30CE, the
/// ideograph U+4E3F, and what normalizes to them (U+FF89, U+2F03). Combining overlays are included: with nothing under
/// them they show as a slash, as does `≯` (U+226F) once decomposed.
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
            | '\u{2e4a}' // dotted solidus
            | '\u{3033}' // vertical kana repeat mark upper half
            | '\u{31d3}' // CJK stroke SP
            | '\u{1d23a}' // Greek instrumental notation symbol 47
            | '\u{1f67c}' // very heavy solidus
    )
}

/// Whether a character is one of Discord's markdown marks or a quotation mark. Some are marks only in certain
/// positions, but stripping too many can only refuse more messages, never let a slash through.
fn is_mark(character: char) -> bool {
    matches!(character, '*' | '_' | '~' | '`' | '|' | '#' | '-' | '>' | '[' | '\\') || is_quotation_mark(character)
}

/// Unicode's property Quotation_Mark.
fn is_quotation_mark(character: char) -> bool {
    matches!(character,
        '"' | '\'' | '\u{ab}' | '\u{bb}' | '\u{2018}'..='\u{201f}' | '\u{2039}' | '\u{203a}' | '\u{2e42}'
        | '\u{300c}'..='\u{300f}' | '\u{301d}'..='\u{301f}' | '\u{fe41}'..='\u{fe44}' | '\u{ff02}' | '\u{ff07}'
        | '\u{ff62}' | '\u{ff63}')
}

/// Whether a character at the front is invisible. A combining mark with nothing under it must not hide the slash after
/// it.
fn shows_nothing(character: char) -> bool {
    let combines = |category| matches!(category, GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark);
    character.is_whitespace() || is_invisible(character) || combines(character.general_category())
}

/// The number of marks of each kind opened before the slash.
#[derive(Default)]
struct Opened([usize; 6]);

impl Opened {
    fn add(&mut self, mark: char, times: usize) {
        if let Some(count) = self.count(mark) {
            *count += times;
        }
    }

    /// The text without trailing marks that close those opened: `` status` `` becomes `status`, but `title: "milk"`
    /// keeps its last quotation mark unless one was opened before the slash.
    fn close(mut self, text: &str) -> &str {
        if self.0 == [0; 6] {
            return text;
        }
        text.trim_end_matches(|last: char| {
            let closes = self.count(last).is_some_and(|count| {
                let was_open = 0 < *count;
                *count = count.saturating_sub(1);
                was_open
            });
            closes || last.is_whitespace() || is_invisible(last)
        })
    }

    /// The counter for a mark's kind. Any quotation mark closes any other; headings and lists are never closed.
    fn count(&mut self, mark: char) -> Option<&mut usize> {
        let [emphasis, underline, strike, code, spoiler, quotation] = &mut self.0;
        match mark {
            '*' => Some(emphasis),
            '_' => Some(underline),
            '~' => Some(strike),
            '`' => Some(code),
            '|' => Some(spoiler),
            _ => is_quotation_mark(mark).then_some(quotation),
        }
    }
}

/// The text without leading mentions of the bot, white space and invisible characters, and without trailing white
/// space.
fn without_mentions(text: &str, bot: UserId) -> &str {
    let mut words = text;
    loop {
        words = words.trim_start_matches(|first: char| first.is_whitespace() || is_invisible(first));
        match behind_mention(words, bot) {
            Some(behind) => words = behind,
            None => return words.trim_end(),
        }
    }
}

fn behind_mention(text: &str, bot: UserId) -> Option<&str> {
    let inside = text.strip_prefix("<@")?;
    let (id, behind) = inside.strip_prefix('!').unwrap_or(inside).split_once('>')?;
    (id.parse() == Ok(bot.0)).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::{FirstWords, name, read};
    use crate::inbound::UserId;

    const BOT: UserId = UserId(42);

    #[test]
    fn text_whose_first_visible_character_reads_as_a_slash_is_slash_text() {
        let cases = [
            ("/status", "status"),
            ("/status cpu ", "status cpu "),
            ("//status", "/status"),
            ("/ x", " x"),
            ("/", ""),
            (" \t\n/status", "status"),
            ("\u{200b}\u{feff}\u{202e}\u{ad}/status", "status"),
            ("\u{0}\u{7}/status", "status"),
            ("\u{301}\u{fe0f}\u{20dd}/status", "status"),
            ("／status", "status"),
            ("\u{2044}status", "status"),
            ("\u{338}status", "status"),
            ("<@42> /status", "status"),
            ("<@!42>/status", "status"),
            ("<@42> <@42>\n/status", "status"),
            ("`/status`", "status"),
            ("```\n/status\n```", "status"),
            ("```sh\n/status\n```", "status"),
            ("**/status** ", "status"),
            ("*__/status__*", "status"),
            ("||/status||", "status"),
            ("\"/status\"", "status"),
            ("“/status”", "status"),
            ("„/status“\u{200b}", "status"),
            ("「/status」", "status"),
            ("\"/tasks add title: \"milk\"\"", "tasks add title: \"milk\""),
            ("\u{200b}/tasks add title: \"milk\"", "tasks add title: \"milk\""),
            ("*/status cpu", "status cpu"),
            ("# /status", "status"),
            ("-# /status", "status"),
            ("- /status", "status"),
            (">/status", "status"),
            ("\\/status", "status"),
            ("[/status](https://example.org)", "status](https://example.org)"),
            ("</status:123> cpu", "status cpu"),
            ("</tasks add:123>", "tasks add"),
            ("**</status:123>**", "status"),
            ("> what is it\n/status", "status"),
            ("> one\n> two\n\n<@42> /status", "status"),
            ("<@42> > what is it\n/status", "status"),
            // Only a quotation: the quoted text decides.
            ("> /status", "status"),
            (">>> /status\nplease", "status\nplease"),
        ];
        for (text, behind) in cases {
            assert_eq!(read(text, BOT), FirstWords::Slash(behind.into()), "{text:?}");
        }
    }

    #[test]
    fn anything_else_is_words_without_the_mention() {
        let cases = [
            ("hello ", "hello"),
            ("1/2 of it", "1/2 of it"),
            ("½ of it", "½ of it"),
            ("what does `/status` do?", "what does `/status` do?"),
            ("<@42> see /home/x", "see /home/x"),
            ("\u{200b}<@!42>, hello /x", ", hello /x"),
            ("<@43> what of /status?", "<@43> what of /status?"),
            ("<@42 /status", "<@42 /status"),
            ("</div> closes it", "</div> closes it"),
            ("(/status)", "(/status)"),
            ("> /status\nwhat is this?", "> /status\nwhat is this?"),
            ("<@42> > /status\nwhat is this?", "> /status\nwhat is this?"),
            (">>> look\n/status", ">>> look\n/status"),
            ("**hello** /x", "**hello** /x"),
            ("```rust\nlet x = 1;\n```", "```rust\nlet x = 1;\n```"),
            ("¯\\_(ツ)_/¯", "¯\\_(ツ)_/¯"),
            ("ノート", "ノート"),
            ("丿", "丿"),
            ("***", "***"),
            ("≠ /x", "≠ /x"),
            (":/", ":/"),
        ];
        for (text, words) in cases {
            assert_eq!(read(text, BOT), FirstWords::Words(words), "{text:?}");
        }
    }

    #[test]
    fn nothing_visible_is_empty() {
        for text in ["", " \n", "\u{200b}\u{2800}\u{3164}", "<@42>", "<@42> <@!42>\u{200b}"] {
            assert_eq!(read(text, BOT), FirstWords::Empty, "{text:?}");
        }
    }

    #[test]
    fn a_name_is_looked_up_without_what_it_hides() {
        let cases = [("status", "status"), ("sta\u{200b}tus\u{fe0f}", "status"), ("gro\u{308}ße", "größe"), ("İ", "İ")];
        for (word, looked_up) in cases {
            assert_eq!(name(word), looked_up);
        }
    }

    /// With quadratic reading these would take hours instead of milliseconds.
    #[test]
    fn reading_is_linear() {
        let long = |piece: &str| piece.repeat(100_000);
        for front in ["*", "`", ">", "> a\n", "<@42> ", "\u{200b}", "\u{301}", "``` ", "\"", "\\", "\u{a8}"] {
            let text = format!("{}/status{}", long(front), long("*"));
            assert!(matches!(read(&text, BOT), FirstWords::Slash(_)), "{front:?}");
        }
        for front in ["</", "```a", "<@", "<@4", "<@42> <", ">>> "] {
            assert_ne!(read(&long(front), BOT), FirstWords::Empty, "{front:?}");
        }
    }
}
