//! The language of the person at the terminal, from the environment.

use std::ffi::OsString;

use candor_core::language::Language;

/// The variables that name it, in the order of POSIX: the first that is set counts. See
/// <https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html#tag_08_02>.
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

/// Returns the language of this environment; `otherwise` if the environment names none that the bot speaks, such as
/// `C`.
pub fn language_of(variable: impl Fn(&str) -> Option<OsString>, otherwise: Language) -> Language {
    let set = VARIABLES.into_iter().find_map(|name| variable(name).filter(|value| !value.is_empty()));
    let locale = set.and_then(|value| value.into_string().ok()).unwrap_or_default();
    // Such as `de_AT.UTF-8@euro`.
    let locale = locale.split(['.', '@']).next().unwrap_or_default();
    Language::of_locale(locale).unwrap_or(otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_names_the_language() {
        let german = Language::of_locale("de").unwrap();
        let cases = [
            (&[][..], "en"),
            (&[("LANG", "de_DE.UTF-8")], "de"),
            (&[("LANG", "de@euro")], "de"),
            (&[("LANG", "de_DE"), ("LC_ALL", "en_GB.UTF-8")], "en"),
            (&[("LANG", "en_US"), ("LC_MESSAGES", "de_AT")], "de"),
            (&[("LANG", "de_DE"), ("LC_ALL", "")], "de"),
            (&[("LANG", "C.UTF-8")], "en"),
            (&[("LANG", "fr_FR.UTF-8")], "en"),
        ];
        for (set, expected) in cases {
            let variable =
                |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
            assert_eq!(language_of(variable, Language::ENGLISH).tag(), expected, "{set:?}");
        }
        assert_eq!(language_of(|_| Some("POSIX".into()), german), german, "the settings count where it names none");
    }
}
