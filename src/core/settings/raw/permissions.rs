//! `[permissions]`: who may use single commands, and how often.
//!
//! Each table is named like the command as people type it: `[permissions."/tasks remove"]`.

use std::collections::BTreeSet;
use std::time::Duration;

use super::id::IdKind;
use super::locations::SettingLocations;
use super::reader::SectionReader;
use crate::access::Access;
use crate::contract::{Cooldowns, Policy};
use crate::diagnostic::spanned::{Section, Spanned, TomlValue};
use crate::diagnostic::{Code, Diagnostics};
use crate::inbound::{ChannelId, Permissions, RoleId, UserId};
use crate::text::nearest;

/// The longest cooldown, in seconds: a day.
const COOLDOWN_MAX: u64 = 86_400;

pub(super) fn read(mut table: Section, access: &mut Access, places: &mut SettingLocations, found: &mut Diagnostics) {
    for at in table.keys() {
        // Names of commands contain single spaces.
        let name = at.value.split_whitespace().collect::<Vec<_>>().join(" ");
        match table.take(&at.value) {
            Some((at, Spanned { value: TomlValue::Table(section), .. })) => {
                let is_first = !access.policies.contains_key(&name);
                let policy = policy(section, found);
                if !is_first {
                    let message = format!("`[permissions]` names `{name}` twice");
                    let help = "put everything that a command demands into one table".to_owned();
                    found.push(table.problem(Code::ConfigValueInvalid, &at.span, message, help));
                }
                places.permissions.push(Spanned { value: name.clone(), span: at.span });
                access.policies.insert(name, policy);
            }
            Some((at, _)) => {
                let message = "`[permissions]` holds a table for each command, and this is not one".to_owned();
                let help = "write `[permissions.\"/tasks remove\"]` on a line of its own, and its settings below";
                found.push(table.problem(Code::ConfigUnknownKey, &at.span, message, help.to_owned()));
            }
            None => {}
        }
    }
}

fn policy(section: Section, found: &mut Diagnostics) -> Policy {
    let mut section = SectionReader::new(section, found);
    let mut policy = Policy {
        users: ids(&mut section, "users", IdKind::User, UserId),
        roles: ids(&mut section, "roles", IdKind::Role, RoleId),
        channels: ids(&mut section, "channels", IdKind::Channel, ChannelId),
        discord: discord(&mut section),
        owners: section.boolean("owners").unwrap_or_default(),
        cooldowns: Cooldowns::default(),
    };
    section.section("cooldown_s", |section| policy.cooldowns = cooldowns(section));
    section.finish();
    policy
}

/// Reads a list of ids. A list restricts as soon as it is present, even if it is empty.
pub(super) fn ids<I: Ord>(
    section: &mut SectionReader<'_>,
    key: &'static str,
    kind: IdKind,
    id: impl Fn(u64) -> I,
) -> Option<BTreeSet<I>> {
    let is_there = section.has(key);
    let ids = section.ids(key, kind);
    is_there.then(|| ids.into_iter().map(id).collect())
}

fn discord(section: &mut SectionReader<'_>) -> Permissions {
    let Some(names) = section.texts("discord") else { return Permissions::default() };
    if names.value.is_empty() {
        let message = "`discord` holds no permission, and so demands nothing".to_owned();
        let help = "write permissions of Discord, such as `discord = [\"manage_messages\"]`, or take it out";
        section.invalid(&names.span, message, help.to_owned());
    }
    let mut wanted = Permissions::default();
    for Spanned { value: name, span } in names.value {
        match Permissions::from_name(&name) {
            Some(permission) => wanted = wanted.and(permission),
            None => {
                let help = match nearest(&name, Permissions::names(), 1).first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => {
                        "write the name that Discord documents, in lower case, such as `manage_messages`".to_owned()
                    }
                };
                // Do not repeat the name: it may be anything, even a secret.
                section.invalid(&span, "`discord` takes Discord's permissions, and this is not one".to_owned(), help);
            }
        }
    }
    wanted
}

fn cooldowns(section: &mut SectionReader<'_>) -> Cooldowns {
    let mut seconds = |key| -> Option<Duration> { section.seconds(key, COOLDOWN_MAX) };
    Cooldowns { user: seconds("user"), channel: seconds("channel"), guild: seconds("guild"), global: seconds("global") }
}
