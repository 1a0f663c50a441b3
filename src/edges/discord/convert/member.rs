//! What somebody is in the server they ask in.

use serenity::model::guild::{Member as DiscordMember, PartialMember};
use serenity::model::id::RoleId as DiscordRoleId;

use candor_core::inbound::{Member, Permissions, RoleId};

/// Of an interaction: with what they may do in its channel.
pub(crate) fn calling(member: &DiscordMember) -> Member {
    Member {
        roles: roles(&member.roles),
        permissions: member.permissions.map(|permissions| Permissions(permissions.bits())),
    }
}

/// Of a message, which does not say what its author may do.
pub(crate) fn writing(member: &PartialMember) -> Member {
    Member { roles: roles(&member.roles), permissions: None }
}

fn roles(ids: &[DiscordRoleId]) -> Vec<RoleId> {
    ids.iter().map(|id| RoleId(id.get())).collect()
}
