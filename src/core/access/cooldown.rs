//! Cooldown keys: which runs a cooldown counts, and how long the next run must wait.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::access::rules::{channel, guild};
use crate::contract::Cooldowns;
use crate::guild::{Counted, GuildCooldowns};
use crate::inbound::{Asking, CommandPath, GuildId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CooldownKind {
    User,
    Channel,
    Guild,
    /// All users together.
    Global,
    /// Per user in one guild, set by its administrators. It does not affect the user elsewhere.
    Member(GuildId),
}

/// The key of one cooldown counter. A policy for a command counts everything below it together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CooldownKey {
    pub kind: CooldownKind,
    /// The id of the user, channel or guild. 0 for a global counter, and for the console.
    pub id: u64,
    /// The command of the policy: `/tasks`. For an option, the command with the option's name: `/status range`.
    pub command: String,
}

impl fmt::Display for CooldownKey {
    /// Writes the form kept in the store: `user:7 /tasks add`. It must never change.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, id, command } = self;
        match kind {
            CooldownKind::User => write!(f, "user:{id} {command}"),
            CooldownKind::Channel => write!(f, "channel:{id} {command}"),
            CooldownKind::Guild => write!(f, "guild:{id} {command}"),
            CooldownKind::Global => write!(f, "global {command}"),
            CooldownKind::Member(guild) => write!(f, "user:{id} {command} in:{guild}"),
        }
    }
}

/// Drops the manifest's cooldowns of each kind that the guild's administrators set for this command.
pub(super) fn beside(here: &GuildCooldowns, of_manifest: Cooldowns, path: &CommandPath) -> Cooldowns {
    let unless = |set| move |_: &Duration| !here.of(path).any(|(_, counted, _)| counted == set);
    Cooldowns {
        user: of_manifest.user.filter(unless(Counted::Member)),
        channel: of_manifest.channel.filter(unless(Counted::Channel)),
        guild: of_manifest.guild.filter(unless(Counted::Guild)),
        global: of_manifest.global,
    }
}

/// Returns the cooldown keys that must be free for a run, and how long the run occupies each. `written` holds the
/// cooldowns of each policy and each given option, with their names. `here` holds the guild's. For equal keys the
/// longer cooldown counts.
///
/// Outside guilds there is no cooldown per guild.
pub(super) fn keys(
    written: impl Iterator<Item = (String, Cooldowns)>,
    here: &GuildCooldowns,
    path: &CommandPath,
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
    for (command, counted, lasts) in here.of(path) {
        let (Some(guild), Some(channel)) = (guild(asking.place), channel(asking.place)) else { continue };
        let (kind, id) = match counted {
            Counted::Member => (CooldownKind::Member(guild), asking.caller.id.0),
            Counted::Channel => (CooldownKind::Channel, channel.0),
            Counted::Guild => (CooldownKind::Guild, guild.0),
        };
        if !lasts.is_zero() {
            let longest = keys.entry(CooldownKey { kind, id, command: command.to_owned() }).or_default();
            *longest = lasts.max(*longest);
        }
    }
    keys.into_iter().collect()
}
