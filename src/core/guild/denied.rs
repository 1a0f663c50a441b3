//! Why the chat model does not answer a person, by the settings of the guild's administrators.

use crate::language::{Language, say};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuildDenied {
    /// Chat is switched off in this guild.
    Off,
    Channel,
    Role,
    /// The guild's settings cannot be read at the moment.
    NotKnown,
}

impl GuildDenied {
    pub fn text(self, language: Language) -> String {
        match self {
            Self::Off => say!(language, "chat-denied-server-off"),
            Self::Channel => say!(language, "chat-denied-server-channel"),
            Self::Role => say!(language, "chat-denied-server-role"),
            Self::NotKnown => say!(language, "chat-denied-server-unknown"),
        }
    }
}
