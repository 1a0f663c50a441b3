//! What arrived, in our own words: who, where, and what they typed or chose.
//!
//! Edges build these values from the outside world; everything behind them sees nothing else. Ids are
//! numbers with a type each, so that a user can never be mistaken for a channel, and a caller's identity
//! is only ever built here, from an event, never from the arguments of a command.
#![deny(clippy::disallowed_methods)]

use std::fmt;
use std::time::SystemTime;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::contract::CommandSurface;
use crate::language::Language;
use crate::permissions::Permissions;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A person, as Discord numbers them. The console's person is 0, which Discord never gives out.
    UserId
);
id!(
    /// A Discord server.
    GuildId
);
id!(
    /// A Discord channel, thread or direct-message channel.
    ChannelId
);
id!(
    /// A role of a Discord server.
    RoleId
);
id!(
    /// The interaction or message an inbound came from: the key of its claim.
    EventId
);

impl EventId {
    /// The event of the `n`th call that a chat model makes in the turn of `event`: always the same one, and none
    /// that Discord gives out, whose highest bit is 0 for the next half century.
    pub fn of_call(event: Self, n: u32) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(event.0.to_be_bytes());
        hasher.update(n.to_be_bytes());
        let hash = hasher.finalize().into_iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(byte));
        Self(hash | 1 << 63)
    }
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Their id, taken from the event.
    pub id: UserId,
    /// Their display name. Untrusted text: for display only.
    pub name: String,
    /// What the bot speaks to them.
    pub language: Language,
    /// What they are in the server they ask in; `None` outside of servers, and where the event does not say.
    pub member: Option<Member>,
}

impl Caller {
    /// Somebody of whom nothing else is known.
    pub fn new(id: UserId, name: impl Into<String>) -> Self {
        Self { id, name: name.into(), language: Language::default(), member: None }
    }
}

/// A member of a server, as the event describes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Their roles.
    pub roles: Vec<RoleId>,
    /// What they may do in the channel they ask in. Interactions say so; messages do not.
    pub permissions: Option<Permissions>,
}

/// Where they ask: the surface and the place on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A channel of a server.
    Guild {
        /// The server.
        guild: GuildId,
        /// The channel or thread in it.
        channel: ChannelId,
    },
    /// A direct message or group channel.
    Direct {
        /// The channel.
        channel: ChannelId,
    },
    /// The terminal of the machine the bot runs on.
    Console,
}

impl Place {
    /// The community that shares data here: the server, the direct-message channel or the console.
    /// Used as the scope of stored records, so its form must never change.
    pub fn scope(&self) -> String {
        match self {
            Self::Guild { guild, .. } => format!("guild:{guild}"),
            Self::Direct { channel } => format!("dm:{channel}"),
            Self::Console => "console".to_owned(),
        }
    }

    /// The channel's own key, which no other place shares. Used as part of a conversation's key, so its
    /// form must never change.
    pub fn key(&self) -> String {
        match self {
            Self::Guild { guild, channel } => format!("guild:{guild}/{channel}"),
            Self::Direct { channel } => format!("dm:{channel}"),
            Self::Console => "console".to_owned(),
        }
    }

    /// The place of a key that [`Place::key`] made.
    pub fn from_key(key: &str) -> Option<Self> {
        let place = if let Some(ids) = key.strip_prefix("guild:") {
            let (guild, channel) = ids.split_once('/')?;
            Self::Guild { guild: GuildId(guild.parse().ok()?), channel: ChannelId(channel.parse().ok()?) }
        } else if let Some(channel) = key.strip_prefix("dm:") {
            Self::Direct { channel: ChannelId(channel.parse().ok()?) }
        } else {
            Self::Console
        };
        // Numbers have more than one spelling (`+7`, `007`); a key has one.
        (place.key() == key).then_some(place)
    }
}

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
    pub surface: CommandSurface,
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

/// How a command was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// It was chosen in Discord's picker or in a menu.
    Picked,
    /// It was written as text, which may have been meant as words.
    Typed,
    /// A button was pressed, or something chosen in a list, under an answer of the bot.
    Pressed,
    /// A form was sent in.
    Submitted,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_places_key_reads_back_and_nothing_else_does() {
        let places = [
            Place::Guild { guild: GuildId(1), channel: ChannelId(u64::MAX) },
            Place::Direct { channel: ChannelId(0) },
            Place::Console,
        ];
        for place in places {
            assert_eq!(Place::from_key(&place.key()), Some(place));
        }
        for key in ["", "Console", "console ", "guild:1", "guild:1/", "guild:+1/2", "guild:1/2/3", "dm:007", "dm:-1"] {
            assert_eq!(Place::from_key(key), None, "{key}");
        }
    }
}
