//! The input of a plan: the commands wanted on Discord, their scope and their keys.

use std::fmt;

use serde_json::Value;

use crate::inbound::GuildId;
use crate::registration::complaint::ManifestLines;
use crate::text::printable;

/// Where commands are registered. A name registered in both scopes is shown twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    Global,
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

/// The defaults that Discord fills in for omitted fields; they depend on scope and application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    pub scope: Scope,
    /// How the application can be installed, as Discord's numbers: the default for commands that do not say.
    pub installs: Vec<u64>,
}

#[derive(Clone, Debug)]
pub struct WantedCommand {
    /// The payload that registers it.
    pub payload: Value,
    /// The source positions in its manifest.
    pub places: ManifestLines,
}

/// A slash command. See Discord's documentation, application command types, for this and the next.
pub const CHAT_INPUT: u64 = 1;
/// A user context-menu command.
pub const USER_MENU: u64 = 2;
/// A message context-menu command.
pub const MESSAGE_MENU: u64 = 3;
/// The Entry Point command, which opens an application's activity. Discord creates it and requires it to stay.
pub const ENTRY_POINT: u64 = 4;

/// The identity of a command: its type and name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Discord's number for the type.
    pub kind: u64,
    /// The name, without a slash.
    pub name: String,
}

impl Key {
    /// Returns the key of a command, wanted or returned by Discord.
    pub fn of(command: &Value) -> Self {
        let kind = command.get("type").and_then(Value::as_u64).unwrap_or(CHAT_INPUT);
        let name = command.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { kind, name }
    }
}

impl fmt::Display for Key {
    /// Writes `/tasks` for a slash command, and the name and type of other commands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names come from Discord and are shown in terminals.
        let name = printable(&self.name);
        match self.kind {
            CHAT_INPUT => write!(f, "/{name}"),
            USER_MENU => write!(f, "{name} (user context-menu command)"),
            MESSAGE_MENU => write!(f, "{name} (message context-menu command)"),
            ENTRY_POINT => write!(f, "{name} (Entry Point)"),
            other => write!(f, "{name} (type {other})"),
        }
    }
}
