//! Builds a caller whom a command's manifest admits, to prove that the command can be reached.

use crate::access::Access;
use crate::contract::{Command, InteractionContext, Policy};
use crate::inbound::{Caller, ChannelId, GuildId, Member, Permissions, Place, UserId};

/// Builds a caller, access rules and a place that satisfy every rule of the manifest, unless a rule admits no caller.
pub(crate) fn admitted(command: &Command) -> (Access, Caller, Place) {
    let Policy { users, roles, channels, .. } = &command.policy;
    let first = |ids: Option<u64>| ids.unwrap_or(1);
    let id = UserId(first(users.iter().flatten().next().map(|user| user.0)));
    let channel = ChannelId(first(channels.iter().flatten().next().map(|channel| channel.0)));
    let in_server = command.contexts.as_ref().is_none_or(|contexts| contexts.contains(&InteractionContext::Guild));
    let place = match in_server {
        true => Place::Guild { guild: GuildId(1), channel },
        false => Place::Direct { channel },
    };
    let member =
        Member { roles: roles.iter().flatten().copied().collect(), permissions: Some(Permissions::ADMINISTRATOR) };
    let caller = Caller { member: Some(member), ..Caller::new(id, "probe") };
    (Access { operators: [id].into(), ..Access::default() }, caller, place)
}

/// Returns whether a rule of the manifest admits no caller: an empty list of users, roles or channels.
pub(crate) fn admits_nobody(command: &Command) -> bool {
    let Policy { users, roles, channels, .. } = &command.policy;
    users.as_ref().is_some_and(|users| users.is_empty())
        || roles.as_ref().is_some_and(|roles| roles.is_empty())
        || channels.as_ref().is_some_and(|channels| channels.is_empty())
}
