//! Access terms of a command, who may run it and how often, as demanded by a manifest or by the operator's settings.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::inbound::{ChannelId, Permissions, RoleId, UserId};

/// The conditions for running a command. All must hold; an empty list of users, roles or channels admits nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Only these users, if set.
    pub users: Option<BTreeSet<UserId>>,
    /// Only members with at least one of these roles, if set.
    pub roles: Option<BTreeSet<RoleId>>,
    /// Only in these channels, if set.
    pub channels: Option<BTreeSet<ChannelId>>,
    /// Only members with all these permissions in the channel where they call the command.
    pub discord: Permissions,
    /// Only operators: the bot's owners.
    pub owners: bool,
    /// How often the command may run.
    pub cooldowns: Cooldowns,
}

impl Policy {
    /// Whether it demands nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The least time between two runs of a command, counted separately for each kind. 1 s to 24 h.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cooldowns {
    /// By the same user.
    pub user: Option<Duration>,
    /// In the same channel.
    pub channel: Option<Duration>,
    /// In the same guild.
    pub guild: Option<Duration>,
    /// By anybody anywhere.
    pub global: Option<Duration>,
}
