//! Finds phrases in text: the words of people and models, without marks, in lower case.

use unicode_normalization::UnicodeNormalization as _;

/// The most words that a gap `…` stands for.
const GAP_MAX: usize = 8;

/// The most words of a text that are looked at: what somebody asks for, and what is said of it, comes early.
const WORDS_MAX: usize = 400;

/// A sentence as its words.
pub(in crate::agent::turn::review) type Sentence = Vec<String>;

/// The sentences of a text, as far as they are looked at.
pub(in crate::agent::turn::review) fn sentences(text: &str) -> Vec<Sentence> {
    let mut left = WORDS_MAX;
    let mut sentences = Vec::new();
    for sentence in text.split(['.', '!', '?', ';', '\n', '。']) {
        let sentence: Sentence = words(sentence).take(left).collect();
        left -= sentence.len();
        if !sentence.is_empty() {
            sentences.push(sentence);
        }
        if left == 0 {
            break;
        }
    }
    sentences
}

/// The words of a text.
pub(in crate::agent::turn::review) fn words(text: &str) -> impl Iterator<Item = String> {
    let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '\'' | '’' | '-' | '_');
    let words = text.split(move |sign| !is_part(sign)).map(|word| word.trim_matches(['\'', '’', '-', '_']));
    words
        .filter(|word| !word.is_empty())
        .map(|word| word.replace('’', "'").nfkc().flat_map(char::to_lowercase).collect())
}

/// A phrase: words, gaps `…` of up to eight words, and `*` for the rest of a word.
pub(in crate::agent::turn::review) struct Phrase(Vec<PhrasePart>);

enum PhrasePart {
    Word(String),
    Beginning(String),
    Gap,
}

impl Phrase {
    /// Reads a phrase as a manifest has it: `add … task*`.
    pub(in crate::agent::turn::review) fn read(text: &str) -> Self {
        let part = |word: &str| match word.strip_suffix('*') {
            _ if word == "…" || word == "..." => PhrasePart::Gap,
            Some(beginning) => PhrasePart::Beginning(beginning.to_lowercase()),
            None => PhrasePart::Word(word.to_lowercase()),
        };
        Self(text.split_whitespace().map(part).collect())
    }

    /// Whether the words begin with the phrase.
    pub(in crate::agent::turn::review) fn begins(&self, words: &[String]) -> bool {
        begins(&self.0, words)
    }

    /// Whether the phrase stands anywhere in the words.
    pub(in crate::agent::turn::review) fn stands_in(&self, words: &[String]) -> bool {
        (0..words.len()).any(|at| words.get(at..).is_some_and(|words| self.begins(words)))
    }
}

fn begins(parts: &[PhrasePart], words: &[String]) -> bool {
    match parts {
        [] => true,
        [PhrasePart::Gap, rest @ ..] => {
            let most = words.len().min(GAP_MAX);
            (0..=most).any(|skipped| words.get(skipped..).is_some_and(|words| begins(rest, words)))
        }
        [PhrasePart::Word(word), rest @ ..] => {
            matches!(words, [first, behind @ ..] if first == word && begins(rest, behind))
        }
        [PhrasePart::Beginning(start), rest @ ..] => {
            matches!(words, [first, behind @ ..] if first.starts_with(start.as_str()) && begins(rest, behind))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_found_by_its_words_gaps_and_beginnings() {
        let cases = [
            ("add … task*", "Please add buy milk to the tasks", true),
            ("add … task*", "add tasks", true),
            ("add … task*", "add one two three four five six seven eight task", true),
            ("add … task*", "add one two three four five six seven eight nine task", false),
            ("add … task*", "Add this. The task is hard", false),
            ("i've added", "I’ve ADDED it", true),
            ("to-do list", "the To-Do list", true),
            ("list", "listen", false),
            ("ｌist", "list", false),
            ("list", "ｌist", true),
        ];
        for (phrase, text, found) in cases {
            let is_found = sentences(text).iter().any(|sentence| Phrase::read(phrase).stands_in(sentence));
            assert_eq!(is_found, found, "{phrase:?} in {text:?}");
        }
    }
}
