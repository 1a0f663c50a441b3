//! The channels in which a module may post on its own, and who allowed each.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::inbound::{ChannelId, GuildId};

/// The operator's rules on where a module may post on its own; by default nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendPolicy {
    /// The channels: `[modules.send_to]`.
    pub channels: BTreeSet<ChannelId>,
    /// Whether guild administrators may add channels of their guild: `[chat] server_settings` has `module_channels`.
    pub servers_add: bool,
}

impl SendPolicy {
    /// Returns whether there is, or may be, a channel in which the module may post.
    pub fn is_open(&self) -> bool {
        self.servers_add || !self.channels.is_empty()
    }
}

/// The authority that allowed a channel to a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedBy {
    /// The operator.
    Operator,
    /// The administrators of this guild. The channel must belong to it when the message is sent.
    Guild(GuildId),
}

/// The channels in which a module may post on its own, at the place of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendChannels {
    policy: Arc<SendPolicy>,
    of_guild: Option<(GuildId, BTreeSet<ChannelId>)>,
}

impl SendChannels {
    /// Creates the channels that the operator allows.
    pub fn of_operator(policy: Arc<SendPolicy>) -> Self {
        Self { policy, of_guild: None }
    }

    /// Adds the channels that the guild's administrators allow. They count only if the operator permits that.
    #[must_use]
    pub fn with_guild(self, guild: GuildId, channels: BTreeSet<ChannelId>) -> Self {
        let of_guild = self.policy.servers_add.then_some((guild, channels));
        Self { of_guild, ..self }
    }

    /// Returns who allows this channel, if anyone.
    pub fn allowed_by(&self, channel: ChannelId) -> Option<AllowedBy> {
        if self.policy.channels.contains(&channel) {
            return Some(AllowedBy::Operator);
        }
        let (guild, channels) = self.of_guild.as_ref()?;
        channels.contains(&channel).then_some(AllowedBy::Guild(*guild))
    }

    /// Returns all channels, ordered by id.
    pub fn all(&self) -> BTreeSet<ChannelId> {
        let of_guild = self.of_guild.iter().flat_map(|(_, channels)| channels);
        self.policy.channels.iter().chain(of_guild).copied().collect()
    }

    /// Returns whether no channel is allowed.
    pub fn is_empty(&self) -> bool {
        self.policy.channels.is_empty() && self.of_guild.as_ref().is_none_or(|(_, channels)| channels.is_empty())
    }

    /// Returns whether the guild's administrators may allow more.
    pub fn guild_adds(&self) -> bool {
        self.of_guild.is_some()
    }
}

impl FromIterator<ChannelId> for SendChannels {
    /// Creates channels that the operator allows.
    fn from_iter<C: IntoIterator<Item = ChannelId>>(channels: C) -> Self {
        Self::of_operator(Arc::new(SendPolicy { channels: channels.into_iter().collect(), servers_add: false }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_the_operators_or_else_the_guilds_and_a_guild_counts_where_the_operator_lets_it() {
        let here = GuildId(1);
        let ids = |ids: &[u64]| ids.iter().copied().map(ChannelId).collect::<BTreeSet<_>>();
        let policy = |servers_add| Arc::new(SendPolicy { channels: ids(&[5]), servers_add });
        let open = SendChannels::of_operator(policy(true)).with_guild(here, ids(&[5, 6]));
        let closed = SendChannels::of_operator(policy(false)).with_guild(here, ids(&[5, 6]));
        let elsewhere = SendChannels::of_operator(policy(true));
        let by = |channels: &SendChannels| [5, 6, 7].map(|id| channels.allowed_by(ChannelId(id)));
        assert_eq!(by(&open), [Some(AllowedBy::Operator), Some(AllowedBy::Guild(here)), None]);
        for only_operators in [&closed, &elsewhere] {
            assert_eq!(by(only_operators), [Some(AllowedBy::Operator), None, None]);
            assert_eq!((only_operators.all(), only_operators.guild_adds()), (ids(&[5]), false));
        }
        assert_eq!((open.all(), open.guild_adds(), open.is_empty()), (ids(&[5, 6]), true, false));
        let nothing = SendChannels::of_operator(Arc::new(SendPolicy { servers_add: true, ..SendPolicy::default() }));
        assert!(nothing.is_empty() && nothing.clone().with_guild(here, ids(&[])).is_empty());
        assert!(!nothing.with_guild(here, ids(&[6])).is_empty());
    }
}
