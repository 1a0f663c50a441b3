use crate::text::is_invisible;

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
}
