//! The settings of a guild, by name, and who controls each of them.

use std::fmt;

/// A setting that a guild's administrators may change, if the operator allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuildSetting {
    /// `chat`: whether the chat model answers.
    Chat,
    /// `chat_channels`: the channels in which it answers.
    ChatChannels,
    /// `chat_roles`: the roles that it answers.
    ChatRoles,
    /// `write_tools`: whether the chat model may call commands that change something.
    WriteTools,
    /// `persona`: the text that tells the model who it is.
    Persona,
    /// `model`: the model of conversations without a chosen one.
    Model,
    /// `language`: the language for people with an unknown language.
    Language,
    /// `commands`: the commands and modules that are switched off.
    Commands,
    /// `cooldowns`: command cooldowns.
    Cooldowns,
    /// `module_settings`: the settings of modules that may differ between guilds.
    ModuleSettings,
    /// `module_channels`: the channels in which modules may post unprompted.
    ModuleChannels,
}

impl GuildSetting {
    /// Every setting, in display order.
    pub const ALL: [Self; 11] = [
        Self::Chat,
        Self::ChatChannels,
        Self::ChatRoles,
        Self::WriteTools,
        Self::Persona,
        Self::Model,
        Self::Language,
        Self::Commands,
        Self::Cooldowns,
        Self::ModuleSettings,
        Self::ModuleChannels,
    ];

    /// Returns its name, as people write it and as it is stored. It must never change.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::ChatChannels => "chat_channels",
            Self::ChatRoles => "chat_roles",
            Self::WriteTools => "write_tools",
            Self::Persona => "persona",
            Self::Model => "model",
            Self::Language => "language",
            Self::Commands => "commands",
            Self::Cooldowns => "cooldowns",
            Self::ModuleSettings => "module_settings",
            Self::ModuleChannels => "module_channels",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|setting| setting.name() == name)
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
    /// The operator set it.
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
