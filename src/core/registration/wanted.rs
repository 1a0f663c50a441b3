//! What Discord should have against what it has: the difference as a plan, and nothing done about it.
//!
//! Commands are compared by meaning, so that what Discord fills in or leaves out is no difference. A command that
//! stands keeps its id, because a command that is removed and created again loses the permissions that a server's
//! administrators gave it.

use std::fmt;

use serde_json::Value;

use crate::inbound::GuildId;
use crate::registration::complaint::ManifestLines;

/// Where commands are registered. The same name in both shows twice to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Wherever the bot is.
    Global,
    /// In one server only.
    Guild(GuildId),
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("global"),
            Self::Guild(guild) => write!(f, "guild {guild}"),
        }
    }
}

/// What an omission means: Discord fills it in, and differently by scope and application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Where the commands stand.
    pub scope: Scope,
    /// How the application can be installed, as Discord's numbers. A command that does not say gets these.
    pub installs: Vec<u64>,
}

/// A command as it should stand.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What registers it.
    pub payload: Value,
    /// Where its manifest declares its parts.
    pub places: ManifestLines,
}

/// A slash command. See Discord's documentation, application command types, for this and the next.
pub const CHAT_INPUT: u64 = 1;
/// An entry in the menu of a user.
pub const USER_MENU: u64 = 2;
/// An entry in the menu of a message.
pub const MESSAGE_MENU: u64 = 3;
/// What opens an application's activity. Discord makes it and wants it kept.
pub const ENTRY_POINT: u64 = 4;

/// What makes a command the same one: its type and its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Discord's number for the type.
    pub kind: u64,
    /// The name, without a slash.
    pub name: String,
}

impl Key {
    /// The key of a command, ours or Discord's.
    pub fn of(command: &Value) -> Self {
        let kind = command.get("type").and_then(Value::as_u64).unwrap_or(CHAT_INPUT);
        let name = command.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { kind, name }
    }
}

impl fmt::Display for Key {
    /// As people see it: `/tasks`; anything else as it stands in its menu, and in which.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names come from Discord, and are shown in terminals.
        let name: String = self.name.chars().filter(|character| !character.is_control()).collect();
        match self.kind {
            CHAT_INPUT => write!(f, "/{name}"),
            USER_MENU => write!(f, "{name} (menu of a user)"),
            MESSAGE_MENU => write!(f, "{name} (menu of a message)"),
            ENTRY_POINT => write!(f, "{name} (Entry Point)"),
            other => write!(f, "{name} (type {other})"),
        }
    }
}
