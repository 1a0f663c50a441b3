//! Services on the state in force at a call: the commands, the guild's settings and the guild's name.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;

use crate::contract::spec::{Command, SettingSpec};
use crate::guild::{Fixed, GuildSetting, GuildValue, Rules, Unset};
use crate::inbound::{Asking, ChannelId, CommandPath, GuildId};

/// A service that lists the commands in force, as each caller may use them.
pub trait CommandBook: Send + Sync {
    /// Returns the commands that the caller may use, by name: slash commands, then context-menu commands. Each contains
    /// only the parts that the caller may use.
    fn usable(&self, asking: &Asking<'_>, rules: &Rules) -> Vec<Arc<Command>>;
    /// Returns whether the caller is an operator.
    fn is_operator(&self, asking: &Asking<'_>) -> bool;
    /// Returns whether this command is in force, even if the caller may not use it.
    fn has(&self, path: &CommandPath) -> bool;
}

/// The commands in force, as the caller may use them.
pub struct OwnCommands<'a> {
    pub(in crate::contract::services) book: &'a dyn CommandBook,
    pub(in crate::contract::services) asking: Asking<'a>,
}

impl OwnCommands<'_> {
    /// Returns [`CommandBook::usable`] for the caller. Computed on each call.
    pub fn usable(&self, rules: &Rules) -> Vec<Arc<Command>> {
        self.book.usable(&self.asking, rules)
    }

    /// Returns [`CommandBook::is_operator`] for the caller.
    pub fn is_operator(&self) -> bool {
        self.book.is_operator(&self.asking)
    }
}

/// The operator's rules for guild settings.
pub trait GuildBook: Send + Sync {
    /// Checks whether administrators of this guild may set this. The error says why not.
    fn may_set(&self, setting: GuildSetting, guild: GuildId) -> Result<(), Fixed>;
    /// Returns the value in force in a guild whose administrators did not set this.
    fn unset(&self, setting: GuildSetting, guild: GuildId) -> Unset;
    /// Returns the part of a value that the operator's settings override, as text for people.
    fn fixed_in(&self, value: &GuildValue) -> Option<String>;
    /// Returns the settings that the operator fixed for this channel or for a parent of it in its guild, if known.
    fn in_channel(&self, channel: ChannelId) -> Vec<GuildSetting>;
    /// Returns the models that conversations may use.
    fn models(&self) -> Vec<String>;
    /// Returns the names that can be switched off: commands such as `/tasks` and `/tasks add`, and modules.
    fn commands(&self) -> BTreeSet<String>;
    /// Returns the module settings that administrators may set where the operator did not.
    fn module_settings(&self) -> Vec<SettingOfModule>;
    /// Returns the modules that post on their own, for which administrators may name channels.
    fn senders(&self) -> BTreeSet<String>;
}

/// A module setting that guild administrators may set.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingOfModule {
    /// The module.
    pub module: String,
    /// The setting.
    pub spec: SettingSpec,
    /// The value where administrators set none, as text for people.
    pub value: Option<String>,
    /// Whether the operator gave that value, which takes precedence. Otherwise it is the module's default.
    pub is_operators: bool,
}

impl SettingOfModule {
    /// Returns the name that administrators use: `welcome.hint`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.module, self.spec.name)
    }
}

/// The names of guilds, as far as the edge knows them.
#[async_trait]
pub trait ServerNames: Send + Sync {
    /// Returns the guild's name, if known.
    async fn name(&self, guild: GuildId) -> Option<String>;
}
