//! Settings of modules, as the administrators of a guild set them there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::guild::of_modules::assignments::{self, NoAssignments};
use crate::guild::unfit::Unfit;

/// The most settings of modules that are set in a guild.
const SETTINGS_MAX: usize = 50;

/// What people wrote for settings of modules, by the module and the setting: `welcome.hint`. An empty text, which no
/// setting takes, is what a setting is taken back with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuildModuleSettings(BTreeMap<String, String>);

impl GuildModuleSettings {
    /// These texts, each for a setting.
    pub fn written(all: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(all.into_iter().collect())
    }

    /// Reads settings, each on a line of its own or before a semicolon: `welcome.hint = Say hello; dice.sides = 6`. A text
    /// may stand in quotes as in JSON. With `known`, each must be one of these.
    ///
    /// # Errors
    /// What is wrong with them.
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What was written for this setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Each setting with what was written for it.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The settings of this module, without its name.
    pub fn of_module(&self, module: &str) -> impl Iterator<Item = (&str, &str)> {
        self.iter().filter_map(move |(name, text)| {
            let (of, setting) = name.split_once('.')?;
            (of == module).then_some((setting, text))
        })
    }

    /// The names of those that `others` has, too, if there are some.
    pub fn names_in(&self, others: &Self) -> Option<String> {
        let names: Vec<_> = self.0.keys().filter(|name| others.0.contains_key(*name)).map(String::as_str).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Those that `others` does not have.
    #[must_use]
    pub fn without(&self, others: &Self) -> Self {
        Self::written(
            self.0
                .iter()
                .filter(|(name, _)| !others.0.contains_key(*name))
                .map(|(name, it)| (name.clone(), it.clone())),
        )
    }

    /// These over those that were set before. One without a text is taken back.
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
