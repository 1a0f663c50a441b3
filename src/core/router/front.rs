//! A cursor over the beginning of a message that reads the same in all Unicode normal forms.

use unicode_normalization::char::decompose_compatible;

/// The longest compatibility decomposition of a character: that of U+FDFA.
const PARTS_MAX: usize = 18;

/// The longest text between `</` and `>` in a command mention: two or three names of at most 32 characters and an id.
/// Longer text is no mention.
const COMMAND_MENTION_LENGTH_MAX: usize = 128;

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

    /// The next part; `None` at the end of the text.
    pub(super) fn peek(&self) -> Option<char> {
        self.parts.get(self.at..self.end)?.first().copied()
    }

    /// Advances by one part.
    pub(super) fn advance(&mut self) {
        self.at += 1;
        if self.end <= self.at {
            self.load();
        }
    }

    /// The original text after the character that the next part belongs to.
    pub(super) fn behind(&self) -> &'a str {
        self.behind
    }

    /// Skips a run of one character and returns its length.
    pub(super) fn skip_run(&mut self, character: char) -> usize {
        let mut length = 0;
        while self.skip(character) {
            length += 1;
        }
        length
    }

    /// Skips the language of a code block that was just opened, which is not shown: a word followed by the line's end.
    pub(super) fn skip_language(&mut self) {
        let mut ahead = self.clone();
        while ahead.peek().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-' | '.' | '#')) {
            ahead.advance();
        }
        if ahead.skip('\n') {
            *self = ahead;
        }
    }

    /// Skips a mention of a user, `<@1>` or `<@!1>`, or of a role, `<@&1>`, if there is one here. Not only the bot's
    /// own: people mention it by its role, or mention others too.
    pub(super) fn skip_mention(&mut self) -> bool {
        let mut ahead = self.clone();
        if !(ahead.skip('<') && ahead.skip('@')) {
            return false;
        }
        if !ahead.skip('!') {
            ahead.skip('&');
        }
        let mut has_id = false;
        while ahead.peek().is_some_and(|character| character.is_ascii_digit()) {
            has_id = true;
            ahead.advance();
        }
        let is_mention = has_id && ahead.skip('>');
        if is_mention {
            *self = ahead;
        }
        is_mention
    }

    /// Skips a quoted line (`> `), or all the rest if that is quoted (`>>> `).
    pub(super) fn skip_quoted(&mut self) -> bool {
        let mut ahead = self.clone();
        if ahead.skip('>') && ahead.is_at_space() {
            ahead.behind = ahead.behind.split_once('\n').map_or("", |(_, next_line)| next_line);
        } else if ahead.skip('>') && ahead.skip('>') && ahead.is_at_space() {
            ahead.behind = "";
        } else {
            return false;
        }
        ahead.load();
        *self = ahead;
        true
    }

    /// The name in a command mention (`</tasks add:123>` is shown as `/tasks add`) and the text after it.
    pub(super) fn command_mention(&self) -> Option<(String, &'a str)> {
        let mut ahead = self.clone();
        if !(ahead.skip('<') && ahead.skip('/')) {
            return None;
        }
        let mut inside = String::new();
        while let Some(character) = ahead.peek().filter(|&character| character != '>') {
            if COMMAND_MENTION_LENGTH_MAX < inside.len() {
                return None;
            }
            inside.push(character);
            ahead.advance();
        }
        ahead.peek()?;
        let (name, id) = inside.rsplit_once(':')?;
        let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        is_id.then(|| (name.to_owned(), ahead.behind))
    }

    fn skip(&mut self, character: char) -> bool {
        let found = self.peek() == Some(character);
        if found {
            self.advance();
        }
        found
    }

    fn is_at_space(&self) -> bool {
        self.peek().is_some_and(|character| character.is_whitespace() && character != '\n')
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
