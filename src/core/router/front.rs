//! A cursor over the beginning of a message that reads the same in all Unicode normal forms.

use std::cmp::Reverse;

use unicode_normalization::char::decompose_compatible;

/// The longest compatibility decomposition of a character: that of U+FDFA.
const PARTS_MAX: usize = 18;

/// The longest text between `</` and `>` in a command mention, in parts of characters: two or three names of at most 32
/// characters and an id. Longer text is not a mention.
const COMMAND_MENTION_LENGTH_MAX: usize = 128;

/// The beginnings of pills. A longer one comes before its own prefix.
const PILLS: [&str; 8] = ["<@!", "<@&", "<@", "<#", "<:", "<a:", "<t:", "<id:"];

/// A cursor over the compatibility decomposition of a text. The decomposition is the same for all four normal forms of
/// a text, up to the order of combining marks, so decisions made on it hold for all of them.
#[derive(Clone)]
pub(super) struct Front<'a> {
    /// The text after the character that `parts` decomposes.
    behind: &'a str,
    parts: [char; PARTS_MAX],
    at: usize,
    end: usize,
}

impl<'a> Front<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut front = Self { behind: text, parts: ['\0'; PARTS_MAX], at: 0, end: 0 };
        front.load();
        front
    }

    /// Returns the next part; `None` at the end of the text.
    pub(super) fn peek(&self) -> Option<char> {
        self.parts.get(self.at..self.end)?.first().copied()
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
        if self.end <= self.at {
            self.load();
        }
    }

    /// Returns the original text after the character that the next part belongs to.
    pub(super) fn behind(&self) -> &'a str {
        self.behind
    }

    /// Skips a run of one character and returns its length.
    pub(super) fn skip_run(&mut self, character: char) -> usize {
        self.skip_while(|next| next == character)
    }

    /// Skips the language of a code block that was just opened, which Discord does not show: a word followed by the
    /// line's end.
    pub(super) fn skip_language(&mut self) -> bool {
        self.skip_whole(|ahead| {
            ahead.skip_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-' | '.' | '#'));
            ahead.skip('\n')
        })
    }

    /// Skips a tag that Discord shows as a pill, a date or a picture, by its form: a mention of a user, a role or a
    /// channel (`<@1>`, `<@!1>`, `<@&1>`, `<#1>`), a custom emoji (`<:x:1>`, `<a:x:1>`), a timestamp (`<t:1>`,
    /// `<t:1:R>`), or a link to a page of the guild (`<id:guide>`).
    pub(super) fn skip_pill(&mut self) -> bool {
        let skip_field =
            |ahead: &mut Self| ahead.skip_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')) != 0;
        self.skip_whole(|ahead| {
            PILLS.iter().any(|opening| ahead.skip_whole(|ahead| opening.chars().all(|c| ahead.skip(c))))
                && skip_field(ahead)
                && (!ahead.skip(':') || skip_field(ahead))
                && ahead.skip('>')
        })
    }

    /// Skips a name or group that is written like a mention but is plain text: `@everyone`.
    pub(super) fn skip_at_name(&mut self) -> bool {
        self.skip_whole(|ahead| ahead.skip('@') && ahead.skip_while(|c| !c.is_whitespace()) != 0)
    }

    /// Skips the mark of a heading (`# `, to `### `), of small text (`-# `), or of a list item (`- `, `1. `, `1) `).
    pub(super) fn skip_line_mark(&mut self) -> bool {
        self.skip_whole(|ahead| {
            let is_mark = match ahead.peek() {
                Some('#') => ahead.skip_run('#') <= 3,
                Some('-') => {
                    ahead.advance();
                    ahead.skip_run('#') <= 1
                }
                _ => ahead.skip_while(|c| c.is_ascii_digit()) != 0 && (ahead.skip('.') || ahead.skip(')')),
            };
            is_mark && ahead.is_at_space()
        })
    }

    /// Skips a quoted line (`> `), or the whole rest if that is quoted (`>>> `). Only at the start of a line.
    pub(super) fn skip_quoted(&mut self) -> bool {
        self.skip_whole(|ahead| {
            if ahead.skip('>') && ahead.is_at_space() {
                ahead.behind = ahead.behind.split_once('\n').map_or("", |(_, next_line)| next_line);
            } else if ahead.skip('>') && ahead.skip('>') && ahead.is_at_space() {
                ahead.behind = "";
            } else {
                return false;
            }
            ahead.load();
            true
        })
    }

    /// Returns the name in a command mention (`</tasks add:123>` is shown as `/tasks add`) and the text after it.
    pub(super) fn command_mention(&self) -> Option<(String, &'a str)> {
        let mut ahead = self.clone();
        if !(ahead.skip('<') && ahead.skip('/')) {
            return None;
        }
        let mut inside = String::new();
        for _ in 0..COMMAND_MENTION_LENGTH_MAX {
            let character = ahead.peek().filter(|&character| character != '>');
            let Some(character) = character else { break };
            inside.push(character);
            ahead.advance();
        }
        if ahead.peek() != Some('>') {
            return None;
        }
        let (name, id) = inside.rsplit_once(':')?;
        let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        is_id.then(|| (name.to_owned(), ahead.behind))
    }

    /// Returns whether the next character is white space other than a line end.
    pub(super) fn is_at_space(&self) -> bool {
        self.peek().is_some_and(|character| character.is_whitespace() && character != '\n')
    }

    /// Returns the cursor's position. A later position is greater.
    fn position(&self) -> Position {
        (Reverse(self.behind.len()), self.at)
    }

    /// Runs `skip`, and restores the cursor if it returns false.
    fn skip_whole(&mut self, skip: impl FnOnce(&mut Self) -> bool) -> bool {
        let mut ahead = self.clone();
        let skipped = skip(&mut ahead);
        if skipped {
            *self = ahead;
        }
        skipped
    }

    fn skip(&mut self, character: char) -> bool {
        let found = self.peek() == Some(character);
        if found {
            self.advance();
        }
        found
    }

    /// Skips the characters that fit and returns their number.
    fn skip_while(&mut self, fits: impl Fn(char) -> bool) -> usize {
        let mut length = 0;
        while self.peek().is_some_and(&fits) {
            self.advance();
            length += 1;
        }
        length
    }

    /// Decomposes the next character of the text.
    fn load(&mut self) {
        (self.at, self.end) = (0, 0);
        let mut characters = self.behind.chars();
        if let Some(character) = characters.next() {
            self.behind = characters.as_str();
            decompose_compatible(character, |part| {
                if let Some(free) = self.parts.get_mut(self.end) {
                    *free = part;
                    self.end += 1;
                }
            });
        }
    }
}

/// A position in a text: the length of the rest, and the part of the character there.
type Position = (Reverse<usize>, usize);

/// The last positions where a text in `*` or `_`, or the words of a link, may end. Searched once, so that reading stays
/// linear.
#[derive(Default)]
pub(super) struct Ends {
    asterisk: Option<Position>,
    underscore: Option<Position>,
    link: Option<Position>,
}

impl Ends {
    /// Searches the text from the cursor on.
    pub(super) fn of(front: &Front<'_>) -> Self {
        let mut front = front.clone();
        let mut ends = Self::default();
        let mut before = ' ';
        while let Some(character) = front.peek() {
            let here = Some(front.position());
            match character {
                '*' if !before.is_whitespace() => ends.asterisk = here,
                '_' if !before.is_whitespace() => ends.underscore = here,
                '(' if before == ']' => ends.link = here,
                _ => {}
            }
            before = character;
            front.advance();
        }
        ends
    }

    /// Returns whether a span opened by this mark may end further on.
    pub(super) fn has(&self, mark: char, front: &Front<'_>) -> bool {
        let last = match mark {
            '*' => self.asterisk,
            '_' => self.underscore,
            _ => self.link,
        };
        last.is_some_and(|last| front.position() < last)
    }
}

#[cfg(test)]
mod tests {
    use unicode_normalization::char::decompose_compatible;

    use super::PARTS_MAX;

    #[test]
    fn no_character_decomposes_into_more_parts_than_there_is_room_for() {
        let parts = |character| {
            let mut parts = 0;
            decompose_compatible(character, |_| parts += 1);
            parts
        };
        assert_eq!(('\0'..=char::MAX).map(parts).max(), Some(PARTS_MAX));
    }
}
