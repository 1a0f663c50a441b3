//! The rules of a guild's administrators, as one value for each event.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::guild::cooldowns::GuildCooldowns;
use crate::guild::switched_off::OffHere;
use crate::guild::values::{GuildDenied, GuildValues, NOTHING};
use crate::inbound::{Caller, ChannelId};

/// The settings of a guild's administrators that apply to an event. They are read once, when the event is admitted, and
/// handed down from there. Outside of guilds nothing is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(Known);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Known {
    #[default]
    Nothing,
    Values(Arc<GuildValues>),
    /// They cannot be read at the moment.
    Unknown {
        limits_commands: bool,
    },
}

impl Rules {
    /// Creates rules from the values in force.
    pub fn of(values: GuildValues) -> Self {
        Self(Known::Values(Arc::new(values)))
    }

    /// Creates rules that cannot be read at the moment. The chat model gives no answers. If administrators may limit
    /// commands (`limits_commands`), only exempt commands run.
    pub fn unknown(limits_commands: bool) -> Self {
        Self(Known::Unknown { limits_commands })
    }

    /// Returns the values in force; `None` if they are unknown.
    pub fn values(&self) -> Option<&GuildValues> {
        match &self.0 {
            Known::Nothing => Some(&NOTHING),
            Known::Values(values) => Some(values),
            Known::Unknown { .. } => None,
        }
    }

    /// Returns the commands that are switched off.
    pub fn off(&self) -> OffHere {
        match &self.0 {
            Known::Unknown { limits_commands: true } => OffHere::NotKnown,
            Known::Nothing | Known::Unknown { limits_commands: false } => OffHere::Nothing,
            Known::Values(values) => values.switched_off().cloned().map_or(OffHere::Nothing, OffHere::These),
        }
    }

    /// Returns the cooldowns of commands, if any are set.
    pub fn cooldowns(&self) -> Option<&GuildCooldowns> {
        self.values()?.cooldowns()
    }

    /// Checks whether the chat model answers this caller. `around` holds the ids of the place and its parents.
    ///
    /// # Errors
    /// The first condition that does not hold.
    pub fn admits(&self, caller: &Caller, around: &[u64]) -> Result<(), GuildDenied> {
        let roles = caller.member.as_ref().map(|member| member.roles.as_slice()).unwrap_or_default();
        self.values().ok_or(GuildDenied::NotKnown)?.admits(around, roles)
    }

    /// Returns whether [`Rules::admits`] needs the parents of a channel.
    pub fn asks_for_channels(&self) -> bool {
        self.values().is_some_and(GuildValues::asks_for_channels)
    }

    /// Returns the values for this module's settings, each with its name.
    pub fn of_module(&self, module: &str) -> impl Iterator<Item = (&str, &str)> {
        let written = self.values().and_then(GuildValues::module_settings);
        written.into_iter().flat_map(move |written| written.of_module(module))
    }

    /// Returns the channels in which this module may post unprompted; `None` if they are unknown.
    pub fn channels_of_module(&self, module: &str) -> Option<BTreeSet<ChannelId>> {
        Some(self.values()?.module_channels().map(|channels| channels.of_module(module)).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guild::{GuildSetting, GuildValue};
    use crate::inbound::UserId;

    fn set(setting: GuildSetting, text: &str) -> Rules {
        Rules::of(GuildValue::stored(setting, text).into_iter().collect())
    }

    #[test]
    fn unknown_rules_stop_chat_and_stop_commands_where_administrators_may_limit_them() {
        let ann = Caller::new(UserId(7), "ann");
        let unknown = |limits_commands| Rules::unknown(limits_commands);
        assert_eq!((unknown(true).off(), unknown(false).off()), (OffHere::NotKnown, OffHere::Nothing));
        assert_eq!(unknown(false).admits(&ann, &[5]), Err(GuildDenied::NotKnown));
        assert_eq!(unknown(false).channels_of_module("alerts"), None);
        assert_eq!((Rules::default().off(), Rules::default().admits(&ann, &[5])), (OffHere::Nothing, Ok(())));
    }

    #[test]
    fn each_setting_is_in_the_value() {
        let ann = Caller::new(UserId(7), "ann");
        assert_eq!(set(GuildSetting::Chat, "off").admits(&ann, &[5]), Err(GuildDenied::Off));
        assert!(matches!(set(GuildSetting::Commands, "/tasks").off(), OffHere::These(_)));
        assert!(set(GuildSetting::ChatChannels, "5").asks_for_channels());
        let cooldowns = set(GuildSetting::Cooldowns, "/tasks 30s");
        assert_eq!(cooldowns.cooldowns().map(ToString::to_string).as_deref(), Some("/tasks 30s"));
    }
}
