//! Settings of modules that a guild's administrators set.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::guild::assignments::{self, NoAssignments};
use crate::guild::unfit::Unfit;

/// The most settings of modules in one guild.
const SETTINGS_MAX: usize = 50;

/// Texts for settings of modules, by module and setting: `welcome.hint`. An empty text resets a setting; no setting
/// accepts one as its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuildModuleSettings(BTreeMap<String, String>);

impl GuildModuleSettings {
    pub fn written(all: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(all.into_iter().collect())
    }

    /// Parses settings, separated by line ends or semicolons: `welcome.hint = Say hello; dice.sides = 6`. A text may be
    /// quoted as in JSON. With `known`, each name must be one of these.
    ///
    /// # Errors
    /// The first problem of the text.
    pub(in crate::guild) fn parse(text: &str, known: Option<&BTreeSet<String>>) -> Result<Self, Unfit> {
        let all = assignments::read(text, known).map_err(|problem| match problem {
            NoAssignments::Malformed => Unfit::ModuleSettings,
            NoAssignments::Unknown { name, near } => Unfit::ModuleSetting { name, near },
        })?;
        match all.len() {
            0 => Err(Unfit::Empty),
            n if SETTINGS_MAX < n && known.is_some() => Err(Unfit::TooMany(SETTINGS_MAX)),
            _ => Ok(Self(all)),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Returns the settings of this module, named without the module.
    pub fn of_module(&self, module: &str) -> impl Iterator<Item = (&str, &str)> {
        self.iter().filter_map(move |(name, text)| {
            let (of, setting) = name.split_once('.')?;
            (of == module).then_some((setting, text))
        })
    }

    /// Returns the names that `others` has too, or `None`.
    pub fn names_in(&self, others: &Self) -> Option<String> {
        let names: Vec<_> = self.0.keys().filter(|name| others.0.contains_key(*name)).map(String::as_str).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Returns the settings that `others` does not have.
    #[must_use]
    pub fn without(&self, others: &Self) -> Self {
        Self::written(
            self.0
                .iter()
                .filter(|(name, _)| !others.0.contains_key(*name))
                .map(|(name, it)| (name.clone(), it.clone())),
        )
    }

    /// Merges these over the earlier settings. An empty text removes a setting.
    #[must_use]
    pub fn over(self, before: &Self) -> Self {
        let mut all = before.0.clone();
        all.extend(self.0);
        all.retain(|_, text| !text.is_empty());
        Self(all)
    }
}

impl fmt::Display for GuildModuleSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        assignments::write(self.iter(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_people_write_them_and_read_back_as_they_are_shown() {
        let known = ["dice.sides", "welcome.hint"].map(str::to_owned).into();
        let near = |name: &str, near: &str| Unfit::ModuleSetting { name: name.to_owned(), near: Some(near.to_owned()) };
        let cases = [
            ("welcome.hint = Say hello, all", Ok("welcome.hint = Say hello, all")),
            (" Welcome.Hint=Say = hello ; dice.sides = 6;", Ok("dice.sides = 6; welcome.hint = Say = hello")),
            ("dice.sides = 6\n\nwelcome.hint = a\r\n", Ok("dice.sides = 6; welcome.hint = a")),
            (r#"welcome.hint = "a; b\nc" ; dice.sides = 6"#, Ok(r#"dice.sides = 6; welcome.hint = "a; b\nc""#)),
            (r#"welcome.hint = a "b" c"#, Ok(r#"welcome.hint = a "b" c"#)),
            ("dice.sides =", Ok("dice.sides = ")),
            ("welcome.hnt = a", Err(near("welcome.hnt", "welcome.hint"))),
            ("welcome.hint", Err(Unfit::ModuleSettings)),
            ("dice.sides = 6; dice.sides = 7", Err(Unfit::ModuleSettings)),
            (r#"welcome.hint = "a" b"#, Err(Unfit::ModuleSettings)),
            (r#"welcome.hint = "a"#, Err(Unfit::ModuleSettings)),
            (" ; ", Err(Unfit::Empty)),
        ];
        for (text, expected) in cases {
            let read = GuildModuleSettings::parse(text, Some(&known));
            assert_eq!(
                read.as_ref().map(ToString::to_string),
                expected.as_ref().map(|&text| text.to_owned()),
                "{text}"
            );
            if let Ok(read) = read {
                assert_eq!(GuildModuleSettings::parse(&read.to_string(), None), Ok(read), "{text}");
            }
        }
    }

    #[test]
    fn what_is_set_anew_stands_over_what_was_set_and_an_empty_text_takes_it_back() {
        let read = |text| GuildModuleSettings::parse(text, None).unwrap();
        let before = read("dice.sides = 6; welcome.hint = a");
        assert_eq!(read("dice.sides = 20").over(&before), read("dice.sides = 20; welcome.hint = a"));
        assert_eq!(read("dice.sides =").over(&before), read("welcome.hint = a"));
        assert_eq!(before.without(&read("dice.sides = 1")), read("welcome.hint = a"));
        assert_eq!(before.of_module("dice").collect::<Vec<_>>(), [("sides", "6")]);
        assert_eq!(before.of_module("dic").count(), 0);
    }
}
