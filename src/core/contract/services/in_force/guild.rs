//! What the operator says about the settings of guilds, for built-in commands. What is set in a guild stands in their
//! records.

use std::collections::BTreeSet;

use crate::guild::{Fixed, GuildSetting, GuildValue, Picker, Unset};
use crate::inbound::{ChannelId, GuildId};

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
    /// Whether Discord's list of commands in this guild is without what is switched off there.
    fn picker(&self, guild: GuildId) -> Picker;
}
