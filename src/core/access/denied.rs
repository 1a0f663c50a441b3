//! Why a caller is denied a command, and what they are told.

use crate::inbound::{CommandPath, Permissions};
use crate::language::{Language, say};
use crate::record::{Counted as _, Denial};

/// Why a caller is denied a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The operator blocked this user.
    Blocked,
    /// The command is for operators only.
    OperatorsOnly,
    /// The command went out of force after routing.
    Gone,
    /// The command is no tool of the chat model.
    NotATool,
    /// The command changes something and the caller did not confirm it.
    NotConfirmed,
    /// The administrators of the guild switched it off.
    SwitchedOff,
    /// What they switched off cannot be read at the moment.
    GuildNotKnown,
    /// A policy demands an operator.
    Owners,
    /// A policy lists users, without this one.
    Users,
    /// A policy lists roles.
    Roles(Lack),
    /// A policy lists channels, without this one.
    Channels,
    /// A policy demands these Discord permissions.
    Discord(Permissions, Lack),
    /// The manifest does not allow the command in such a place.
    Context(Where),
    /// The command is for age-restricted channels, and it is not known whether this is one.
    Age,
    /// Discord checks these default member permissions in its picker, but the command was called otherwise and the
    /// caller is not known to have them.
    Picker(Permissions),
    /// The same where nobody can choose it either: in direct messages, and where a guild did not install the bot.
    Members(Permissions),
}

/// Why a demanded role or permission does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The caller does not have it.
    Missing,
    /// Nobody has it outside guilds.
    OutsideServers,
    /// The event does not say.
    NotSaid,
}

/// Where a command can be used instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// In guilds.
    Servers,
    /// In direct messages with the bot.
    DirectMessages,
    /// Somewhere else.
    Elsewhere,
}

impl Denied {
    /// The rule, for the counters.
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

    /// The stable name of the rule, for the log.
    pub fn name(self) -> &'static str {
        self.rule().name()
    }

    /// The message for the caller. It never says who may use the command instead.
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
