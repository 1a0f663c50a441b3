//! The kinds of callers.

use crate::inbound::{AuthorKind, Caller, ChannelId, GuildId, Member, Permissions, Place, RoleId, UserId};

pub(super) const LISTED: UserId = UserId(7);
pub(super) const OPERATOR: UserId = UserId(8);
pub(super) const BLOCKED: UserId = UserId(9);
pub(super) const ROLE: RoleId = RoleId(40);
pub(super) const HERE: ChannelId = ChannelId(5);
pub(super) const MANAGE: Permissions = Permissions(0x2000);

/// A kind of caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// The user of the console.
    Console,
    /// An operator, who is a member without a role or permissions.
    Operator,
    /// A member with the role and the permission.
    Moderator,
    /// A member without either.
    Member,
    /// A member without either, whom a list of users names.
    Listed,
    /// A member whom the operator blocked. They are an operator, and have the role and the permission.
    Blocked,
    /// Somebody who installed the bot for themselves, with the permission in a guild that did not add it.
    UserInstalled,
    /// The same without the permission.
    UserInstalledWithout,
    /// A member without either who installed the bot for themselves, in a guild that added it and does not let them
    /// use the command.
    UserInstalledHere,
    /// A person in the bot's direct messages.
    Direct,
    /// Somebody of whom the event does not say that they are a member: they left.
    Left,
    /// Another bot, with the role and the permission. It can only write.
    Bot,
    /// A webhook. It can only write.
    Webhook,
}

pub(super) const EVERYBODY: [Who; 13] = [
    Who::Console,
    Who::Operator,
    Who::Moderator,
    Who::Member,
    Who::Listed,
    Who::Blocked,
    Who::UserInstalled,
    Who::UserInstalledWithout,
    Who::UserInstalledHere,
    Who::Direct,
    Who::Left,
    Who::Bot,
    Who::Webhook,
];

impl Who {
    /// Who writes, to whoever reads a message.
    pub(super) fn author(self) -> AuthorKind {
        match self {
            Self::Bot => AuthorKind::Bot,
            Self::Webhook => AuthorKind::Webhook,
            _ => AuthorKind::Person,
        }
    }

    /// The same person in the bot's direct messages. The console's user has none, and is where they are.
    pub(super) fn calls_directly(self) -> (Caller, Place) {
        match self.calls(false) {
            console @ (_, Place::Console) => console,
            (caller, _) => (Caller { member: None, ..caller }, Place::Direct { channel: ChannelId(6) }),
        }
    }

    /// The caller and the place, as an event describes them. Only messages do not tell permissions.
    pub(super) fn calls(self, tells_permissions: bool) -> (Caller, Place) {
        let here = Place::Guild { guild: GuildId(4), channel: HERE };
        let (id, place) = match self {
            Self::Console => (UserId(0), Place::Console),
            Self::Operator => (OPERATOR, here),
            Self::Listed => (LISTED, here),
            Self::Blocked => (BLOCKED, here),
            Self::Moderator | Self::Member | Self::UserInstalledHere | Self::Left | Self::Bot | Self::Webhook => {
                (UserId(10), here)
            }
            Self::UserInstalled | Self::UserInstalledWithout => {
                (UserId(10), Place::Guild { guild: GuildId(44), channel: ChannelId(55) })
            }
            Self::Direct => (UserId(10), Place::Direct { channel: ChannelId(6) }),
        };
        let has_all = matches!(self, Self::Moderator | Self::Blocked | Self::Bot);
        let roles = if has_all { vec![ROLE] } else { Vec::new() };
        let permissions = if has_all || self == Self::UserInstalled { MANAGE } else { Permissions(0) };
        let permissions = tells_permissions.then_some(permissions);
        let is_member = !matches!(self, Self::Console | Self::Direct | Self::Left);
        let member = is_member.then_some(Member { roles, permissions });
        (Caller { member, ..Caller::new(id, "somebody") }, place)
    }
}
