//! Searches texts for words, and names for the nearest.

use strsim::osa_distance;
use unicode_normalization::UnicodeNormalization as _;

use crate::text::is_invisible;

/// Returns the words of a text, without marks, in lower case.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '\'' | '’' | '-' | '_');
    let words = text.split(move |sign| !is_part(sign)).map(|word| word.trim_matches(['\'', '’', '-', '_']));
    words
        .filter(|word| !word.is_empty())
        .map(|word| word.replace('’', "'").nfkc().flat_map(char::to_lowercase).collect())
}

/// The number of characters that are compared: a truncated text still holds the beginning of the words.
const COMPARED_MAX: usize = 200;

/// Returns whether a text, perhaps JSON and perhaps truncated, holds these words one after another. Case, and any signs
/// between the words, are ignored. For long words the beginning is enough.
pub fn holds_words(text: &str, words: &str) -> bool {
    let whole = plain(words);
    if whole == " " {
        // The words have no letters, such as an emoji.
        return !words.trim().is_empty() && text.contains(words.trim());
    }
    let wanted = match whole.char_indices().nth(COMPARED_MAX) {
        None => whole.as_str(),
        Some((at, _)) => {
            let cut = whole.get(..at).unwrap_or_default();
            // Cut at a whole word, unless it is one endless word.
            cut.rfind(' ').filter(|&space| 0 < space).and_then(|space| cut.get(..=space)).unwrap_or(cut)
        }
    };
    plain(text).contains(wanted)
}

/// Returns letters and digits in lower case, with one space before, between and after the words. Line breaks as JSON
/// writes them also separate words.
fn plain(text: &str) -> String {
    let text = text.replace("\\n", " ").replace("\\t", " ").replace("\\r", " ");
    let mut plain = String::from(" ");
    for character in text.chars() {
        match character.is_alphanumeric() {
            true => plain.extend(character.to_lowercase()),
            false if plain.ends_with(' ') || is_invisible(character) && !character.is_whitespace() => {}
            false => plain.push(' '),
        }
    }
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
    plain
}

/// The longest names that are compared, because the edit distance costs the product of both lengths.
const COMPARED_LENGTH_MAX: usize = 64;

/// Returns the names nearest to the given one, best first, at most `limit`. A name is near if the edit distance is at
/// most a third of its length (at least one edit), or if one of the two begins with the other. Equal distances keep
/// alphabetical order. Case and compatibility forms are ignored.
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    if COMPARED_LENGTH_MAX < given.chars().count() {
        return Vec::new();
    }
    let lower = given.nfkc().collect::<String>().to_lowercase();
    let mut near: Vec<_> = names
        .into_iter()
        .filter_map(|name| {
            let distance = osa_distance(&lower, &name.to_lowercase());
            let reach = (name.chars().count() / 3).max(1);
            let shorter = name.chars().count().min(lower.chars().count());
            let starts = 2 <= shorter && (name.starts_with(&lower) || lower.starts_with(name));
            (distance <= reach || starts).then_some((distance, name))
        })
        .collect();
    near.sort_unstable();
    near.truncate(limit);
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_json_in_any_case_and_only_whole() {
        let cases = [
            (r#"{"content":"I like  Tea"}"#, "i like tea", true),
            (r#"{"content":"first\nsecond \"third\""}"#, "first second third", true),
            (r#"{"said":"{\"content\":\"one\\ntwo\"}"}"#, "one two", true),
            ("the first\nline", "first line", true),
            (r#"{"content":"the whole team"}"#, "tea", false),
            (r#"{"content":"tea"}"#, "tea party", false),
            ("{\"content\":\"t\u{200b}ea\"}", "tea", true),
            (r#"{"content":"Straße 🎉"}"#, "STRASSE", false),
            (r#"{"content":"Straße 🎉"}"#, "straße", true),
            (r#"{"content":"🎉"}"#, "🎉", true),
            (r#"{"content":"🎉"}"#, "🎂", false),
            ("anything", "", false),
            ("", "tea", false),
        ];
        for (text, words, expected) in cases {
            assert_eq!(holds_words(text, words), expected, "{words} in {text}");
        }
    }

    #[test]
    fn a_text_that_was_cut_still_holds_the_beginning_of_long_words() {
        let words = "all about my cat ".repeat(50);
        let cut: String = format!("{{\"content\":\"{words}").chars().take(400).collect();
        assert!(holds_words(&cut, &words));
        assert!(!holds_words(&cut.replacen("about", "around", 1).replace("about", "of"), &words));
        assert!(holds_words(&"x".repeat(300), &"x".repeat(250)));
    }

    #[test]
    fn near_names_are_few_edits_away_or_begin_the_same() {
        let names = ["status", "tasks", "clear", "model", "help", "receipt"];
        let cases = [
            ("staus", vec!["status"]),
            ("STATUS", vec!["status"]),
            ("statsu", vec!["status"]),
            ("task", vec!["tasks"]),
            ("rec", vec!["receipt"]),
            ("weather", vec![]),
            ("", vec![]),
            ("hepl", vec!["help"]),
            ("status@candor", vec!["status"]),
            ("ｓｔａｔｕｓ", vec!["status"]),
        ];
        for (given, expected) in cases {
            assert_eq!(nearest(given, names, 3), expected, "{given}");
        }
        assert!(nearest(&"x".repeat(10_000), names, 3).is_empty());
    }
}
