//! The place where a command is called: a guild channel, a direct message or the console.

use crate::inbound::{ChannelId, GuildId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Guild {
        guild: GuildId,
        /// The channel or thread.
        channel: ChannelId,
    },
    /// A direct message or group direct message.
    Direct { channel: ChannelId },
    /// The terminal of the machine the bot runs on.
    Console,
}

impl Place {
    /// Returns the community that shares data here: the guild, the direct-message channel or the console. The string is
    /// the scope of stored records, so its form must never change.
    pub fn scope(&self) -> String {
        match self {
            Self::Guild { guild, .. } => format!("guild:{guild}"),
            Self::Direct { channel } => format!("dm:{channel}"),
            Self::Console => "console".to_owned(),
        }
    }

    /// Returns the unique key of the channel. It is part of a conversation's key, so its form must never change.
    pub fn key(&self) -> String {
        match self {
            Self::Guild { guild, channel } => format!("guild:{guild}/{channel}"),
            Self::Direct { channel } => format!("dm:{channel}"),
            Self::Console => "console".to_owned(),
        }
    }

    /// Parses a key made by [`Place::key`].
    pub fn from_key(key: &str) -> Option<Self> {
        let place = if let Some(ids) = key.strip_prefix("guild:") {
            let (guild, channel) = ids.split_once('/')?;
            Self::Guild { guild: GuildId(guild.parse().ok()?), channel: ChannelId(channel.parse().ok()?) }
        } else if let Some(channel) = key.strip_prefix("dm:") {
            Self::Direct { channel: ChannelId(channel.parse().ok()?) }
        } else {
            Self::Console
        };
        // Reject other spellings of a number (`+7`, `007`): a key has only one.
        (place.key() == key).then_some(place)
    }
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
