//! Why a caller may not, and what they are told.

use crate::inbound::{CommandPath, Permissions};
use crate::language::{Language, say};
use crate::record::Denial;

/// Why a caller may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The operator blocked this person.
    Blocked,
    /// The command is for operators.
    OperatorsOnly,
    /// The command went out of force since it was routed.
    Gone,
    /// No model may call the command.
    NotATool,
    /// It changes something, and the person did not confirm it.
    NotConfirmed,
    /// A policy wants an operator.
    Owners,
    /// A policy names people, and this is none of them.
    Users,
    /// A policy names roles.
    Roles(Lack),
    /// A policy names channels, and this is none of them.
    Channels,
    /// A policy wants these permissions of Discord.
    Discord(Permissions, Lack),
    /// Its manifest says where it may be used, and that is not here.
    Context(Where),
    /// It is for age-restricted channels, and nobody knows whether this is one.
    Age,
    /// Discord asks for these permissions where it is chosen, and it was not, nor are they known to be there.
    Picker(Permissions),
}

/// In which way something does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// It is known not to.
    Missing,
    /// Nobody has it outside of servers.
    OutsideServers,
    /// What arrived does not say.
    NotSaid,
}

/// Where a command may be used instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// In servers.
    Servers,
    /// In direct messages with the bot.
    DirectMessages,
    /// Somewhere else.
    Elsewhere,
}

impl Denied {
    /// The rule, as it is counted.
    pub fn rule(self) -> Denial {
        match self {
            Self::Blocked => Denial::Blocked,
            Self::OperatorsOnly => Denial::OperatorsOnly,
            Self::Gone => Denial::Gone,
            Self::NotATool => Denial::NotATool,
            Self::NotConfirmed => Denial::NotConfirmed,
            Self::Owners => Denial::Owners,
            Self::Users => Denial::Users,
            Self::Roles(_) => Denial::Roles,
            Self::Channels => Denial::Channels,
            Self::Discord(..) => Denial::Discord,
            Self::Context(_) => Denial::Context,
            Self::Age => Denial::Age,
            Self::Picker(_) => Denial::Picker,
        }
    }

    /// The stable name of the rule, for the log.
    pub fn name(self) -> &'static str {
        self.rule().name()
    }

    /// What the person is told. It never says who may instead.
    pub fn text(self, path: &CommandPath, language: Language) -> String {
        let command = path.to_string();
        match self {
            Self::Blocked => say!(language, "denied-blocked", command = command),
            Self::OperatorsOnly => say!(language, "denied-operators-only", command = command),
            Self::Gone => say!(language, "denied-gone", command = command),
            Self::NotATool => say!(language, "denied-not-a-tool", command = command),
            Self::NotConfirmed => say!(language, "denied-not-confirmed", command = command),
            Self::Owners => say!(language, "denied-owners", command = command),
            Self::Users => say!(language, "denied-users", command = command),
            Self::Roles(Lack::Missing) => say!(language, "denied-roles", command = command),
            Self::Roles(Lack::OutsideServers) => say!(language, "denied-roles-outside", command = command),
            Self::Roles(Lack::NotSaid) => say!(language, "denied-roles-not-said", command = command),
            Self::Channels => say!(language, "denied-channels", command = command),
            Self::Discord(missing, lack) => {
                let missing = missing.to_string();
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
                say!(language, "denied-picker", command = command, wanted = wanted.to_string())
            }
        }
    }
}
