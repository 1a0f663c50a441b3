//! An option of a command: its name, its type with bounds, and its choices.

use std::collections::BTreeMap;

use crate::contract::spec::origin::WrittenAt;
use crate::contract::spec::policy::Cooldowns;

/// One option of a command.
#[derive(Clone, Debug)]
pub struct OptionSpec {
    /// The name.
    pub name: String,
    /// The description, 1 to 100 characters.
    pub description: String,
    /// The accepted values.
    pub kind: OptionKind,
    /// Whether it is required.
    pub required: bool,
    /// Whether a completer suggests values while the user types.
    pub autocomplete: bool,
    /// Whether a modal asks for it if it is missing. Such an option is text. Discord sees it as optional even if it is
    /// required.
    pub modal: bool,
    /// Whether its value is stored only as a digest. Such an option is free text.
    pub private: bool,
    /// How often the command may run with it.
    pub cooldowns: Cooldowns,
    /// Its name and description in other languages.
    pub localized: Localized,
    /// Where the manifest mentions it.
    pub written_at: Option<WrittenAt>,
}

impl OptionSpec {
    /// Creates an option with defaults for everything else.
    pub fn new(name: impl Into<String>, description: impl Into<String>, kind: OptionKind, required: bool) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            kind,
            required,
            autocomplete: false,
            modal: false,
            private: false,
            cooldowns: Cooldowns::default(),
            localized: Localized::default(),
            written_at: None,
        }
    }

    /// Returns whether Discord requires it. Options that a modal asks for are optional at Discord.
    pub fn is_demanded(&self) -> bool {
        self.required && !self.modal
    }
}

/// The type of an option, with its bounds. Bounds are inclusive.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionKind {
    /// Text. Lengths are in characters.
    String {
        /// Shortest text.
        min_length: Option<u16>,
        /// Longest text.
        max_length: Option<u16>,
        /// The only texts allowed; empty means any.
        choices: Vec<Choice>,
    },
    /// A whole number.
    Integer {
        /// Smallest.
        min: Option<i64>,
        /// Largest.
        max: Option<i64>,
        /// The only numbers allowed; empty means any.
        choices: Vec<Choice<i64>>,
    },
    /// A number.
    Number {
        /// Smallest.
        min: Option<f64>,
        /// Largest.
        max: Option<f64>,
        /// The only numbers allowed; empty means any.
        choices: Vec<Choice<f64>>,
    },
    /// `true` or `false`.
    Boolean,
    /// A user or a bot: [`entity::User`](crate::contract::entity::User).
    User,
    /// A channel: [`entity::Channel`](crate::contract::entity::Channel).
    Channel {
        /// Discord's numbers for the accepted channel types; empty means any.
        types: Vec<u8>,
    },
    /// A role: [`entity::Role`](crate::contract::entity::Role).
    Role,
    /// A user or a role: [`entity::Mentionable`](crate::contract::entity::Mentionable).
    Mentionable,
    /// A file: [`entity::Attachment`](crate::contract::entity::Attachment).
    Attachment,
    /// The message that a context-menu command was used on:
    /// [`entity::MessageRef`](crate::contract::entity::MessageRef). Never an option on Discord.
    Message,
}

impl OptionKind {
    /// Returns whether it is a Discord object, which cannot be written as text or a number.
    pub fn is_entity(&self) -> bool {
        match self {
            Self::String { .. } | Self::Integer { .. } | Self::Number { .. } | Self::Boolean => false,
            Self::User | Self::Channel { .. } | Self::Role | Self::Mentionable | Self::Attachment | Self::Message => {
                true
            }
        }
    }

    /// Returns whether an option of this type may have choices or suggestions: text and numbers.
    pub fn may_have_choices(&self) -> bool {
        matches!(self, Self::String { .. } | Self::Integer { .. } | Self::Number { .. })
    }

    /// Returns its choices, with the values as text.
    pub fn choices(&self) -> Vec<Choice> {
        fn as_text<V: ToString>(choices: &[Choice<V>]) -> Vec<Choice> {
            let as_text = |choice: &Choice<V>| Choice {
                name: choice.name.clone(),
                names: choice.names.clone(),
                value: choice.value.to_string(),
            };
            choices.iter().map(as_text).collect()
        }
        match self {
            Self::String { choices, .. } => choices.clone(),
            Self::Integer { choices, .. } => as_text(choices),
            Self::Number { choices, .. } => as_text(choices),
            _ => Vec::new(),
        }
    }

    /// Returns the word used in usage lines and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::String { .. } => "text",
            Self::Integer { .. } => "whole number",
            Self::Number { .. } => "number",
            Self::Boolean => "true or false",
            Self::User => "user",
            Self::Channel { .. } => "channel",
            Self::Role => "role",
            Self::Mentionable => "user or role",
            Self::Attachment => "file",
            Self::Message => "message",
        }
    }
}

/// A choice of an option: the name shown and the value given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<V = String> {
    /// The name shown to the user.
    pub name: String,
    /// Localized names, by Discord's locale.
    pub names: BTreeMap<String, String>,
    /// The value passed to the handler.
    pub value: V,
}

impl<V> Choice<V> {
    /// Creates a choice without localized names.
    pub fn new(name: impl Into<String>, value: V) -> Self {
        Self { name: name.into(), names: BTreeMap::new(), value }
    }
}

/// Localized names and descriptions, by Discord's locale (`de`, `en-GB`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Localized {
    /// Names, under the same rules as the name itself.
    pub names: BTreeMap<String, String>,
    /// Descriptions, 1 to 100 characters.
    pub descriptions: BTreeMap<String, String>,
}
