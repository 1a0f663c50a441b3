//! Converts a guild member into the core's type.

use crate::edges::discord::payload;
use candor_core::inbound::{Member, Permissions, RoleId};

/// Converts the member of an interaction, with their permissions in its channel.
pub(crate) fn calling(member: &payload::Member<'_>) -> Member {
    Member { permissions: member.permissions.map(Permissions), ..writing(member) }
}

/// Converts the member of a message, which does not carry its author's permissions.
pub(crate) fn writing(member: &payload::Member<'_>) -> Member {
    Member { roles: member.roles.iter().map(|role| RoleId(role.get())).collect(), permissions: None }
}
