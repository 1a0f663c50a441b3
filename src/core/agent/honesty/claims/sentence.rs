//! The sentences of a reply, as words to be compared.

use std::ops::Range;

use crate::agent::honesty::claims::lexicon;
use crate::text::is_invisible;
use crate::text::markdown::{Line, Span, placed_lines, spans};

/// A sentence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sentence<'a> {
    /// As it is written, trimmed.
    pub(super) text: &'a str,
    /// Its words. Quotations are left out, and code but for single words.
    pub(super) words: Vec<Word>,
    /// The mark at its end, if there is one.
    pub(super) end: Option<char>,
}

/// A word of a sentence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// In lower case, with a straight apostrophe.
    pub(super) text: String,
    /// The number of its clause: words between commas, brackets, dashes.
    pub(super) clause: usize,
    /// It stands alone between backticks.
    pub(super) is_code: bool,
}

/// The sentences of a reply, in order. Lines end sentences, but for those that are plainly wrapped; fenced blocks and
/// quoted lines have none.
pub(super) fn sentences(prose: &str) -> impl Iterator<Item = Sentence<'_>> {
    stretches(prose).into_iter().flat_map(of_stretch)
}

/// Lines of prose, with those that go on where the one before them broke off.
fn stretches(prose: &str) -> Vec<&str> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    let mut before = None;
    for (at, line) in placed_lines(prose) {
        let line = match line {
            Line::Prose(line) if !line.trim_start().starts_with('>') => line,
            Line::Prose(_) | Line::Code(_) => {
                before = None;
                continue;
            }
        };
        let end = at + line.len();
        // A fence between two lines is none of the lines.
        let goes_on = stretches.last_mut().zip(before.replace(line)).filter(|(stretch, before)| {
            prose.get(stretch.end..at).is_some_and(|gap| matches!(gap, "\n" | "\r\n")) && is_wrapped(before, line)
        });
        match goes_on {
            Some((stretch, _)) => stretch.end = end,
            None => stretches.push(at..end),
        }
    }
    stretches.into_iter().filter_map(|stretch| prose.get(stretch)).collect()
}

/// Whether a line goes on with the sentence of the one before: it begins with a small letter, or the one before ends
/// with a word that asks for a verb.
fn is_wrapped(before: &str, line: &str) -> bool {
    let is_mark = |mark: char| matches!(mark, '*' | '_' | '~' | '|' | '`');
    let line = line.trim_start();
    if before.trim().is_empty() || line.starts_with("* ") {
        return false;
    }
    let mut words = before.split_whitespace().map(|word| word.trim_matches(is_mark));
    let last = words.rfind(|word| !word.is_empty()).unwrap_or_default().replace('’', "'").to_lowercase();
    line.trim_start_matches(is_mark).starts_with(char::is_lowercase) || lexicon::asks_for_a_verb(&last)
}

fn of_stretch(stretch: &str) -> Vec<Sentence<'_>> {
    let mut reader = Reader::new(stretch);
    for span in spans(stretch) {
        match span {
            Span::Words(words) => words.chars().for_each(|character| reader.read(character)),
            Span::Code { whole, inside } if is_word(inside) => reader.read_code(whole, inside),
            Span::Code { whole, .. } => reader.skip(whole.len()),
        }
    }
    reader.end_sentence();
    reader.sentences
}

/// Whether code is a single word of letters, which is read as if it were none: "I've `saved` it".
fn is_word(code: &str) -> bool {
    let code = code.trim();
    !code.is_empty() && code.chars().all(|letter| letter.is_ascii_alphabetic() || matches!(letter, '\'' | '’'))
}

/// Reads a stretch of prose, a character at a time.
struct Reader<'a> {
    stretch: &'a str,
    sentences: Vec<Sentence<'a>>,
    /// Where the next character stands, and where the sentence began, in bytes.
    at: usize,
    start: usize,
    words: Vec<Word>,
    word: String,
    clause: usize,
    end: Option<char>,
    /// What closes the quotation that is open.
    quoted_to: Option<char>,
    /// Closing quotation marks ahead: a mark that nothing closes opens nothing.
    ahead: [usize; QUOTES.len()],
}

/// Quotation marks, opening and closing. The single ones are apostrophes too often.
const QUOTES: [(char, char); 3] = [('"', '"'), ('“', '”'), ('«', '»')];

impl<'a> Reader<'a> {
    fn new(stretch: &'a str) -> Self {
        Self {
            stretch,
            sentences: Vec::new(),
            at: 0,
            start: 0,
            words: Vec::new(),
            word: String::new(),
            clause: 0,
            end: None,
            quoted_to: None,
            ahead: QUOTES.map(|(_, close)| stretch.matches(close).count()),
        }
    }

    fn read(&mut self, character: char) {
        if character.is_whitespace() && self.end.is_some() && self.quoted_to.is_none() {
            self.end_sentence();
        }
        self.at += character.len_utf8();
        for ((_, close), ahead) in QUOTES.iter().zip(&mut self.ahead) {
            *ahead -= usize::from(*close == character);
        }
        if let Some(close) = self.quoted_to {
            if character == close {
                self.quoted_to = None;
            }
            return;
        }
        match character {
            '\n' => self.separate(character),
            _ if is_invisible(character) => {}
            '*' | '~' | '|' => {}
            '.' | '!' | '?' | '…' => {
                self.end_word();
                self.end = if self.end == Some('?') { self.end } else { Some(character) };
            }
            ')' | ']' | '”' | '’' | '"' | '\'' | '_' if self.end.is_some() => {}
            '\'' | '’' => self.word.push('\''),
            '_' => self.word.push('_'),
            '-' if !self.word.is_empty() => self.word.push('-'),
            _ if character.is_alphanumeric() => {
                self.end = None;
                self.word.extend(character.to_lowercase());
            }
            _ => self.separate(character),
        }
    }

    fn separate(&mut self, character: char) {
        self.end_word();
        if !character.is_whitespace() {
            self.end = None;
        }
        let quote = QUOTES.iter().zip(&self.ahead).find(|((open, _), ahead)| *open == character && **ahead != 0);
        if let Some(((_, close), _)) = quote {
            self.quoted_to = Some(*close);
        }
        if matches!(character, ',' | ';' | ':' | '(' | ')' | '[' | ']' | '-' | '–' | '—') {
            self.clause += 1;
        }
    }

    /// Reads code that is a word, unless it is quoted.
    fn read_code(&mut self, whole: &str, inside: &str) {
        self.skip(whole.len());
        if self.quoted_to.is_none() {
            let text = inside.trim().replace('’', "'").to_lowercase();
            self.words.push(Word { text, clause: self.clause, is_code: true });
        }
    }

    /// Passes over code.
    fn skip(&mut self, length: usize) {
        self.end_word();
        self.end = None;
        self.at += length;
    }

    fn end_word(&mut self) {
        let text = self.word.trim_matches(['\'', '_', '-']);
        if !text.is_empty() {
            self.words.push(Word { text: text.to_owned(), clause: self.clause, is_code: false });
        }
        self.word.clear();
    }

    fn end_sentence(&mut self) {
        self.end_word();
        let text = self.stretch.get(self.start..self.at).unwrap_or_default().trim();
        let (words, end) = (std::mem::take(&mut self.words), self.end.take());
        if !words.is_empty() {
            self.sentences.push(Sentence { text, words, end });
        }
        self.start = self.at;
        self.clause = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn a_reply_is_parted_into_sentences_of_words() {
        let cases = [
            ("I've **saved** it. Done!", vec!["i've saved it|.", "done|!"]),
            ("It’s 12.5 %, right?! Yes", vec!["it's 12 5 / right|?", "yes|"]),
            ("(I saved it.) Then more...", vec!["/ i saved it|.", "then more|."]),
            ("Say \"I saved it. Twice.\" and `I saved` go", vec!["say and go|"]),
            ("5\" wide, I saved it", vec!["5 wide / i saved it|"]),
            ("_I_ saved a well-known save_memory - once", vec!["i saved a well-known save_memory / once|"]),
            ("One\nTwo\n\nthree\n- four\n* five", vec!["one|", "two|", "three|", "/ four|", "five|"]),
            ("I've\nsaved it. I\r\n**sent** it", vec!["i've saved it|.", "i sent it|"]),
            ("I've just\nSaved it", vec!["i've just saved it|"]),
            ("one\n```\ncode\n```\ntwo\n> three\nfour", vec!["one|", "two|", "four|"]),
            ("~~~\nI saved it\n~~~", vec!["i saved it|"]),
            ("I've `saved` it in `a b` and `_c`", vec!["i've saved it in and|"]),
            ("Say \"I `saved` it\"", vec!["say|"]),
            ("> I saved it\n```\nI saved it\n```", vec![]),
            ("sa\u{200b}ved", vec!["saved|"]),
            ("", vec![]),
        ];
        for (prose, expected) in cases {
            let found: Vec<_> = sentences(prose)
                .map(|sentence| {
                    let mut clause = 0;
                    let mut text = String::new();
                    for word in &sentence.words {
                        text += if text.is_empty() && word.clause == 0 { "" } else { " " };
                        text += if clause == word.clause { "" } else { "/ " };
                        text += &word.text;
                        clause = word.clause;
                    }
                    format!("{}|{}", text.trim(), sentence.end.map(String::from).unwrap_or_default())
                })
                .collect();
            assert_eq!(found, expected, "{prose}");
        }
    }

    #[test]
    fn a_sentence_is_returned_as_written() {
        let texts: Vec<_> = sentences("  I've **saved** `a. b`! (Really.) \n- Bye").map(|found| found.text).collect();
        assert_eq!(texts, ["I've **saved** `a. b`!", "(Really.)", "- Bye"]);
    }
}
