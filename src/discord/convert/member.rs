//! What somebody is in the server they ask in.

use serenity::model::guild::{Member as DiscordMember, PartialMember};
use serenity::model::id::RoleId as DiscordRoleId;

use crate::inbound::{Member, RoleId};
use crate::permissions::Permissions;

/// Of an interaction: with what they may do in its channel.
pub(super) fn calling(member: &DiscordMember) -> Member {
    Member {
        roles: roles(&member.roles),
        permissions: member.permissions.map(|permissions| Permissions(permissions.bits())),
    }
}

/// Of a message, which does not say what its author may do.
pub(super) fn writing(member: &PartialMember) -> Member {
    Member { roles: roles(&member.roles), permissions: None }
}

fn roles(ids: &[DiscordRoleId]) -> Vec<RoleId> {
    ids.iter().map(|id| RoleId(id.get())).collect()
}
