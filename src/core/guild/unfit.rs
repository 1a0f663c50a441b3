//! What is wrong with a value that an administrator gave.

use crate::language::{Language, say};
use crate::text::in_code_spans;

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It is neither `on` nor `off`.
    Switch,
    /// It says nothing.
    Empty,
    /// It is no list of channels.
    Channels,
    /// It is no list of roles.
    Roles,
    /// It lists more than so many.
    TooMany(usize),
    /// It has more characters than it may have.
    TooLong {
        /// How many it may have.
        max: usize,
        /// How many it has.
        length: usize,
    },
    /// It is none of these models.
    Model(Vec<String>),
    /// It is no language of the bot.
    Language,
    /// It names a command or module that does not exist.
    Command {
        /// The name.
        name: String,
        /// One that exists and is spelled nearly so.
        near: Option<String>,
    },
    /// This command cannot be switched off.
    Stays(String),
    /// It is no list of commands with a time each.
    Cooldowns,
    /// It has a time for a command that does not exist.
    CooldownOf {
        /// The name.
        name: String,
        /// One that exists and is spelled nearly so.
        near: Option<String>,
    },
    /// This command cannot have a cooldown.
    Waits(String),
    /// It is no list of settings of modules with a value each.
    ModuleSettings,
    /// It has a value for a setting that does not exist.
    ModuleSetting {
        /// The name.
        name: String,
        /// One that exists and is spelled nearly so.
        near: Option<String>,
    },
    /// It is no list of modules with channels each.
    ModuleChannels,
    /// It has channels for a module that does not exist, or says nothing by itself.
    ChannelsOfModule {
        /// The name.
        name: String,
        /// One that exists and is spelled nearly so.
        near: Option<String>,
    },
}

impl Unfit {
    /// The end of a sentence that begins with the setting's name.
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
