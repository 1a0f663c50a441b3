//! Why a value that an administrator gave is invalid.

use crate::language::{Language, say};
use crate::text::in_code_spans;

/// Why a value is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Neither `on` nor `off`.
    Switch,
    Empty,
    /// Not a list of channels.
    Channels,
    /// Not a list of roles.
    Roles,
    /// More entries than this limit.
    TooMany(usize),
    /// More characters than allowed.
    TooLong {
        max: usize,
        length: usize,
    },
    /// Not one of these models.
    Model(Vec<String>),
    /// Not a language of the bot.
    Language,
    /// A command or module that does not exist.
    Command {
        name: String,
        /// The nearest existing name.
        near: Option<String>,
    },
    /// This command cannot be switched off.
    Stays(String),
    /// Not a list of commands with a time each.
    Cooldowns,
    /// A cooldown for a command that does not exist.
    CooldownOf {
        name: String,
        /// The nearest existing name.
        near: Option<String>,
    },
    /// This command cannot have a cooldown.
    Waits(String),
    /// Not a list of module settings with a value each.
    ModuleSettings,
    /// A value for a setting that does not exist.
    ModuleSetting {
        name: String,
        /// The nearest existing name.
        near: Option<String>,
    },
    /// Not a list of modules with channels each.
    ModuleChannels,
    /// Channels for a module that does not exist, or that never posts unprompted.
    ChannelsOfModule {
        name: String,
        /// The nearest existing name.
        near: Option<String>,
    },
}

impl Unfit {
    /// Returns the end of a sentence that begins with the setting's name.
    pub fn text(&self, language: Language) -> String {
        match self {
            Self::Switch => say!(language, "unfit-switch"),
            Self::Empty => say!(language, "unfit-empty"),
            Self::Channels => say!(language, "unfit-channels"),
            Self::Roles => say!(language, "unfit-roles"),
            Self::TooMany(max) => say!(language, "unfit-too-many", max = *max),
            Self::TooLong { max, length } => say!(language, "unfit-too-long", max = *max, length = *length),
            Self::Model(known) => say!(language, "unfit-model", known = in_code_spans(known)),
            Self::Language => say!(language, "unfit-language", known = in_code_spans(Language::all())),
            Self::Command { name, near: None } => say!(language, "unfit-command", name = name.as_str()),
            Self::Command { name, near: Some(near) } => {
                say!(language, "unfit-command-near", name = name.as_str(), near = near.as_str())
            }
            Self::Stays(command) => say!(language, "unfit-stays", command = command.as_str()),
            Self::Cooldowns => say!(language, "unfit-cooldowns"),
            Self::CooldownOf { name, near: None } => say!(language, "unfit-cooldown-of", name = name.as_str()),
            Self::CooldownOf { name, near: Some(near) } => {
                say!(language, "unfit-cooldown-of-near", name = name.as_str(), near = near.as_str())
            }
            Self::Waits(command) => say!(language, "unfit-waits", command = command.as_str()),
            Self::ModuleSettings => say!(language, "unfit-module-settings"),
            Self::ModuleSetting { name, near: None } => say!(language, "unfit-module-setting", name = name.as_str()),
            Self::ModuleSetting { name, near: Some(near) } => {
                say!(language, "unfit-module-setting-near", name = name.as_str(), near = near.as_str())
            }
            Self::ModuleChannels => say!(language, "unfit-module-channels"),
            Self::ChannelsOfModule { name, near: None } => {
                say!(language, "unfit-channels-of-module", name = name.as_str())
            }
            Self::ChannelsOfModule { name, near: Some(near) } => {
                say!(language, "unfit-channels-of-module-near", name = name.as_str(), near = near.as_str())
            }
        }
    }
}
