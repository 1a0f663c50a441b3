//! Converts a guild member into the core's type.

use serenity::model::guild::{Member as DiscordMember, PartialMember};
use serenity::model::id::RoleId as DiscordRoleId;

use candor_core::inbound::{Member, Permissions, RoleId};

/// The member of an interaction, with their permissions in its channel.
pub(crate) fn calling(member: &DiscordMember) -> Member {
    Member {
        roles: roles(&member.roles),
        permissions: member.permissions.map(|permissions| Permissions(permissions.bits())),
    }
}

/// The member of a message, which does not carry its author's permissions.
pub(crate) fn writing(member: &PartialMember) -> Member {
    Member { roles: roles(&member.roles), permissions: None }
}

fn roles(ids: &[DiscordRoleId]) -> Vec<RoleId> {
    ids.iter().map(|id| RoleId(id.get())).collect()
}
