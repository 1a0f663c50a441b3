//! Who may run a command, and how often: what its manifest and the operator's settings each demand.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::inbound::{ChannelId, Permissions, RoleId, UserId};

/// What must hold for a caller to run a command. Everything must, and an empty list of those who may means nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Only these people, if it is limited to some.
    pub users: Option<BTreeSet<UserId>>,
    /// Only members with at least one of these roles, if it is limited to some.
    pub roles: Option<BTreeSet<RoleId>>,
    /// Only in these channels, if it is limited to some.
    pub channels: Option<BTreeSet<ChannelId>>,
    /// Only members with all these permissions in the channel they ask in.
    pub discord: Permissions,
    /// Only the bot's owners: the operators.
    pub owners: bool,
    /// How often it may run.
    pub cooldowns: Cooldowns,
}

impl Policy {
    /// Whether it demands nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The least time between two runs of a command, for each of whom it is counted for. 1 s to 24 h.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cooldowns {
    /// By the same person.
    pub user: Option<Duration>,
    /// In the same channel.
    pub channel: Option<Duration>,
    /// In the same server.
    pub guild: Option<Duration>,
    /// By anybody anywhere.
    pub global: Option<Duration>,
}
