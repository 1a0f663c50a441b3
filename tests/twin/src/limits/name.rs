//! Limits of names and descriptions of commands and options, and the locales of their translations.

use serde_json::Value;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::limits::{Text, length};
use crate::rest::errors::{Path, Problems};

/// See Discord's docs, "Application Command Naming".
pub(crate) const NAME_LENGTH_MAX: usize = 32;
/// The longest description of a command or an option.
pub(crate) const DESCRIPTION_LENGTH_MAX: usize = 100;

/// Discord's locales. `ar` and `he` are only in its OpenAPI description.
const LOCALES: [&str; 34] = [
    "ar", "bg", "cs", "da", "de", "el", "en-GB", "en-US", "es-419", "es-ES", "fi", "fr", "he", "hi", "hr", "hu", "id",
    "it", "ja", "ko", "lt", "nl", "no", "pl", "pt-BR", "ro", "ru", "sv-SE", "th", "tr", "uk", "vi", "zh-CN", "zh-TW",
];

/// The naming rule.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Style {
    /// Slash commands and options: lower case, without spaces.
    Slash,
    /// Context-menu commands: any text.
    ContextMenu,
}

/// Checks `name` and `name_localizations`.
pub(crate) fn check_name(problems: &mut Problems, path: &Path, owner: &Value, style: Style) {
    check_one_name(problems, &path.then("name"), &owner["name"], style);
    for (place, value) in localizations(problems, path, owner, "name_localizations") {
        check_one_name(problems, &place, value, style);
    }
}

/// Checks `description`, which is required, and `description_localizations`.
pub(crate) fn check_description(problems: &mut Problems, path: &Path, owner: &Value) {
    let bounds = Text::required(1, DESCRIPTION_LENGTH_MAX);
    bounds.check(problems, path, owner, "description");
    for (place, value) in localizations(problems, path, owner, "description_localizations") {
        bounds.check_value(problems, &place, value);
    }
}

/// The texts of a localisation dictionary with their paths. Reports unknown locales.
pub(crate) fn localizations<'a>(
    problems: &mut Problems,
    path: &Path,
    owner: &'a Value,
    key: &str,
) -> Vec<(Path, &'a Value)> {
    let path = path.then(key);
    let mut found = Vec::new();
    for (locale, value) in owner[key].as_object().into_iter().flatten() {
        let place = path.then(locale);
        if LOCALES.contains(&locale.as_str()) {
            found.push((place, value));
        } else {
            problems.add(&place, "ENUM_TYPE_COERCE", format!("Value \"{locale}\" is not a valid enum value."));
        }
    }
    found
}

fn check_one_name(problems: &mut Problems, path: &Path, value: &Value, style: Style) {
    let bounds = Text::required(1, NAME_LENGTH_MAX);
    bounds.check_value(problems, path, value);
    let name = value.as_str().unwrap_or_default();
    let fits = (1..=NAME_LENGTH_MAX).contains(&length(name));
    if fits && style == Style::Slash && !is_slash_name(name) {
        problems.add(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
    }
}

/// Discord's pattern `^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$`, and lower case where it exists.
fn is_slash_name(name: &str) -> bool {
    name.chars().all(is_name_character) && name.to_lowercase() == name
}

fn is_name_character(character: char) -> bool {
    matches!(character, '-' | '_' | '\'')
        || matches!(character.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
        || is_devanagari(character)
        || is_thai(character)
}

/// Script Devanagari, which includes vowel signs. The code points left out belong to several scripts.
fn is_devanagari(character: char) -> bool {
    matches!(character, '\u{900}'..='\u{950}' | '\u{955}'..='\u{963}' | '\u{966}'..='\u{97F}' | '\u{A8E0}'..='\u{A8FF}')
}

/// Script Thai. The currency sign is left out, because it is common to several scripts.
fn is_thai(character: char) -> bool {
    matches!(character, '\u{E01}'..='\u{E3A}' | '\u{E40}'..='\u{E5B}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_pattern() {
        for name in ["ping", "größe", "a-b_c'd", "日本語", "हिन्दी", "ที่", "x1", "½"] {
            assert!(is_slash_name(name), "{name}");
        }
        for name in ["Ping", "two words", "a.b", "a/b", "É", "🙂", "a\u{301}", "฿"] {
            assert!(!is_slash_name(name), "{name}");
        }
    }
}
