//! An inbound event: an interaction or a message.
//!
//! Each kind of id has a distinct type, so a user cannot be mistaken for a channel. A caller's identity is built only
//! here, from an event, never from the arguments of a command.

use std::time::SystemTime;

use serde_json::{Map, Value};

use crate::inbound::caller::{CallMethod, Caller};
use crate::inbound::place::Place;
use crate::inbound::{Asking, CameWith, CommandType, EventId, UserId};
use crate::language::Language;

#[derive(Clone, Debug, PartialEq)]
pub enum Inbound {
    /// A command that was not typed: from Discord's picker or a context menu, a component or a modal.
    Interaction(Interaction),
    /// A Discord message, or a line typed in the console.
    Message(Message),
    /// A press of *Go on* under a reply that ends in the middle.
    GoOn(GoOn),
}

impl Inbound {
    pub fn caller(&self) -> &Caller {
        match self {
            Self::Interaction(interaction) => &interaction.caller,
            Self::Message(message) => &message.caller,
            Self::GoOn(press) => &press.caller,
        }
    }

    pub fn event(&self) -> EventId {
        match self {
            Self::Interaction(interaction) => interaction.id,
            Self::Message(message) => message.id,
            Self::GoOn(press) => press.id,
        }
    }

    /// Returns the method by which a command in this event is called.
    pub fn method(&self) -> CallMethod {
        match self {
            Self::Interaction(interaction) => interaction.method,
            Self::Message(_) => CallMethod::Typed,
            Self::GoOn(_) => CallMethod::Pressed,
        }
    }

    /// Returns whether it may be for the bot. A message must come from a person and be addressed to the bot.
    pub fn is_for_the_bot(&self) -> bool {
        match self {
            Self::Message(message) => message.author == AuthorKind::Person && message.addressed != Addressed::No,
            Self::Interaction(_) | Self::GoOn(_) => true,
        }
    }

    /// Sets the language for answers to the caller.
    pub fn speak(&mut self, language: Language) {
        let caller = match self {
            Self::Interaction(interaction) => &mut interaction.caller,
            Self::Message(message) => &mut message.caller,
            Self::GoOn(press) => &mut press.caller,
        };
        caller.language = language;
    }

    pub fn came_with(&self) -> Option<&CameWith> {
        match self {
            Self::Message(message) => Some(&message.came_with),
            Self::Interaction(_) | Self::GoOn(_) => None,
        }
    }

    pub fn asking(&self) -> Asking<'_> {
        Asking { caller: self.caller(), place: self.place(), method: self.method() }
    }

    pub fn place(&self) -> Place {
        match self {
            Self::Interaction(interaction) => interaction.place,
            Self::Message(message) => message.place,
            Self::GoOn(press) => press.place,
        }
    }
}

/// A command sent by Discord's picker, a context menu, a component or a modal. Untrusted: a stale client may send
/// anything.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// How it was called. Never typed.
    pub method: CallMethod,
    pub command_type: CommandType,
    /// The interaction id, unique across Discord.
    pub id: EventId,
    pub caller: Caller,
    pub place: Place,
    /// The chosen names, without slash: the command, then group and subcommand.
    pub path: Vec<String>,
    /// The options by name. Values have the JSON types received. Users, channels and other Discord objects are JSON
    /// objects as described in `contract::entity`.
    pub arguments: Map<String, Value>,
    /// The user or message that a context-menu command was used on, in the same form.
    pub target: Option<Value>,
    /// When it was sent, by the sender's clock.
    pub sent: SystemTime,
}

/// A message as received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The message id, unique across Discord.
    pub id: EventId,
    pub caller: Caller,
    pub author: AuthorKind,
    pub place: Place,
    pub addressed: Addressed,
    /// The bot's user id; a leading mention of it is not part of the text.
    pub bot: UserId,
    /// The text, exactly as received.
    pub text: String,
    pub came_with: CameWith,
    /// When it was sent, by the sender's clock.
    pub sent: SystemTime,
}

/// A request to continue a chat reply. It carries no text: the router gives the model a fixed sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoOn {
    /// The interaction id.
    pub id: EventId,
    pub caller: Caller,
    pub place: Place,
    /// The number of the turn whose reply is continued.
    pub turn: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorKind {
    Person,
    /// Another bot.
    Bot,
    Webhook,
    /// Discord, in a notice about an action of a person: a thread that was opened, a pin, a boost. Its text may be a
    /// name that the person chose.
    Notice,
    /// This bot.
    Itself,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressed {
    Mention,
    /// It was sent to the bot alone: as a direct message or in the console.
    Direct,
    /// It replies to a message of the bot.
    Reply,
    /// It is in a channel where every message is for the bot.
    ChatChannel,
    /// It does not address the bot.
    No,
}
