//! What arrived, in our own words: who, where, and what they typed or chose.
//!
//! Edges build these values from the outside world; everything behind them sees nothing else. Ids are
//! numbers with a type each, so that a user can never be mistaken for a channel, and a caller's identity
//! is only ever built here, from an event, never from the arguments of a command.

use std::time::SystemTime;

use serde_json::{Map, Value};

use crate::inbound::caller::{Asked, Caller};
use crate::inbound::place::Place;
use crate::inbound::{Asking, CommandType, EventId, UserId};

/// One thing that arrived.
#[derive(Clone, Debug, PartialEq)]
pub enum Inbound {
    /// A command that was not typed: chosen in Discord's picker or menu, pressed or submitted.
    Interaction(Interaction),
    /// A message, on Discord or a line typed in the console.
    Message(Message),
}

impl Inbound {
    /// Who sent it.
    pub fn caller(&self) -> &Caller {
        match self {
            Self::Interaction(interaction) => &interaction.caller,
            Self::Message(message) => &message.caller,
        }
    }

    /// The event it came from.
    pub fn event(&self) -> EventId {
        match self {
            Self::Interaction(interaction) => interaction.id,
            Self::Message(message) => message.id,
        }
    }

    /// How a command in it is asked for.
    pub fn asked(&self) -> Asked {
        match self {
            Self::Interaction(interaction) => interaction.asked,
            Self::Message(_) => Asked::Typed,
        }
    }

    /// Who asks, where and how.
    pub fn asking(&self) -> Asking<'_> {
        Asking { caller: self.caller(), place: self.place(), asked: self.asked() }
    }

    /// Where it was sent.
    pub fn place(&self) -> Place {
        match self {
            Self::Interaction(interaction) => interaction.place,
            Self::Message(message) => message.place,
        }
    }
}

/// A command as Discord's picker, menu, button or form sends it. Untrusted: a stale client may send anything.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// How it was asked for. Never typed.
    pub asked: Asked,
    /// Whether it is a slash command or an entry of a menu.
    pub surface: CommandType,
    /// Its id, unique over all of Discord.
    pub id: EventId,
    /// Who chose it.
    pub caller: Caller,
    /// Where.
    pub place: Place,
    /// The names chosen, without a slash: the command, then group and subcommand.
    pub path: Vec<String>,
    /// The options by name. Values have JSON types as received; users, channels and the like are objects as
    /// `contract::entity` describes them.
    pub arguments: Map<String, Value>,
    /// What an entry of a menu was chosen on: a user or a message, in the same form.
    pub target: Option<Value>,
    /// When it was sent, by the sender's clock.
    pub sent: SystemTime,
}

/// A message as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its id, unique over all of Discord.
    pub id: EventId,
    /// Who wrote it.
    pub caller: Caller,
    /// What kind of author that is.
    pub author: Author,
    /// Where.
    pub place: Place,
    /// Whether, and how, it speaks to the bot.
    pub addressed: Addressed,
    /// The bot's own id, whose leading mention is not part of the words.
    pub bot: UserId,
    /// The text, exactly as received.
    pub text: String,
    /// When it was sent, by the sender's clock.
    pub sent: SystemTime,
}

/// What kind of author wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// A person.
    Person,
    /// Another bot.
    Bot,
    /// A webhook.
    Webhook,
    /// This bot.
    Itself,
}

/// How a message speaks to the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressed {
    /// It mentions the bot.
    Mention,
    /// It was sent to the bot alone: a direct message or the console.
    Direct,
    /// It replies to a message of the bot.
    Reply,
    /// Its channel is one where every message is for the bot.
    ChatChannel,
    /// It does not.
    No,
}
