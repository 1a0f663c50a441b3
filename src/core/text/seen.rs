//! Invisible characters: those that a script or an emoji needs, and those that only hide something.

use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';
/// The flag that tags follow: 🏴󠁧󠁢󠁥󠁮󠁧󠁿.
const FLAG: char = '\u{1f3f4}';
const LAST_TAG: char = '\u{e007f}';
/// The combining class of signs that remove a vowel. Joiners after them shape the letter.
const VIRAMA: u8 = 9;

/// Returns whether a character is invisible and does not affect layout noticeably. Such characters are controls (except
/// tab), format characters such as zero-width ones and direction marks, tags, fillers, variation selectors and blank
/// signs. White space is treated separately: see [`char::is_whitespace`].
///
/// Beyond the general categories, the list is Unicode's Default_Ignorable_Code_Point plus signs with an empty glyph.
/// Visible format characters, such as the Arabic number signs, are Unicode's Prepended_Concatenation_Mark.
pub fn is_invisible(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control() && character != '\t';
    }
    let ignorable = matches!(character,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2065}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}');
    let blank = matches!(character, '\u{2800}' | '\u{13441}' | '\u{13442}' | '\u{1d159}');
    let shows = matches!(
        character,
        '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{110bd}' | '\u{110cd}'
    );
    let unseen = matches!(character.general_category(), GeneralCategory::Control | GeneralCategory::Format);
    ignorable || blank || (unseen && !shows)
}

/// Returns the characters of a text, each with whether it is hidden: invisible, and not needed by an adjacent
/// character. Persian, Indic scripts and emoji need joiners; Han, Mongolian and emoji need variation selectors; some
/// flags need tags.
pub fn seen(text: &str) -> impl Iterator<Item = (char, bool)> {
    Seen { rest: text, before: None, n_tags: 0 }
}

/// Removes the hidden characters.
pub fn without_hidden(text: &str) -> String {
    seen(text).filter(|(_, is_hidden)| !is_hidden).map(|(character, _)| character).collect()
}

struct Seen<'a> {
    rest: &'a str,
    /// The last character that is not hidden.
    before: Option<char>,
    /// The number of flag tags that still follow.
    n_tags: usize,
}

impl Iterator for Seen<'_> {
    type Item = (char, bool);

    fn next(&mut self) -> Option<Self::Item> {
        let mut rest = self.rest.chars();
        let character = rest.next()?;
        self.rest = rest.as_str();
        let is_hidden = is_invisible(character) && !self.needs(character);
        if !is_hidden {
            self.before = Some(character);
            self.n_tags = if character == FLAG { n_tags(self.rest) } else { self.n_tags.saturating_sub(1) };
        }
        Some((character, is_hidden))
    }
}

impl Seen<'_> {
    /// Returns whether an adjacent character needs this one.
    fn needs(&self, character: char) -> bool {
        let before = self.before.unwrap_or(' ');
        match character {
            NON_JOINER | JOINER => {
                let next = self.rest.chars().next().unwrap_or(' ');
                let joins_emoji = character == JOINER && (is_sign(before) || before == '\u{fe0f}') && is_sign(next);
                let joins_letter = character == JOINER && (is_cursive(before) || is_cursive(next));
                let joins = is_shaped(before) && is_shaped(next) || joins_emoji || joins_letter;
                canonical_combining_class(before) == VIRAMA || joins
            }
            '\u{fe0e}' | '\u{fe0f}' => has_emoji_style(before),
            '\u{fe00}'..='\u{fe0d}' => is_sign(before) || is_shaped(before) || is_han(before),
            '\u{e0100}'..='\u{e01ef}' => is_han(before),
            '\u{180b}'..='\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
            _ => 0 < self.n_tags,
        }
    }
}

/// Returns the number of tags that make the flag behind 🏴: three to six letters or digits, and the terminator.
fn n_tags(rest: &str) -> usize {
    let tags = rest.chars().take_while(|tag| matches!(tag, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}'));
    let n = tags.count();
    let is_flag = (3..=6).contains(&n) && rest.chars().nth(n) == Some(LAST_TAG);
    if is_flag { n + 1 } else { 0 }
}

/// Returns whether this is a sign such as an emoji, which can be joined to another one.
fn is_sign(character: char) -> bool {
    !character.is_ascii() && !character.is_alphanumeric() && !character.is_whitespace() && !is_invisible(character)
}

/// Returns whether a selector can show it as an emoji: 1️⃣, ❤️, and the few that count as letters.
fn has_emoji_style(before: char) -> bool {
    let is_letter_sign = matches!(before, 'ℹ' | 'Ⓜ' | '\u{1f170}'..='\u{1f17f}');
    let is_key = before.is_ascii_digit() || matches!(before, '#' | '*');
    let is_letter = before.is_alphanumeric() || before.is_whitespace() || is_invisible(before);
    is_letter_sign || is_key || !(is_letter || before.is_ascii())
}

/// Returns whether this is a letter or mark of a script whose letters join or change their shape. These are the scripts
/// from Arabic to Sinhala and related ones.
fn is_shaped(character: char) -> bool {
    let is_of_script = matches!(character,
        '\u{600}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{1900}'..='\u{1aaf}'
        | '\u{1b00}'..='\u{1c4f}' | '\u{a840}'..='\u{a87f}' | '\u{a8e0}'..='\u{a8ff}' | '\u{a980}'..='\u{a9df}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' | '\u{10a00}'..='\u{10aff}' | '\u{10d00}'..='\u{10d3f}'
        | '\u{11000}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}');
    is_of_script && !is_invisible(character) && (character.is_alphanumeric() || is_combining_mark(character))
}

/// Returns whether a zero-width joiner at the edge of a word changes the form of this letter: ه‍.
fn is_cursive(character: char) -> bool {
    let is_of_script = matches!(character,
        '\u{620}'..='\u{74f}' | '\u{750}'..='\u{77f}' | '\u{7ca}'..='\u{7ea}' | '\u{840}'..='\u{858}' | '\u{8a0}'..='\u{8c7}'
        | '\u{1820}'..='\u{18aa}');
    is_of_script && character.is_alphabetic() && !is_combining_mark(character)
}

fn is_han(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::{is_invisible, without_hidden};

    #[test]
    fn what_shows_nothing_is_invisible() {
        for character in "\0\u{1b}\n\u{7f}\u{85}\u{ad}\u{200b}\u{200d}\u{202e}\u{2060}\u{2065}\u{2800}\u{3164}".chars()
        {
            assert!(is_invisible(character), "{character:?}");
        }
        for character in "\u{fe0f}\u{feff}\u{ffa0}\u{fff0}\u{1d159}\u{e0001}\u{e0041}\u{e0100}".chars() {
            assert!(is_invisible(character), "{character:?}");
        }
        for character in "\t a/é١\u{600}\u{6dd}\u{301}\u{fffd}😀\u{e000}".chars() {
            assert!(!is_invisible(character), "{character:?}");
        }
    }

    #[test]
    fn what_a_script_or_an_emoji_needs_stays() {
        let texts = [
            "می\u{200c}خواهم",
            "क्\u{200d}ष क्\u{200c}ष",
            "ක්\u{200d}රමය",
            "അവന്\u{200d} വന്നു",
            "র\u{200d}্য",
            "ه\u{200d} \u{200d}ه 1447ه\u{200d}",
            "👩\u{200d}💻 👩🏽\u{200d}🚀 ❤\u{fe0f}\u{200d}🔥 🏴\u{200d}☠\u{fe0f}",
            "1\u{fe0f}\u{20e3} ❤\u{fe0f} ☎\u{fe0e} ℹ\u{fe0f}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
            "葛\u{e0100}城 ∩\u{fe00}",
            "\u{182d}\u{180b}",
        ];
        for text in texts {
            assert_eq!(without_hidden(text), text, "{}", text.escape_unicode());
        }
    }

    #[test]
    fn what_only_hides_something_goes() {
        let cases = [
            ("pass\u{200d}word\u{200c}s", "passwords"),
            ("\u{200c}می\u{200c}", "می"),
            ("می\u{200c}\u{200c}خ", "می\u{200c}خ"),
            ("می \u{200c}خ", "می خ"),
            ("a\u{fe0f}b\u{fe01}c\u{e0100}", "abc"),
            ("❤\u{fe0f}\u{fe0f}\u{fe0e}\u{200d}", "❤\u{fe0f}"),
            ("👩\u{200d}\u{200d}💻", "👩\u{200d}💻"),
            ("🏴\u{e0067}\u{e0062}", "🏴"),
            ("x\u{e0067}\u{e0062}\u{e0065}\u{e007f}", "x"),
            ("می\u{200b}\u{202e}خ", "میخ"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_hidden(text), expected, "{}", text.escape_unicode());
        }
    }
}
