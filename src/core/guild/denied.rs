//! Why the chat model does not answer somebody, by what the administrators of their guild set.

use crate::language::{Language, say};

/// Why the chat model does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuildDenied {
    /// It answers nobody here.
    Off,
    /// It does not answer in this channel.
    Channel,
    /// It does not answer this member.
    Role,
    /// What is set here cannot be read at the moment.
    NotKnown,
}

impl GuildDenied {
    /// The message for the person.
    pub fn text(self, language: Language) -> String {
        match self {
            Self::Off => say!(language, "chat-denied-server-off"),
            Self::Channel => say!(language, "chat-denied-server-channel"),
            Self::Role => say!(language, "chat-denied-server-role"),
            Self::NotKnown => say!(language, "chat-denied-server-unknown"),
        }
    }
}
