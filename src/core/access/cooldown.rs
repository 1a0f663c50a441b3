//! Cooldown keys: whose runs a cooldown counts, and how long the next run must wait.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::access::rules::{channel, guild};
use crate::contract::Cooldowns;
use crate::inbound::Asking;

/// Whose runs a cooldown counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CooldownKind {
    /// Per user.
    User,
    /// Per channel.
    Channel,
    /// Per guild.
    Guild,
    /// Everybody's together.
    Global,
}

/// One cooldown counter: of whom, and of which command. A policy for a command counts everything below it together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CooldownKey {
    /// The kind of counter.
    pub kind: CooldownKind,
    /// The id of the user, channel or guild; 0 for everybody, and for the console.
    pub id: u64,
    /// The command that the policy is for: `/tasks`. Of an option, the command with its name: `/status range`.
    pub command: String,
}

impl fmt::Display for CooldownKey {
    /// The form kept in the store: `user:7 /tasks add`. It must never change.
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

/// The cooldown keys that must be free for a run, and how long the run occupies each. `written` holds the cooldowns of
/// each policy and each given option with what they are for; for equal keys the longer cooldown counts.
///
/// Outside guilds there is no cooldown per guild.
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
