//! Phrases, as manifests and lists of words write them, in sentences of untrusted text.
//!
//! A phrase is words in lower case: `a|b` for either, `a?` for one that may be missing, `…` for up to eight words, `*`
//! for the rest of a word or its beginning, a `?` that stands alone for the mark of a question, and `.` for the end of
//! the sentence.

use unicode_normalization::UnicodeNormalization as _;

/// The most words that a gap `…` stands for.
const GAP_MAX: usize = 8;

/// The most words of a text that are looked at: what somebody asks for, and what is said of it, comes early.
const WORDS_MAX: usize = 400;

/// The word that stands for the mark of a question, at the end of its sentence.
pub(crate) const QUESTION: &str = "?";

/// A sentence as its words; behind those of a question stands a `?`.
pub(crate) type Sentence = Vec<String>;

/// The sentences of a text, as far as they are looked at. A full stop amid a word ends none: `notes.txt`.
pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    let mut left = WORDS_MAX;
    let mut sentences = Vec::new();
    let ends = |(at, sign): (usize, char)| match sign {
        '.' => !text.get(at + 1..).is_some_and(|behind| behind.starts_with(char::is_alphanumeric)),
        _ => matches!(sign, '!' | '?' | ';' | '\n' | '。' | '¿' | '¡'),
    };
    let ends = text.char_indices().filter(|end| ends(*end)).chain([(text.len(), '\n')]);
    let mut start = 0;
    for (end, sign) in ends {
        let mut sentence: Sentence = words(text.get(start..end).unwrap_or_default()).take(left).collect();
        start = end + sign.len_utf8();
        left -= sentence.len();
        if !sentence.is_empty() {
            sentence.extend((sign == '?').then(|| QUESTION.to_owned()));
            sentences.push(sentence);
        }
        if left == 0 {
            break;
        }
    }
    sentences
}

/// The words of a text, without marks, in lower case.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '\'' | '’' | '-' | '_');
    let words = text.split(move |sign| !is_part(sign)).map(|word| word.trim_matches(['\'', '’', '-', '_']));
    words
        .filter(|word| !word.is_empty())
        .map(|word| word.replace('’', "'").nfkc().flat_map(char::to_lowercase).collect())
}

/// What is behind a phrase with which these words begin: `None` if they do not.
pub(crate) fn behind<'w>(phrase: &str, words: &'w [String]) -> Option<&'w [String]> {
    let phrase = phrase.trim_start();
    if phrase.is_empty() {
        return Some(words);
    }
    let (part, rest) = phrase.split_once(' ').unwrap_or((phrase, ""));
    match part {
        "…" | "..." => (0..=words.len().min(GAP_MAX)).find_map(|skipped| behind(rest, words.get(skipped..)?)),
        "." => words.iter().all(|word| word == QUESTION).then_some(words),
        _ => {
            let optional = part.strip_suffix('?').filter(|part| !part.is_empty());
            let is_meant = |word: &String| optional.unwrap_or(part).split('|').any(|wanted| is_word(wanted, word));
            let here = words.split_first().filter(|(first, _)| is_meant(first));
            let here = here.and_then(|(_, words)| behind(rest, words));
            here.or_else(|| optional.and_then(|_| behind(rest, words)))
        }
    }
}

/// Whether a word is the one of a phrase, which may begin and end in `*`.
pub(crate) fn is_word(wanted: &str, word: &str) -> bool {
    match (wanted.strip_prefix('*'), wanted.strip_suffix('*')) {
        (None, None) => wanted == word,
        (None, Some(beginning)) => word.starts_with(beginning),
        (Some(end), None) => word.ends_with(end),
        (Some(_), Some(_)) => word.contains(wanted.trim_matches('*')),
    }
}

/// Whether the words begin with one of these phrases.
pub(crate) fn begin(phrases: &[String], words: &[String]) -> bool {
    phrases.iter().any(|phrase| behind(phrase, words).is_some())
}

/// Where one of these phrases begins in the words.
pub(crate) fn places(phrases: &[String], words: &[String]) -> impl Iterator<Item = usize> {
    (0..words.len()).filter(|at| begin(phrases, words.get(*at..).unwrap_or_default()))
}

/// Whether one of these phrases stands anywhere in the words.
pub(crate) fn stand_in(phrases: &[String], words: &[String]) -> bool {
    places(phrases, words).next().is_some()
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
            ("read … txt", "Read notes.txt", true),
            ("add|put a? new? task", "put a task", true),
            ("add|put a? new? task", "add task", true),
            ("add|put a? new? task", "add one new task", false),
            ("forget it .", "forget it!", true),
            ("forget it .", "can I forget it?", true),
            ("forget it .", "forget it all", false),
            ("milk ?", "got milk? Sure", true),
            ("milk ?", "got milk! Sure?", false),
            ("i've added", "I’ve ADDED it", true),
            ("to-do list", "the To-Do list", true),
            ("list", "listen", false),
            ("*list*", "die Einkaufslisten", true),
            ("*liste", "die Einkaufslisten", false),
            ("*liste", "die Einkaufsliste", true),
            ("ｌist", "list", false),
            ("list", "ｌist", true),
        ];
        for (phrase, text, found) in cases {
            let phrase = [phrase.to_owned()];
            assert_eq!(sentences(text).iter().any(|words| stand_in(&phrase, words)), found, "{phrase:?} in {text:?}");
        }
    }
}
