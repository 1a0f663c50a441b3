//! Access terms of a command: who may run it and how often, by its manifest or the operator's settings.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::inbound::{ChannelId, Permissions, RoleId, UserId};

/// The conditions for running a command. All must hold. An empty set of users, roles or channels admits no one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// If set, only these users.
    pub users: Option<BTreeSet<UserId>>,
    /// If set, only members with at least one of these roles.
    pub roles: Option<BTreeSet<RoleId>>,
    /// If set, only in these channels.
    pub channels: Option<BTreeSet<ChannelId>>,
    /// Only members with all these permissions in the channel where they call the command.
    pub discord: Permissions,
    /// Only operators: the bot's owners.
    pub owners: bool,
    /// How often the command may run.
    pub cooldowns: Cooldowns,
}

impl Policy {
    /// Returns whether it has no conditions.
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
    /// By any user anywhere.
    pub global: Option<Duration>,
}

/// A context in which a command may be used. See Discord's documentation, "Interaction Context Types".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InteractionContext {
    /// In guilds.
    Guild = 0,
    /// In direct messages with the bot.
    BotDm = 1,
    /// In direct messages and groups without the bot.
    PrivateChannel = 2,
}

/// The installation that a command needs to be shown. See Discord's documentation, "Application Integration Types".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Install {
    /// In the guild.
    Guild = 0,
    /// By the user.
    User = 1,
}
