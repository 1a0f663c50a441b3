//! The settings of a guild, by name, and who controls each of them.

use std::fmt;

use crate::text::names;

names! {
    /// A setting that a guild's administrators may change, if the operator allows it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum GuildSetting {
        /// `chat`: whether the chat model answers.
        Chat = "chat",
        /// `chat_channels`: the channels in which it answers.
        ChatChannels = "chat_channels",
        /// `chat_roles`: the roles that it answers.
        ChatRoles = "chat_roles",
        /// `write_tools`: whether the chat model may call commands that change something.
        WriteTools = "write_tools",
        /// `persona`: the text that tells the model who it is.
        Persona = "persona",
        /// `model`: the model of conversations without a chosen one.
        Model = "model",
        /// `language`: the language for people with an unknown language.
        Language = "language",
        /// `commands`: the commands and modules that are switched off.
        Commands = "commands",
        /// `cooldowns`: command cooldowns.
        Cooldowns = "cooldowns",
        /// `module_settings`: the settings of modules that may differ between guilds.
        ModuleSettings = "module_settings",
        /// `module_channels`: the channels in which modules may post unprompted.
        ModuleChannels = "module_channels",
    }
}

impl fmt::Display for GuildSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a guild's administrators cannot change a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// The operator does not let them set it.
    NotAllowed,
    ByOperator,
}

/// The effective value of a setting that the guild's administrators did not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unset {
    /// The value. `None` if it is empty or private to the operator.
    pub value: Option<String>,
    /// Whether the operator set it; else it is the bot's default.
    pub is_operators: bool,
}
