//! Why a caller is denied a command, and the message for the caller.

use crate::inbound::{CommandPath, Permissions};
use crate::language::{Language, say};
use crate::record::Denial;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The operator blocked this user.
    Blocked,
    OperatorsOnly,
    /// The command was removed after routing.
    Gone,
    /// The chat model called a command that is not a tool.
    NotATool,
    /// The command changes something and the caller did not confirm it.
    NotConfirmed,
    /// The guild's administrators switched the command off.
    SwitchedOff,
    /// The guild's settings cannot be read at the moment.
    GuildNotKnown,
    Owners,
    Users,
    Roles(Lack),
    Channels,
    /// A policy demands these Discord permissions.
    Discord(Permissions, Lack),
    /// The manifest does not allow the command in this kind of place.
    Context(Where),
    /// The command is for age-restricted channels, and a typed message does not say whether this is one.
    Age,
    /// The caller is not known to have these default member permissions. Discord checks them only in its picker, and
    /// the command was called otherwise.
    Picker(Permissions),
    /// Like `Picker`, where the picker does not offer the command either: in direct messages, and in a guild that did
    /// not install the bot.
    Members(Permissions),
}

/// Why a demanded role or permission does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    Missing,
    /// Roles and permissions exist only in guilds.
    OutsideServers,
    /// The event does not include the caller's roles or permissions.
    NotSaid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    Servers,
    DirectMessages,
    Elsewhere,
}

impl Denied {
    /// Returns the rule, for the counters.
    pub fn rule(self) -> Denial {
        match self {
            Self::Blocked => Denial::Blocked,
            Self::OperatorsOnly => Denial::OperatorsOnly,
            Self::Gone => Denial::Gone,
            Self::NotATool => Denial::NotATool,
            Self::NotConfirmed => Denial::NotConfirmed,
            Self::SwitchedOff | Self::GuildNotKnown => Denial::SwitchedOff,
            Self::Owners => Denial::Owners,
            Self::Users => Denial::Users,
            Self::Roles(_) => Denial::Roles,
            Self::Channels => Denial::Channels,
            Self::Discord(..) => Denial::Discord,
            Self::Context(_) => Denial::Context,
            Self::Age => Denial::Age,
            Self::Picker(_) | Self::Members(_) => Denial::Picker,
        }
    }

    /// Returns the stable name of the rule, for the log.
    pub fn name(self) -> &'static str {
        self.rule().name()
    }

    /// Returns the message for the caller. It never says who may use the command instead.
    pub fn text(self, path: &CommandPath, language: Language) -> String {
        let command = path.to_string();
        match self {
            Self::Blocked => say!(language, "denied-blocked", command = command),
            Self::Gone => say!(language, "denied-gone", command = command),
            Self::NotATool => say!(language, "denied-not-a-tool", command = command),
            Self::NotConfirmed => say!(language, "denied-not-confirmed", command = command),
            Self::OperatorsOnly | Self::Owners => say!(language, "denied-operators-only", command = command),
            Self::SwitchedOff => say!(language, "denied-switched-off", command = command),
            Self::GuildNotKnown => say!(language, "denied-server-unknown", command = command),
            Self::Users => say!(language, "denied-users", command = command),
            Self::Roles(Lack::Missing) => say!(language, "denied-roles", command = command),
            Self::Roles(Lack::OutsideServers) => say!(language, "denied-roles-outside", command = command),
            Self::Roles(Lack::NotSaid) => say!(language, "denied-roles-not-said", command = command),
            Self::Channels => say!(language, "denied-channels", command = command),
            Self::Discord(missing, lack) => {
                let missing = missing.shown();
                match lack {
                    Lack::Missing => say!(language, "denied-discord", command = command, missing = missing),
                    Lack::OutsideServers => {
                        say!(language, "denied-discord-outside", command = command, missing = missing)
                    }
                    Lack::NotSaid => say!(language, "denied-discord-not-said", command = command, missing = missing),
                }
            }
            Self::Context(Where::Servers) => say!(language, "denied-servers-only", command = command),
            Self::Context(Where::DirectMessages) => say!(language, "denied-direct-only", command = command),
            Self::Context(Where::Elsewhere) => say!(language, "denied-elsewhere", command = command),
            Self::Age => say!(language, "denied-age", command = command),
            Self::Picker(wanted) => {
                say!(language, "denied-picker", command = command, wanted = wanted.shown())
            }
            Self::Members(wanted) => {
                say!(language, "denied-members", command = command, wanted = wanted.shown())
            }
        }
    }
}
