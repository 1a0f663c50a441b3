//! Whoever looks at the page: who they are to the bot, and where.

use std::collections::BTreeSet;

use crate::interaction::{Interaction, Place};
use crate::message::Message;
use crate::payload::{CHANNEL_ID, GUILD_ID, USER_ID};

/// All permissions that Discord has.
const ALL: u64 = (1 << 53) - 1;

/// The user in whose name the page writes and presses.
#[derive(Clone)]
pub(crate) struct Viewer {
    pub(super) user: u64,
    pub(super) locale: String,
    pub(super) is_administrator: bool,
    pub(super) channel: u64,
    /// The tokens of the interactions whose modals were submitted or closed.
    pub(super) closed: BTreeSet<String>,
}

impl Default for Viewer {
    fn default() -> Viewer {
        Viewer {
            user: USER_ID,
            locale: "en-US".to_owned(),
            is_administrator: false,
            channel: CHANNEL_ID,
            closed: BTreeSet::new(),
        }
    }
}

impl Viewer {
    /// The interaction as this user starts it, in this channel.
    pub(super) fn starts(&self, interaction: Interaction, channel: u64, is_dm: bool) -> Interaction {
        let place = if is_dm { Place::Dm } else { Place::Guild { guild: GUILD_ID, channel } };
        let interaction = interaction.by(self.user).locale(&self.locale).at(place);
        if self.is_administrator { interaction.permissions(ALL) } else { interaction }
    }

    /// The message as this user posts it.
    pub(super) fn posts(&self, message: Message, is_dm: bool) -> Message {
        let message = message.by(self.user);
        if is_dm { message.in_dm() } else { message.in_channel(self.channel) }
    }
}
