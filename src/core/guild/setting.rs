//! The settings of a guild, by name, and who decides about each.

use std::fmt;

/// A setting that administrators of a guild may set, if the operator lets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuildSetting {
    /// `chat`: whether the chat model answers.
    Chat,
    /// `chat_channels`: where it answers.
    ChatChannels,
    /// `chat_roles`: whom it answers.
    ChatRoles,
    /// `write_tools`: whether the chat model may call commands that change something.
    WriteTools,
    /// `persona`: the text that tells the model who it is.
    Persona,
    /// `model`: the model of conversations in which nobody chose one.
    Model,
    /// `language`: the language for people whose own is not known.
    Language,
    /// `commands`: the commands and modules that are switched off.
    Commands,
    /// `cooldowns`: how often commands may run.
    Cooldowns,
    /// `module_settings`: the settings of modules that may differ from server to server.
    ModuleSettings,
    /// `module_channels`: where modules may say something by themselves.
    ModuleChannels,
}

impl GuildSetting {
    /// Every setting, in the order in which they are shown.
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

    /// Its name, as people write it and as it is stored. It must never change.
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

    /// The setting with that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|setting| setting.name() == name)
    }
}

impl fmt::Display for GuildSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why the administrators of a guild cannot set something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// The operator does not let them set it.
    NotAllowed,
    /// The operator set it.
    ByOperator,
}

/// What is in force for a setting that the administrators of a guild did not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unset {
    /// The value, unless it is empty or the operator's own words.
    pub value: Option<String>,
    /// Whether the operator set it; else it is the bot's default.
    pub is_operators: bool,
}
