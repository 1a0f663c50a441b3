//! The size of a command: the characters of all names, descriptions and values, counting the longest localisation.

use serde_json::Value;

use crate::limits::length;

/// The largest size of a command. See Discord's docs, "Create Global Application Command".
pub(crate) const COMMAND_SIZE_MAX: usize = 8000;

/// The size of a command as Discord counts it.
pub(crate) fn command_size(command: &Value) -> usize {
    texts(command) + children(command, "options").map(option_size).sum::<usize>()
}

fn option_size(option: &Value) -> usize {
    let choices: usize = children(option, "choices").map(choice_size).sum();
    texts(option) + choices + children(option, "options").map(option_size).sum::<usize>()
}

fn choice_size(choice: &Value) -> usize {
    let value = match &choice["value"] {
        Value::String(text) => length(text),
        Value::Null => 0,
        number => length(&number.to_string()),
    };
    longest(choice, "name", "name_localizations") + value
}

fn texts(owner: &Value) -> usize {
    longest(owner, "name", "name_localizations") + longest(owner, "description", "description_localizations")
}

fn longest(owner: &Value, key: &str, localized: &str) -> usize {
    let translations = owner[localized].as_object().into_iter().flat_map(|texts| texts.values());
    translations.chain([&owner[key]]).filter_map(Value::as_str).map(length).max().unwrap_or(0)
}

fn children<'a>(owner: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    owner[key].as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_longest_translation_counts() {
        let command = json!({
            "name": "abc", "name_localizations": {"de": "abcde", "fr": "a"}, "description": "12",
            "options": [{"name": "o", "description": "d", "choices": [{"name": "one", "value": 100}, {"name": "b", "value": "é"}]}],
        });
        assert_eq!(command_size(&command), 5 + 2 + 1 + 1 + (3 + 3) + (1 + 1));
    }
}
