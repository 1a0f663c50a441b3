//! For whom a run is counted, and for how long the next has to wait.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::access::rules::{channel, guild};
use crate::contract::Cooldowns;
use crate::inbound::Asking;

/// For whom runs of a command are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CooldownKind {
    /// For a person.
    User,
    /// For a channel.
    Channel,
    /// For a server.
    Guild,
    /// For everybody together.
    Global,
}

/// One count: for whom, and of which command. A policy of a command counts everything below it together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CooldownKey {
    /// For whom.
    pub kind: CooldownKind,
    /// Their id; 0 for everybody, and for the console.
    pub id: u64,
    /// The command that the policy is written for: `/tasks`.
    pub command: String,
}

impl fmt::Display for CooldownKey {
    /// As the store keeps it: `user:7 /tasks add`. Its form must never change.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, id, command } = self;
        match kind {
            CooldownKind::User => write!(f, "user:{id} {command}"),
            CooldownKind::Channel => write!(f, "channel:{id} {command}"),
            CooldownKind::Guild => write!(f, "guild:{id} {command}"),
            CooldownKind::Global => write!(f, "global {command}"),
        }
    }
}

/// What has to be free for somebody to run a command, and for how long it is taken then. `written` holds each policy's
/// cooldowns with the command it is written for; of two for one command and one kind the longer counts.
///
/// Outside of servers there is no server to count for.
pub(super) fn keys<'a>(
    written: impl Iterator<Item = (String, &'a Cooldowns)>,
    asking: &Asking<'_>,
) -> Vec<(CooldownKey, Duration)> {
    let mut keys = BTreeMap::new();
    for (command, cooldowns) in written {
        let counted = [
            (CooldownKind::User, cooldowns.user, Some(asking.caller.id.0)),
            (CooldownKind::Channel, cooldowns.channel, Some(channel(asking.place).map_or(0, |channel| channel.0))),
            (CooldownKind::Guild, cooldowns.guild, guild(asking.place).map(|guild| guild.0)),
            (CooldownKind::Global, cooldowns.global, Some(0)),
        ];
        for (kind, lasts, id) in counted {
            let (Some(lasts), Some(id)) = (lasts, id) else { continue };
            let longest: &mut Duration = keys.entry(CooldownKey { kind, id, command: command.clone() }).or_default();
            *longest = lasts.max(*longest);
        }
    }
    keys.into_iter().collect()
}
