//! What the operator says about the settings of guilds, for built-in commands. What is set in a guild stands in their
//! records.

use std::collections::BTreeSet;

use crate::contract::spec::SettingSpec;
use crate::guild::{Fixed, GuildSetting, GuildValue, Unset};
use crate::inbound::{ChannelId, GuildId, Place};

/// The operator's part in the settings of guilds.
pub trait GuildBook: Send + Sync {
    /// Whether the administrators of this guild may set this, and else why not.
    fn may_set(&self, setting: GuildSetting, guild: GuildId) -> Result<(), Fixed>;
    /// What is in force in a guild whose administrators did not set this.
    fn unset(&self, setting: GuildSetting, guild: GuildId) -> Unset;
    /// The part of a value that does not count because the operator set it, as people write it.
    fn fixed_in(&self, value: &GuildValue) -> Option<String>;
    /// What the operator set for this channel, by itself or by what it belongs to in its guild, as far as that is known.
    fn in_channel(&self, channel: ChannelId) -> Vec<GuildSetting>;
    /// The models that conversations may use.
    fn models(&self) -> Vec<String>;
    /// What can be switched off: commands, `/tasks` and `/tasks add`, and modules.
    fn commands(&self) -> BTreeSet<String>;
    /// The settings of modules that administrators may set, if the operator does not.
    fn module_settings(&self) -> Vec<SettingOfModule>;
    /// What counts in this place of what administrators wrote for the settings of this module: each with its name.
    fn of_module(&self, place: Place, module: &str) -> Vec<(String, String)>;
    /// The modules that say something by themselves, for which administrators may name channels.
    fn senders(&self) -> BTreeSet<String>;
    /// The channels that administrators named in this place's guild for this module; `None` if that is not known.
    fn channels_of_module(&self, place: Place, module: &str) -> Option<BTreeSet<ChannelId>>;
}

/// A setting of a module that administrators of servers may set.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingOfModule {
    /// The module.
    pub module: String,
    /// The setting.
    pub spec: SettingSpec,
    /// The value where administrators set none, as people write it.
    pub value: Option<String>,
    /// Whether the operator gave that value, which takes precedence; else it is the module's default.
    pub is_operators: bool,
}

impl SettingOfModule {
    /// The name by which administrators set it: `welcome.hint`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.module, self.spec.name)
    }
}
