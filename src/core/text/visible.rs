//! The appearance of untrusted text: shows all of it, finds control characters, and compares it in any script.

use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton as prototypes;

use crate::text::seen;

/// Removes control characters, and so escape sequences, from untrusted text before it is shown in a terminal. Tabs
/// stay.
pub fn printable(text: &str) -> String {
    text.chars().filter(|character| !character.is_control() || *character == '\t').collect()
}

/// Returns the first line end or other control character, which a line of plain text may not hold.
pub fn first_control(text: &str) -> Option<char> {
    text.chars().find(|character| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}'))
}

/// Writes every hidden character as an escape such as `\u{202e}`, and cuts the text after about `limit` UTF-16 units
/// with a note. So a person sees everything they approve, or how much is hidden.
pub fn visible(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    let mut used = 0;
    let mut rest = seen(text);
    while used < limit
        && let Some((character, is_hidden)) = rest.next()
    {
        if is_hidden {
            let escaped = character.escape_unicode();
            used += escaped.len();
            // Writing to a `String` cannot fail.
            let _written = write!(shown, "{escaped}");
        } else {
            used += character.len_utf16();
            shown.push(character);
        }
    }
    match rest.count() {
        0 => shown,
        left_out => format!("{shown}… (cut: {left_out} more characters)"),
    }
}

/// Removes hidden characters, and collapses each run of white space and line ends to a single space. All visible text
/// stays as written: markdown is [`escaped`](crate::text::escaped) where the text is shown.
pub fn visible_line(text: &str) -> String {
    let visible = seen(text).filter(|(character, is_hidden)| character.is_whitespace() || !is_hidden);
    let visible: String = visible.map(|(character, _)| character).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the skeleton of a text, only for comparison with other skeletons. Letters of other scripts become the Latin
/// ones they look like (Unicode Technical Standard 39). So do wide, circled, mathematical and small capital letters.
/// Case and accents are dropped. Other ASCII stays, so that real words remain distinct.
pub(crate) fn skeleton(text: &str) -> String {
    let plain: String = text.chars().map(letter_in_a_shape).nfkc().collect();
    let mut latin = String::with_capacity(plain.len());
    let mut buffer = [0; 4];
    for character in plain.chars() {
        match character {
            ascii if ascii.is_ascii() => latin.push(ascii),
            other => latin.extend(prototypes(other.encode_utf8(&mut buffer))),
        }
    }
    let small = latin.chars().flat_map(char::to_lowercase).map(small_capital);
    small.nfd().filter(|character| !is_combining_mark(*character)).collect()
}

/// Maps a letter in a circle, a square or a flag, which Unicode does not count as a letter.
fn letter_in_a_shape(character: char) -> char {
    let letter = |first: char| char::from_u32(u32::from(character) - u32::from(first) + u32::from('a'));
    let letter = match character {
        '\u{1f150}'..='\u{1f169}' => letter('\u{1f150}'),
        '\u{1f170}'..='\u{1f189}' => letter('\u{1f170}'),
        '\u{1f1e6}'..='\u{1f1ff}' => letter('\u{1f1e6}'),
        _ => None,
    };
    letter.unwrap_or(character)
}

/// Maps a small capital: the standard compares those only with each other.
fn small_capital(character: char) -> char {
    const SMALL_CAPITALS: &str = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ";
    let letters = SMALL_CAPITALS.chars().zip('a'..='z');
    let found = letters.filter(|_| !character.is_ascii()).find(|(capital, _)| *capital == character);
    found.map_or(character, |(_, letter)| letter)
}

#[cfg(test)]
mod visible_tests {
    use super::{first_control, printable, visible, visible_line};

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

    #[test]
    fn nothing_is_hidden_and_what_is_cut_is_counted() {
        let cases = [
            ("plain\ttext", "plain\ttext"),
            ("a\u{202e}b\n", "a\\u{202e}b\\u{a}"),
            ("0123456789012345678", "0123456789012345678"),
            ("01234567890123456789", "01234567890123456789"),
            ("01234567890123456789abc", "01234567890123456789… (cut: 3 more characters)"),
            ("می\u{200c}خ\u{200c}", "می\u{200c}خ\\u{200c}"),
            ("\u{e0041}\u{e0042}\u{e0043}", "\\u{e0041}\\u{e0042}\\u{e0043}"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text, 20), expected, "{text:?}");
        }
    }

    #[test]
    fn what_can_be_seen_stays_and_nothing_else() {
        let cases = [
            ("plain", "plain"),
            ("  two\r\n lines\tand\u{2028}more\u{85}\u{a0}", "two lines and more"),
            ("a\u{202e}b\u{200b}c\u{e0041}\u{1b}d", "abcd"),
            ("one \u{200b} space", "one space"),
            (" \u{200b}\n\u{202e}\0", ""),
            ("👩\u{200d}👧 🏳\u{fe0f}\u{200d}🌈", "👩\u{200d}👧 🏳\u{fe0f}\u{200d}🌈"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("s\u{200d}t\u{fe0f}a 👩\u{200d} \u{200d}👧\u{200d}\u{200d}é\u{200c}", "sta 👩 👧é"),
            ("ran /backup by hand", "ran /backup by hand"),
            ("✓ /status · receipt 7F3K2", "✓ /status · receipt 7F3K2"),
            ("-# [here](https://x.y/a_b) <@42> </status:1>", "-# [here](https://x.y/a_b) <@42> </status:1>"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible_line(text), expected, "{text:?}");
        }
    }
}

#[cfg(test)]
mod skeleton_tests {
    use super::skeleton;

    #[test]
    fn a_text_in_other_characters_looks_the_same() {
        let spellings = [
            "generated",
            "GENERATED",
            "gеnеrаtеd",
            "ｇｅｎｅｒａｔｅｄ",
            "ɢᴇɴᴇʀᴀᴛᴇᴅ",
            "𝗴𝗲𝗻𝗲𝗿𝗮𝘁𝗲𝗱",
            "𝔤𝔢𝔫𝔢𝔯𝔞𝔱𝔢𝔡",
            "ⓖⓔⓝⓔⓡⓐⓣⓔⓓ",
            "🅖🅔🅝🅔🅡🅐🅣🅔🅓",
            "🅶🅴🅽🅴🆁🅰🆃🅴🅳",
            "gėnérâtëd",
            "GЕNЕRАТЕD",
            "generaтed",
        ];
        for spelling in spellings {
            assert_eq!(skeleton(spelling), "generated", "{spelling}");
        }
        for dot in ["·", "•", "‧", "∙", "⋅", "・", "･"] {
            assert_eq!(skeleton(dot), "·", "{dot}");
        }
        for slash in ["/", "⁄", "∕", "⧸", "／", "╱"] {
            assert_eq!(skeleton(slash), "/", "{slash}");
        }
        // Digits and letters of ASCII are not confused with each other.
        assert_eq!(skeleton("I am 10 ms | l O"), "i am 10 ms | l o");
        assert_eq!(skeleton("ausgeführt"), "ausgefuhrt");
    }
}
