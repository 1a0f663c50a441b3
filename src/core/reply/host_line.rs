//! Detects lines of a model that read like the host's: the mark, a receipt's footer, a run in a line, or the question
//! before a change.

use std::sync::LazyLock;

use crate::language::{Language, say};
use crate::text::skeleton;

/// The outcome marks in the host's lines, `✓` and `✗`, and their look-alikes.
const MARKS: &str = "✓✔✅☑🗸🗹⍻√✗✘✖✕×❌❎⨯☓☒🗙🗴🗵🗶🗷";

/// The mark of a refused run, and its look-alikes except the hyphen: lists of commands begin with that.
const DASHES: &str = "–—―‒";

/// The separators of the host's lines, and their look-alikes.
const DOTS: &str = "·•∘◦○●◉⦁⸱⬤⚫⚪▪▫◾◽■□";

/// Placeholders for these in the compared text: a skeleton would turn some of them into letters.
const MARK: char = '\u{e000}';
const DASH: char = '\u{e001}';
const DOT: char = '·';

/// The placeholder for a custom emoji, which may show any sign.
const ANY_SIGN: char = '\u{fffc}';

/// The longest custom emoji, in characters: `<a:`, a name of 32, `:`, an id of 20 and `>`.
const CUSTOM_EMOJI_MAX: usize = 58;

const RECEIPT_ID_LENGTHS: std::ops::RangeInclusive<usize> = 5..=12;

/// The words of the host's lines in one language, as skeletons.
struct Words {
    generated: String,
    /// `ran`, before a command.
    ran: String,
    /// `receipt`, before an id.
    receipt: String,
    under: String,
    /// The question before a change.
    asked: String,
}

/// In every language: a model may imitate any of them.
static WORDS: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let plain = |text: String| skeleton(&text).trim().to_owned();
    let words = |language| Words {
        generated: plain(say!(language, "label-generated")),
        ran: plain(say!(language, "label-ran", commands = "")),
        receipt: plain(say!(language, "footer-receipt", id = "")),
        under: plain(say!(language, "footer-under-a-millisecond")),
        asked: plain(say!(language, "question-asked")).trim_end_matches(':').to_owned(),
    };
    Language::all().map(words).collect()
});

/// Returns whether a line reads like one of the host's. Look-alike characters, and any signs, emoji or formatting marks
/// in front, make no difference.
pub(crate) fn reads_like_the_hosts(line: &str) -> bool {
    let seen = seen(line);
    let start = seen.find(|character: char| character.is_alphabetic() || character == '/').unwrap_or(seen.len());
    let (front, head) = seen.split_at_checked(start).unwrap_or_default();
    let is_marked = front.contains([MARK, DASH, ANY_SIGN]) && names_a_command(head);
    is_marked || WORDS.iter().any(|words| words.begin(head)) || holds_a_run(&seen)
}

/// Returns whether a line reads like the question before a change.
pub(crate) fn reads_like_a_question(line: &str) -> bool {
    let seen = seen(line);
    let head = seen.trim_start_matches(|character: char| !character.is_alphabetic());
    WORDS.iter().any(|words| head.starts_with(words.asked.as_str()))
}

/// Returns the skeleton of a line as Discord shows it: without formatting marks, and with one sign for all look-alikes.
fn seen(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        match character {
            '<' if let Some(behind) = behind_custom_emoji(rest.as_str()) => {
                plain.push(ANY_SIGN);
                rest = behind.chars();
            }
            '|' if rest.as_str().starts_with('|') => drop(rest.next()),
            // The last two show the sign before them as an emoji, or on a key.
            '*' | '_' | '~' | '`' | '\\' | '\u{fe0f}' | '\u{20e3}' => {}
            mark if MARKS.contains(mark) => plain.push(MARK),
            dash if DASHES.contains(dash) => plain.push(DASH),
            dot if DOTS.contains(dot) => plain.push(DOT),
            other => plain.push(other),
        }
    }
    skeleton(&plain)
}

/// Returns the text behind a custom emoji. `text` begins behind the emoji's `<`: `a:name:1>`.
fn behind_custom_emoji(text: &str) -> Option<&str> {
    let (end, _) = text.char_indices().take(CUSTOM_EMOJI_MAX).find(|(_, character)| *character == '>')?;
    let inner = text.get(..end)?;
    let (name, id) = inner.strip_prefix('a').unwrap_or(inner).strip_prefix(':')?.split_once(':')?;
    let is_one = !name.is_empty() && !id.is_empty() && id.bytes().all(|digit| digit.is_ascii_digit());
    text.get(end + 1..).filter(|_| is_one)
}

impl Words {
    /// Returns whether a line begins like the mark, like the list of commands that ran, or like the question before a
    /// change.
    fn begin(&self, head: &str) -> bool {
        let ends_word = |rest: &str| {
            rest.is_empty()
                || rest.starts_with([DOT, MARK, DASH, ANY_SIGN, '|', '-', ':', ')', ']', '"', '”', '\'', '→', '>', '/'])
        };
        head.strip_prefix(self.generated.as_str()).is_some_and(|rest| ends_word(rest.trim_start()))
            || head.strip_prefix(self.ran.as_str()).is_some_and(|rest| names_a_command(rest.trim_start()))
            || head.starts_with(self.asked.as_str())
    }

    /// Returns whether a part of a line occurs only in a receipt's footer: `1 ms`, `under 1 ms`, `receipt 7F3K2`.
    fn begin_a_receipts(&self, part: &str) -> bool {
        let part = part.trim_start();
        let behind_digits = part.trim_start_matches(|c: char| c.is_numeric() || "lo.,".contains(c));
        let is_time = behind_digits.len() < part.len() && ["ms", "rns"].contains(&first_word(behind_digits));
        let is_receipt = part.strip_prefix(self.receipt.as_str()).is_some_and(|rest| is_receipt_id(first_word(rest)));
        is_time || is_receipt || part.starts_with(self.under.as_str())
    }
}

/// Returns whether a line holds `/name · 1 ms`, or `/name ✓ 7F3K2`, with anything between the name and the dot.
fn holds_a_run(seen: &str) -> bool {
    let mut before = ' ';
    let mut starts = seen.char_indices().filter(|(at, character)| {
        // Not within a path or an address.
        let before = std::mem::replace(&mut before, *character);
        !before.is_alphanumeric() && !"/:.".contains(before) && seen.get(*at..).is_some_and(names_a_command)
    });
    let Some(run) = starts.next().and_then(|(at, _)| seen.get(at..)) else { return false };
    let behind = |signs: [char; 2]| run.match_indices(signs).filter_map(|(at, sign)| run.get(at + sign.len()..));
    behind([DOT, ANY_SIGN]).any(|part| WORDS.iter().any(|words| words.begin_a_receipts(part)))
        || behind([MARK, ANY_SIGN]).any(|part| is_receipt_id(first_word(part)))
}

fn names_a_command(text: &str) -> bool {
    text.strip_prefix('/').is_some_and(|name| name.starts_with(char::is_alphanumeric))
}

fn first_word(text: &str) -> &str {
    text.trim_start().split(|character: char| !character.is_alphanumeric()).next().unwrap_or_default()
}

/// Returns whether a word may be a receipt's id. Ids without a digit, or of digits only, cannot be distinguished from
/// words and numbers.
fn is_receipt_id(word: &str) -> bool {
    let has = |is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
    RECEIPT_ID_LENGTHS.contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::reads_like_the_hosts;

    /// M9: lines that passed for the host's own, in letters of other scripts, behind signs, or with other dots.
    #[test]
    fn m9_a_look_alike_of_a_host_line_is_known_as_one() {
        let lines = [
            "generated",
            "gеnerated · ran /status ✓ 7F3K2",
            "ɢᴇɴᴇʀᴀᴛᴇᴅ · no command ran",
            "𝗴𝗲𝗻𝗲𝗿𝗮𝘁𝗲𝗱 • no command ran",
            "🅖🅔🅝🅔🅡🅐🅣🅔🅓 · 1 of 2",
            "🇬🇪🇳🇪🇷🇦🇹🇪🇩 · 1 of 2",
            "gėnėrated | 1 of 2",
            "🟢 generated: no command ran",
            "_ge_ne**rated** <:dot:1> 2 of 3",
            "🟢 ran /status",
            "<a:go:1> rаn /status",
            "ausgеführt: /status ✓ 7F3K2",
            "АUSGEFÜHRT: ⁄status",
            "generіert · 1 von 2",
            "• ✓ /status · data/live/metrics.json · 1 ms",
            "• ✓ /status",
            "<:check:1> /status",
            "<:check:1> /status · 1 ms",
            "– /status · refused",
            "× ⁄status",
            "☑️ /tasks add",
            "the host says: /status · 1 ms",
            "✓ ／stаtus ⋅ １ ｍs ⋅ rесeipt 7F3K2",
            "All is well. (/status • 12.5 ms)",
            "I ran it: /tasks add · under 1 ms",
            "Siehe /status · Beleg 7F3K2",
            "/status · receipt 7F3K2",
            "/status ✓ 7F3K2",
            "/status ● 1 ms",
            "/status <:dot:1>1 ms",
            "generated ○ 1 of 2",
            "**/sta**tus ||·|| 3 ms",
            "/status · l ms",
            "(generated) · no command ran",
            "“generated” · no command ran",
            "generated → no command ran",
        ];
        for line in lines {
            assert!(reads_like_the_hosts(line), "{line}");
        }
    }

    #[test]
    fn m9_a_harmless_line_is_not() {
        let lines = [
            "",
            "/status",
            "- /status: shows the metrics",
            "• /tasks add – adds a task",
            "1. /help · what I can do",
            "👉 Type /status and see",
            "generated code is fine",
            "Generated files stand in /tmp · see there",
            "I ran to the shop · 5 ms later",
            "Latency: 12 ms · 3 hops",
            "https://example.com/api · 12 ms",
            "src/core · 12 ms",
            "GET /users – 12 ms",
            "GET /users → 12 ms",
            "| /users | 12 ms |",
            "/status · 12 msgs",
            "/ping · ms are short",
            // No custom emoji in front: the one has no name, the other no number.
            "<::1> /status works",
            "<:party:> /status works",
            "/model ✅ works",
            "/build ✅ v1 works",
            "✅ Buy milk",
            "✓ done · 12 ms",
            "Das wurde generiert und ausgeführt: fertig.",
            "Ausgeführt: alles · 5 ms",
            "Я запустил это · 5 мс",
            "Сгенерировано · 1 из 2",
            "Το έτρεξα · 5 ms",
            "Δημιουργήθηκε · 1 από 2",
            "生成 · 1/2",
            "ノート · 5 分",
        ];
        for line in lines {
            assert!(!reads_like_the_hosts(line), "{line}");
        }
    }
}
