//! Names and descriptions in other languages, as Discord expects them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The locales that Discord shows in place of each other if one is missing. See its documentation on the localization
/// of commands.
const ENGLISH: [&str; 2] = ["en-US", "en-GB"];

/// Returns the texts to register by locale. The default text is English. If only one English locale has its own text,
/// the other gets the default. Otherwise Discord would never show the default to people who read English.
pub(crate) fn texts(default: &str, given: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut texts = given.clone();
    if ENGLISH.iter().any(|&locale| given.contains_key(locale)) {
        for locale in ENGLISH {
            texts.entry(locale.to_owned()).or_insert_with(|| default.to_owned());
        }
    }
    texts
}

pub(crate) fn insert(fields: &mut Map<String, Value>, key: &str, default: &str, given: &BTreeMap<String, String>) {
    if !given.is_empty() {
        fields.insert(key.to_owned(), texts(default, given).into_iter().collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_stands_beside_another_english() {
        let cases = [
            (&[][..], &[][..]),
            (&[("de", "Farbe")], &[("de", "Farbe")]),
            (&[("en-GB", "colour")], &[("en-GB", "colour"), ("en-US", "color")]),
            (&[("en-GB", "colour"), ("en-US", "hue")], &[("en-GB", "colour"), ("en-US", "hue")]),
        ];
        let map = |texts: &[(&str, &str)]| -> BTreeMap<String, String> {
            texts.iter().map(|&(locale, text)| (locale.to_owned(), text.to_owned())).collect()
        };
        for (given, expected) in cases {
            assert_eq!(texts("color", &map(given)), map(expected));
        }
    }
}
