//! The values that are set in a guild, and the people whom the chat model answers by them.

use std::collections::BTreeMap;

use crate::guild::cooldowns::GuildCooldowns;
use crate::guild::module_channels::GuildModuleChannels;
use crate::guild::module_settings::GuildModuleSettings;
use crate::guild::setting::GuildSetting;
use crate::guild::switched_off::SwitchedOff;
use crate::guild::value::{GuildValue, Persona};
use crate::inbound::{ChannelId, RoleId};
use crate::language::{Language, say};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuildValues(BTreeMap<GuildSetting, GuildValue>);

/// The values where none is set.
pub(super) static NOTHING: GuildValues = GuildValues(BTreeMap::new());

impl FromIterator<GuildValue> for GuildValues {
    fn from_iter<I: IntoIterator<Item = GuildValue>>(values: I) -> Self {
        Self(values.into_iter().map(|value| (value.setting(), value)).collect())
    }
}

impl GuildValues {
    pub fn get(&self, setting: GuildSetting) -> Option<&GuildValue> {
        self.0.get(&setting)
    }

    pub fn iter(&self) -> impl Iterator<Item = &GuildValue> {
        self.0.values()
    }

    /// Sets a value, or clears the setting. Returns the previous value.
    pub(super) fn put(&mut self, setting: GuildSetting, value: Option<GuildValue>) -> Option<GuildValue> {
        match value {
            Some(value) => self.0.insert(value.setting(), value),
            None => self.0.remove(&setting),
        }
    }

    /// Keeps the settings for which `counts` holds.
    #[must_use]
    pub fn only(&self, counts: impl Fn(GuildSetting) -> bool) -> Self {
        Self(self.0.iter().filter(|(setting, _)| counts(**setting)).map(|(at, value)| (*at, value.clone())).collect())
    }

    /// Drops the cooldowns that `operators` also sets.
    #[must_use]
    pub fn beside(mut self, operators: &GuildCooldowns) -> Self {
        if let Some(cooldowns) = self.cooldowns() {
            let left = cooldowns.without(operators);
            self.put(GuildSetting::Cooldowns, (!left.is_empty()).then_some(GuildValue::Cooldowns(left)));
        }
        self
    }

    /// Drops the settings of modules that `operators` also gives.
    #[must_use]
    pub fn beside_module_settings(mut self, operators: &GuildModuleSettings) -> Self {
        if let Some(settings) = self.module_settings() {
            let left = settings.without(operators);
            self.put(GuildSetting::ModuleSettings, (!left.is_empty()).then_some(GuildValue::ModuleSettings(left)));
        }
        self
    }

    /// Checks whether the chat model answers a member with these roles in a channel. `around` holds the ids of the
    /// channel and of its parents.
    ///
    /// # Errors
    /// The first condition that does not hold.
    pub fn admits(&self, around: &[u64], roles: &[RoleId]) -> Result<(), GuildDenied> {
        if self.get(GuildSetting::Chat) == Some(&GuildValue::Chat(false)) {
            return Err(GuildDenied::Off);
        }
        if let Some(GuildValue::ChatChannels(channels)) = self.get(GuildSetting::ChatChannels)
            && !around.iter().any(|&id| channels.contains(&ChannelId(id)))
        {
            return Err(GuildDenied::Channel);
        }
        if let Some(GuildValue::ChatRoles(wanted)) = self.get(GuildSetting::ChatRoles)
            && !roles.iter().any(|role| wanted.contains(role))
        {
            return Err(GuildDenied::Role);
        }
        Ok(())
    }

    /// Returns whether `admits` needs the parents of a channel.
    pub fn asks_for_channels(&self) -> bool {
        self.get(GuildSetting::ChatChannels).is_some()
    }

    /// Returns whether the chat model may call commands that change something, if that is set.
    pub fn write_tools(&self) -> Option<bool> {
        match self.get(GuildSetting::WriteTools) {
            Some(GuildValue::WriteTools(on)) => Some(*on),
            _ => None,
        }
    }

    pub fn persona(&self) -> Option<&Persona> {
        match self.get(GuildSetting::Persona) {
            Some(GuildValue::Persona(persona)) => Some(persona),
            _ => None,
        }
    }

    pub fn model(&self) -> Option<&str> {
        match self.get(GuildSetting::Model) {
            Some(GuildValue::Model(name)) => Some(name),
            _ => None,
        }
    }

    pub fn language(&self) -> Option<Language> {
        match self.get(GuildSetting::Language) {
            Some(GuildValue::Language(language)) => Some(*language),
            _ => None,
        }
    }

    pub fn switched_off(&self) -> Option<&SwitchedOff> {
        match self.get(GuildSetting::Commands) {
            Some(GuildValue::Commands(off)) => Some(off),
            _ => None,
        }
    }

    pub fn cooldowns(&self) -> Option<&GuildCooldowns> {
        match self.get(GuildSetting::Cooldowns) {
            Some(GuildValue::Cooldowns(cooldowns)) => Some(cooldowns),
            _ => None,
        }
    }

    pub fn module_settings(&self) -> Option<&GuildModuleSettings> {
        match self.get(GuildSetting::ModuleSettings) {
            Some(GuildValue::ModuleSettings(settings)) => Some(settings),
            _ => None,
        }
    }

    pub fn module_channels(&self) -> Option<&GuildModuleChannels> {
        match self.get(GuildSetting::ModuleChannels) {
            Some(GuildValue::ModuleChannels(channels)) => Some(channels),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuildDenied {
    /// Chat is switched off in this guild.
    Off,
    Channel,
    Role,
    /// The guild's settings cannot be read at the moment.
    NotKnown,
}

impl GuildDenied {
    pub fn text(self, language: Language) -> String {
        match self {
            Self::Off => say!(language, "chat-denied-server-off"),
            Self::Channel => say!(language, "chat-denied-server-channel"),
            Self::Role => say!(language, "chat-denied-server-role"),
            Self::NotKnown => say!(language, "chat-denied-server-unknown"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(set: &[(GuildSetting, &str)]) -> GuildValues {
        let mut values = GuildValues::default();
        for (setting, text) in set {
            values.put(*setting, GuildValue::stored(*setting, text));
        }
        values
    }

    #[test]
    fn each_condition_narrows_whom_the_model_answers() {
        use GuildSetting as S;
        let cases: [(&[_], _); 9] = [
            (&[], Ok(())),
            (&[(S::Chat, "on")], Ok(())),
            (&[(S::Chat, "off")], Err(GuildDenied::Off)),
            (&[(S::ChatChannels, "7")], Ok(())),
            // A thread of that channel, and a channel of that category.
            (&[(S::ChatChannels, "8")], Ok(())),
            (&[(S::ChatChannels, "9")], Err(GuildDenied::Channel)),
            (&[(S::ChatRoles, "41 40")], Ok(())),
            (&[(S::ChatRoles, "41")], Err(GuildDenied::Role)),
            (&[(S::Chat, "off"), (S::ChatRoles, "40")], Err(GuildDenied::Off)),
        ];
        for (set, expected) in cases {
            assert_eq!(values(set).admits(&[7, 8], &[RoleId(40)]), expected, "{set:?}");
        }
        assert_eq!(values(&[(S::ChatRoles, "40")]).admits(&[7], &[]), Err(GuildDenied::Role));
    }

    #[test]
    fn what_does_not_count_is_left_out() {
        use GuildSetting as S;
        let all = values(&[(S::Chat, "off"), (S::Persona, "A pirate."), (S::Language, "de")]);
        let counts = all.only(|setting| setting != S::Chat);
        assert_eq!(counts, values(&[(S::Persona, "A pirate."), (S::Language, "de")]));
        assert_eq!((counts.persona().map(Persona::as_str), counts.language(), counts.model()), {
            (Some("A pirate."), Language::of_locale("de"), None)
        });
        assert_eq!(counts.admits(&[], &[]), Ok(()));
    }
}
