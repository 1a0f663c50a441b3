//! A command's terms as written in a manifest: who may use it, where and how often.

use std::ops::Range;

use crate::diagnostic::Diagnostics;
use crate::diagnostic::spanned::{Section, Spanned};

/// The key for the permissions by which Discord decides who sees the command.
pub(crate) const MEMBERS: &str = "default_member_permissions";

#[derive(Debug, Default)]
pub(crate) struct WrittenTerms {
    pub(crate) ephemeral: Option<Spanned<bool>>,
    pub(crate) operators_only: Option<Spanned<bool>>,
    pub(crate) nsfw: Option<Spanned<bool>>,
    pub(crate) contexts: Option<Spanned<Vec<Spanned<String>>>>,
    pub(crate) installs: Option<Spanned<Vec<Spanned<String>>>>,
    pub(crate) members: Option<WrittenMembers>,
    pub(crate) permissions: WrittenPermissions,
}

#[derive(Debug)]
pub(crate) enum WrittenMembers {
    /// Only `"admins"` is valid.
    Word(Spanned<String>),
    Names(Spanned<Vec<Spanned<String>>>),
}

/// `[commands."/x".permissions]`
#[derive(Debug, Default)]
pub(crate) struct WrittenPermissions {
    pub(crate) users: Option<Spanned<Vec<Spanned<String>>>>,
    pub(crate) roles: Option<Spanned<Vec<Spanned<String>>>>,
    pub(crate) channels: Option<Spanned<Vec<Spanned<String>>>>,
    pub(crate) discord: Option<Spanned<Vec<Spanned<String>>>>,
    pub(crate) owners: Option<Spanned<bool>>,
    pub(crate) cooldowns: WrittenCooldowns,
}

/// `cooldown_s`, each in seconds.
#[derive(Debug, Default)]
pub(crate) struct WrittenCooldowns {
    pub(crate) user: Option<Spanned<i64>>,
    pub(crate) channel: Option<Spanned<i64>>,
    pub(crate) guild: Option<Spanned<i64>>,
    pub(crate) global: Option<Spanned<i64>>,
}

pub(super) fn terms(table: &mut Section, found: &mut Diagnostics) -> WrittenTerms {
    WrittenTerms {
        ephemeral: table.boolean("ephemeral", found),
        operators_only: table.boolean("operators_only", found),
        nsfw: table.boolean("nsfw", found),
        contexts: table.strings("contexts", found),
        installs: table.strings("installs", found),
        members: members(table, found),
        permissions: table.section("permissions", found).map(|inner| permissions(inner, found)).unwrap_or_default(),
    }
}

fn members(table: &mut Section, found: &mut Diagnostics) -> Option<WrittenMembers> {
    match table.has_text(MEMBERS) {
        true => table.string(MEMBERS, found).map(WrittenMembers::Word),
        false => table.strings(MEMBERS, found).map(WrittenMembers::Names),
    }
}

fn permissions(mut table: Section, found: &mut Diagnostics) -> WrittenPermissions {
    let permissions = WrittenPermissions {
        users: table.strings("users", found),
        roles: table.strings("roles", found),
        channels: table.strings("channels", found),
        discord: table.strings("discord", found),
        owners: table.boolean("owners", found),
        cooldowns: table.section("cooldown_s", found).map(|inner| cooldowns(inner, found)).unwrap_or_default(),
    };
    table.finish(found);
    permissions
}

pub(super) fn cooldowns(mut table: Section, found: &mut Diagnostics) -> WrittenCooldowns {
    let cooldowns = WrittenCooldowns {
        user: table.integer("user", found),
        channel: table.integer("channel", found),
        guild: table.integer("guild", found),
        global: table.integer("global", found),
    };
    table.finish(found);
    cooldowns
}

impl WrittenMembers {
    pub(crate) fn span(&self) -> &Range<usize> {
        match self {
            Self::Word(word) => &word.span,
            Self::Names(names) => &names.span,
        }
    }
}
