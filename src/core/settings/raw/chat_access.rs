//! `[chat.access]`: who may talk with the chat model, and how much.

use super::id::IdKind;
use super::permissions::ids;
use super::reader::{IdsOrWord, Reader, set};
use crate::access::{ChatAccess, DirectMessages};
use crate::inbound::{ChannelId, GuildId, RoleId, UserId};

pub(super) fn read(section: &mut Reader<'_>, access: &mut ChatAccess) {
    access.users = ids(section, "users", IdKind::User, UserId);
    access.roles = ids(section, "roles", IdKind::Role, RoleId);
    access.channels = ids(section, "channels", IdKind::Channel, ChannelId);
    access.guilds = ids(section, "guilds", IdKind::Guild, GuildId);
    let words = [("everybody", DirectMessages::Everybody), ("nobody", DirectMessages::Nobody)];
    let direct = section.ids_or_word("direct", IdKind::User, &words).map(|direct| match direct {
        IdsOrWord::Ids(ids) => DirectMessages::Listed(ids.into_iter().map(UserId).collect()),
        IdsOrWord::Word(word) => word,
    });
    set(&mut access.direct, direct);
    set(&mut access.per_minute, section.whole("per_minute", 1..=600));
    set(&mut access.turns_at_once, section.whole("turns_at_once", 1..=64));
}
