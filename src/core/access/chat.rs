//! The rules of `[chat.access]`: who may talk with the chat model, and how much.

use std::collections::BTreeSet;

use crate::access::rules;
use crate::inbound::{Caller, ChannelId, GuildId, Place, RoleId, UserId};
use crate::language::{Language, say};

/// The conditions for talking with the chat model. All must hold. An empty list admits no caller. The console is
/// exempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatAccess {
    /// Only these users, if set. They may also write direct messages.
    pub users: Option<BTreeSet<UserId>>,
    /// In guilds: only members with at least one of these roles, if set.
    pub roles: Option<BTreeSet<RoleId>>,
    /// In guilds: only in these channels, if set.
    pub channels: Option<BTreeSet<ChannelId>>,
    /// Only in these guilds, if set.
    pub guilds: Option<BTreeSet<GuildId>>,
    /// Who may write direct messages.
    pub direct: DirectMessages,
    /// The most messages of one person to the model in a minute. 1 to 600.
    pub per_minute: usize,
    /// The most concurrent turns in one guild; further ones wait. 1 to 64.
    pub turns_at_once: usize,
}

impl Default for ChatAccess {
    /// Admits everyone in the bot's guilds, and operators in direct messages.
    fn default() -> Self {
        Self {
            users: None,
            roles: None,
            channels: None,
            guilds: None,
            direct: DirectMessages::Listed(BTreeSet::new()),
            per_minute: 10,
            turns_at_once: 4,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectMessages {
    /// Operators, these users, and those that [`ChatAccess::users`] lists.
    Listed(BTreeSet<UserId>),
    /// Every user who shares a guild with the bot.
    Everybody,
    /// Not even operators.
    Nobody,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatDenied {
    /// This person may not talk with the model here, but others may.
    Person,
    /// Chat is not allowed in this place.
    Place,
    /// This person may not talk with the model in direct messages.
    Direct,
}

impl ChatDenied {
    pub fn text(self, language: Language) -> String {
        match self {
            Self::Person => say!(language, "chat-denied-person"),
            Self::Place => say!(language, "chat-denied-place"),
            Self::Direct => say!(language, "chat-denied-direct"),
        }
    }
}

impl ChatAccess {
    /// Checks whether this caller may talk with the model here.
    ///
    /// # Errors
    /// The first condition that does not hold.
    pub fn admits(&self, caller: &Caller, place: Place, is_operator: bool) -> Result<(), ChatDenied> {
        let is_listed = |users: &BTreeSet<UserId>| users.contains(&caller.id);
        match place {
            Place::Console => return Ok(()),
            Place::Direct { .. } => {
                let admits = match &self.direct {
                    DirectMessages::Everybody => true,
                    DirectMessages::Nobody => false,
                    DirectMessages::Listed(users) => {
                        is_operator || is_listed(users) || self.users.as_ref().is_some_and(is_listed)
                    }
                };
                if !admits {
                    return Err(ChatDenied::Direct);
                }
            }
            Place::Guild { guild, channel } => {
                if self.guilds.as_ref().is_some_and(|guilds| !guilds.contains(&guild))
                    || self.channels.as_ref().is_some_and(|channels| !channels.contains(&channel))
                {
                    return Err(ChatDenied::Place);
                }
                let has = |roles: &BTreeSet<RoleId>| {
                    caller.member.iter().flat_map(|member| &member.roles).any(|role| roles.contains(role))
                };
                if self.roles.as_ref().is_some_and(|roles| !has(roles)) {
                    return Err(ChatDenied::Person);
                }
            }
        }
        // In direct messages, a user listed in `direct` need not be in `users` as well.
        if rules::guild(place).is_some() && self.users.as_ref().is_some_and(|users| !is_listed(users)) {
            return Err(ChatDenied::Person);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbound::Member;

    const GUILD: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };
    const DIRECT: Place = Place::Direct { channel: ChannelId(3) };

    fn set<I: Ord>(ids: impl IntoIterator<Item = I>) -> Option<BTreeSet<I>> {
        Some(ids.into_iter().collect())
    }

    /// H5: there is a list of who may chat, and everything can be narrowed to nobody.
    #[test]
    fn h5_each_condition_narrows_and_an_empty_list_admits_nobody() {
        let person = Err(ChatDenied::Person);
        let place = Err(ChatDenied::Place);
        let direct = Err(ChatDenied::Direct);
        let open = ChatAccess::default;
        let listed = DirectMessages::Listed([UserId(7)].into());
        // What a member with role 5 gets in a guild and in a direct message, and an operator in a direct message.
        let cases = [
            (open(), Ok(()), direct, Ok(())),
            (ChatAccess { direct: DirectMessages::Everybody, ..open() }, Ok(()), Ok(()), Ok(())),
            (ChatAccess { direct: DirectMessages::Nobody, ..open() }, Ok(()), direct, direct),
            (ChatAccess { direct: listed, ..open() }, Ok(()), Ok(()), Ok(())),
            (ChatAccess { users: set([UserId(7)]), ..open() }, Ok(()), Ok(()), Ok(())),
            (ChatAccess { users: set([UserId(8)]), ..open() }, person, direct, Ok(())),
            (ChatAccess { users: set([]), ..open() }, person, direct, Ok(())),
            (ChatAccess { roles: set([RoleId(5)]), ..open() }, Ok(()), direct, Ok(())),
            (ChatAccess { roles: set([RoleId(6)]), ..open() }, person, direct, Ok(())),
            (ChatAccess { roles: set([]), ..open() }, person, direct, Ok(())),
            (ChatAccess { channels: set([ChannelId(2)]), ..open() }, Ok(()), direct, Ok(())),
            (ChatAccess { channels: set([]), ..open() }, place, direct, Ok(())),
            (ChatAccess { guilds: set([GuildId(1)]), ..open() }, Ok(()), direct, Ok(())),
            (ChatAccess { guilds: set([]), ..open() }, place, direct, Ok(())),
        ];
        let member = Member { roles: vec![RoleId(5)], permissions: None };
        let caller = Caller { member: Some(member), ..Caller::new(UserId(7), "ann") };
        for (access, in_guild, in_direct, of_operator) in cases {
            assert_eq!(access.admits(&caller, GUILD, false), in_guild, "{access:?}");
            assert_eq!(access.admits(&caller, DIRECT, false), in_direct, "{access:?}");
            let operator = Caller::new(UserId(9), "operator");
            assert_eq!(access.admits(&operator, DIRECT, true), of_operator, "{access:?}");
            assert_eq!(access.admits(&caller, Place::Console, false), Ok(()), "{access:?}");
        }
    }
}
