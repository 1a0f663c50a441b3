//! The target of a reply: a message, or a press of *Go on* under one.

use serenity::all::{ChannelId, GuildId, MessageId};

use crate::convert;
use crate::payload::{ComponentInteraction, Message};
use candor_core::inbound::{EventId, Place, UserId};

/// The event and message that a reply answers, its asker and its place.
#[derive(Clone, Copy)]
pub(crate) struct ReplyTarget {
    /// The event. Nonces begin with it.
    pub(crate) event: EventId,
    pub(crate) channel: ChannelId,
    /// The channel of the message: another one if a thread was opened for the answer.
    pub(crate) asked_in: ChannelId,
    pub(crate) message: MessageId,
    /// The guild, if others may read along.
    pub(crate) guild: Option<GuildId>,
    pub(crate) person: UserId,
}

impl ReplyTarget {
    pub(crate) fn message(message: &Message<'_>) -> Self {
        Self {
            event: EventId(message.id.get()),
            channel: message.channel_id,
            asked_in: message.channel_id,
            message: message.id,
            guild: message.guild_id,
            person: UserId(message.author.id.get()),
        }
    }

    pub(crate) fn place(&self) -> Place {
        convert::place(self.guild.map(GuildId::get), self.channel.get())
    }

    pub(crate) fn press(press: &ComponentInteraction<'_>) -> Self {
        Self {
            event: EventId(press.id.get()),
            channel: press.channel_id,
            asked_in: press.channel_id,
            message: press.data.message.id,
            guild: press.guild_id,
            person: UserId(press.user.id.get()),
        }
    }
}
