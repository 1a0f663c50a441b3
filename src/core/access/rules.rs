//! Whether each rule holds for somebody who asks. What is not known does not hold.
//!
//! What Discord itself enforces when a command is chosen in its picker is not asked a second time there: a server's
//! administrators may have decided otherwise. Wherever Discord does not look, the manifest's own word counts.

use crate::access::denied::{Denied, Lack, Where};
use crate::contract::{Command, Context, Policy};
use crate::inbound::{Asked, Asking, ChannelId, GuildId, Member, Permissions, Place};

fn member<'a>(asking: &Asking<'a>) -> Result<&'a Member, Lack> {
    guild(asking.place).ok_or(Lack::OutsideServers)?;
    asking.caller.member.as_ref().ok_or(Lack::NotSaid)
}

fn permissions(asking: &Asking<'_>) -> Result<Permissions, Lack> {
    member(asking)?.permissions.ok_or(Lack::NotSaid)
}

/// The channel, where there is one.
pub(super) fn channel(place: Place) -> Option<ChannelId> {
    match place {
        Place::Guild { channel, .. } | Place::Direct { channel } => Some(channel),
        Place::Console => None,
    }
}

/// The server, where there is one.
pub(super) fn guild(place: Place) -> Option<GuildId> {
    match place {
        Place::Guild { guild, .. } => Some(guild),
        Place::Direct { .. } | Place::Console => None,
    }
}

/// What is decided about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A run of the command that was asked for.
    Run,
    /// An entry of a list of what may be used: a list is made by the bot, and Discord has looked at nothing in it.
    Entry,
}

/// What a manifest says to Discord about a command. The console is no place of Discord.
pub(super) fn of_command(command: &Command, asking: &Asking<'_>, about: Purpose) -> Result<(), Denied> {
    if asking.place == Place::Console {
        return Ok(());
    }
    context(command, asking)?;
    if command.nsfw && asking.asked == Asked::Typed {
        return Err(Denied::Age);
    }
    members(command, asking, about)
}

/// Everything that a policy demands, but for its cooldowns.
pub(super) fn of_policy(policy: &Policy, asking: &Asking<'_>, is_operator: bool) -> Result<(), Denied> {
    if policy.owners && !is_operator {
        return Err(Denied::Owners);
    }
    if policy.users.as_ref().is_some_and(|users| !users.contains(&asking.caller.id)) {
        return Err(Denied::Users);
    }
    if let Some(channels) = &policy.channels
        && !channel(asking.place).is_some_and(|here| channels.contains(&here))
    {
        return Err(Denied::Channels);
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
    let fits = match (asking.place, asking.asked) {
        (Place::Console, _) => true,
        (Place::Guild { .. }, _) => has(Context::Guild),
        // A message reaches the bot in its own direct messages alone. Of anything else Discord has seen to it.
        (Place::Direct { .. }, Asked::Typed) => has(Context::BotDm),
        (Place::Direct { .. }, Asked::Picked | Asked::Pressed | Asked::Submitted) => {
            has(Context::BotDm) || has(Context::PrivateChannel)
        }
    };
    match (fits, asking.place) {
        (true, _) => Ok(()),
        (false, Place::Direct { .. }) if has(Context::Guild) => Err(Denied::Context(Where::Servers)),
        (false, Place::Guild { .. }) if has(Context::BotDm) => Err(Denied::Context(Where::DirectMessages)),
        (false, _) => Err(Denied::Context(Where::Elsewhere)),
    }
}

/// The permissions that members need by default. Discord asks for them where the command is chosen: a form was opened by
/// somebody who had chosen it, and a control is signed for whom it was shown. In direct messages nobody is a member: what
/// Discord lets people choose there is theirs to choose, and nothing else runs.
fn members(command: &Command, asking: &Asking<'_>, about: Purpose) -> Result<(), Denied> {
    let Some(wanted) = command.default_member_permissions else { return Ok(()) };
    let was_chosen = match asking.asked {
        Asked::Picked | Asked::Submitted | Asked::Pressed => true,
        Asked::Typed => false,
    };
    if was_chosen && (about == Purpose::Run || guild(asking.place).is_none()) {
        return Ok(());
    }
    let wanted = if wanted.is_empty() { Permissions::ADMINISTRATOR } else { wanted };
    match permissions(asking) {
        Ok(has) if has.missing(wanted).is_empty() => Ok(()),
        Ok(_) | Err(_) => Err(Denied::Picker(wanted)),
    }
}
