//! The access rules, one function for each. An unknown role or permission counts as missing.
//!
//! Discord enforces some rules itself when a command is chosen in the picker of a guild that installed the bot. Those
//! are not checked again there, because the guild's administrators may have overridden them. Where Discord does not
//! check, the manifest applies.

use std::collections::BTreeSet;

use crate::access::denied::{Denied, Lack, Where};
use crate::contract::{Command, InteractionContext, Policy};
use crate::guild::OffHere;
use crate::inbound::{Asking, CallMethod, ChannelId, CommandPath, GuildId, Member, Permissions, Place, UserId};

fn member<'a>(asking: &Asking<'a>) -> Result<&'a Member, Lack> {
    guild(asking.place).ok_or(Lack::OutsideServers)?;
    asking.caller.member.as_ref().ok_or(Lack::NotSaid)
}

fn permissions(asking: &Asking<'_>) -> Result<Permissions, Lack> {
    member(asking)?.permissions.ok_or(Lack::NotSaid)
}

pub(super) fn channel(place: Place) -> Option<ChannelId> {
    match place {
        Place::Guild { channel, .. } | Place::Direct { channel } => Some(channel),
        Place::Console => None,
    }
}

pub(super) fn guild(place: Place) -> Option<GuildId> {
    match place {
        Place::Guild { guild, .. } => Some(guild),
        Place::Direct { .. } | Place::Console => None,
    }
}

/// The purpose of an access check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Run,
    /// Listing the command. The bot builds the list, so Discord has not checked it.
    List,
}

/// Checks the commands that the guild's administrators switched off.
pub(super) fn of_guild(off: &OffHere, command: &Command, path: &CommandPath) -> Result<(), Denied> {
    match off {
        OffHere::These(off) if off.covers(&command.owner.to_string(), path) => Err(Denied::SwitchedOff),
        OffHere::NotKnown if !OffHere::is_exempt(path) => Err(Denied::GuildNotKnown),
        OffHere::Nothing | OffHere::These(_) | OffHere::NotKnown => Ok(()),
    }
}

/// Checks the restrictions that the manifest registers with Discord. The console is exempt.
pub(super) fn of_command(command: &Command, asking: &Asking<'_>, purpose: Use) -> Result<(), Denied> {
    if asking.place == Place::Console {
        return Ok(());
    }
    context(command, asking)?;
    if command.nsfw && asking.method == CallMethod::Typed {
        return Err(Denied::Age);
    }
    members(command, asking, purpose)
}

/// Checks everything that a policy demands, except its cooldowns.
pub(super) fn of_policy(policy: &Policy, asking: &Asking<'_>, is_operator: bool) -> Result<(), Denied> {
    // A guild itself has no person's roles or permissions: a module continues a call that a permitted person asked for.
    // A policy that admits no one still ends it.
    let is_person = !asking.is_guild();
    if is_person && policy.owners && !is_operator {
        return Err(Denied::Owners);
    }
    let is_denied = |users: &BTreeSet<UserId>| users.is_empty() || is_person && !users.contains(&asking.caller.id);
    if policy.users.as_ref().is_some_and(is_denied) {
        return Err(Denied::Users);
    }
    if let Some(channels) = &policy.channels
        && !channel(asking.place).is_some_and(|here| channels.contains(&here))
    {
        return Err(Denied::Channels);
    }
    if !is_person {
        let is_for_none = policy.roles.as_ref().is_some_and(BTreeSet::is_empty);
        return if is_for_none { Err(Denied::Roles(Lack::Missing)) } else { Ok(()) };
    }
    if let Some(roles) = &policy.roles {
        let member = member(asking).map_err(Denied::Roles)?;
        if !member.roles.iter().any(|role| roles.contains(role)) {
            return Err(Denied::Roles(Lack::Missing));
        }
    }
    if !policy.discord.is_empty() {
        let has = permissions(asking).map_err(|lack| Denied::Discord(policy.discord, lack))?;
        let missing = has.missing(policy.discord);
        if !missing.is_empty() {
            return Err(Denied::Discord(missing, Lack::Missing));
        }
    }
    Ok(())
}

fn context(command: &Command, asking: &Asking<'_>) -> Result<(), Denied> {
    let Some(contexts) = &command.contexts else { return Ok(()) };
    let has = |context| contexts.contains(&context);
    let fits = match (asking.place, asking.method) {
        (Place::Console, _) => true,
        (Place::Guild { .. }, _) => has(InteractionContext::Guild),
        // Typed messages reach the bot only in its own direct messages. Discord has checked every other call.
        (Place::Direct { .. }, CallMethod::Typed) => has(InteractionContext::BotDm),
        (Place::Direct { .. }, _) => has(InteractionContext::BotDm) || has(InteractionContext::PrivateChannel),
    };
    match (fits, asking.place) {
        (true, _) => Ok(()),
        (false, Place::Direct { .. }) if has(InteractionContext::Guild) => Err(Denied::Context(Where::Servers)),
        (false, Place::Guild { .. }) if has(InteractionContext::BotDm) => Err(Denied::Context(Where::DirectMessages)),
        (false, _) => Err(Denied::Context(Where::Elsewhere)),
    }
}

/// Checks the default member permissions. Discord checks them when a command is chosen in the picker of a guild that
/// installed the bot. Everywhere else the permissions of this event count: a component or modal may be used long after
/// the right to the command was revoked. Direct messages have no members, so the manifest must declare the command for
/// direct messages.
fn members(command: &Command, asking: &Asking<'_>, purpose: Use) -> Result<(), Denied> {
    let Some(wanted) = command.default_member_permissions else { return Ok(()) };
    let is_checked = match asking.place {
        Place::Guild { .. } => asking.is_guild() || asking.method == CallMethod::Picked && purpose == Use::Run,
        Place::Direct { .. } => command.contexts.is_some(),
        Place::Console => true,
    };
    let wanted = if wanted.is_empty() { Permissions::ADMINISTRATOR } else { wanted };
    match permissions(asking) {
        _ if is_checked => Ok(()),
        Ok(has) if has.missing(wanted).is_empty() => Ok(()),
        // Do not suggest the picker where it does not help either.
        Ok(_) | Err(_) if guild(asking.place).is_none() || asking.method == CallMethod::PickedByUserInstall => {
            Err(Denied::Members(wanted))
        }
        Ok(_) | Err(_) => Err(Denied::Picker(wanted)),
    }
}
