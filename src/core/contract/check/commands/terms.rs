//! Checks a command's terms: where it may be used, by whom and how often.

use std::collections::BTreeSet;

use crate::contract::check::cooldown;
use crate::contract::check::findings::Findings;
use crate::contract::manifest::{MEMBERS, WrittenMembers, WrittenPermissions, WrittenTerms};
use crate::contract::spec::{Command, Install, InteractionContext, Policy};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::inbound::{ChannelId, Permissions, RoleId, UserId};
use crate::text::nearest;

const CONTEXTS: [(&str, InteractionContext); 3] = [
    ("guild", InteractionContext::Guild),
    ("bot-dm", InteractionContext::BotDm),
    ("private-channel", InteractionContext::PrivateChannel),
];
const INSTALLS: [(&str, Install); 2] = [("guild", Install::Guild), ("user", Install::User)];
/// The word that `default_member_permissions` accepts instead of a list.
const ADMINS: &str = "admins";

type Texts = Spanned<Vec<Spanned<String>>>;

/// Applies the terms to the command. Reports invalid terms.
pub(crate) fn apply(command: Command, written: &WrittenTerms, found: &mut Findings) -> Command {
    if let (Some(members), None) = (&written.members, &written.contexts) {
        found.at(Code::ContextsMissing, members.span()).label("permissions exist only in servers").report(
            format!("`{MEMBERS}` needs `contexts` beside it"),
            "write `contexts = [\"guild\"]`; add \"bot-dm\" only if everybody may run it in direct messages",
        );
    }
    let holds = |flag: &Option<Spanned<bool>>| flag.as_ref().is_some_and(|spot| spot.value);
    Command {
        ephemeral: holds(&written.ephemeral),
        operators_only: holds(&written.operators_only),
        nsfw: holds(&written.nsfw),
        contexts: written.contexts.as_ref().map(|list| words("contexts", list, &CONTEXTS, found)),
        installs: written.installs.as_ref().map(|list| words("installs", list, &INSTALLS, found)),
        default_member_permissions: written.members.as_ref().map(|members| self::members(members, found)),
        policy: policy(&written.permissions, found),
        ..command
    }
}

/// Reads a list of known words. Returns each once, in the order of `known`, and reports the others.
fn words<T: Copy + Ord>(key: &str, written: &Texts, known: &[(&str, T)], found: &mut Findings) -> Vec<T> {
    let listed = || known.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
    if written.value.is_empty() {
        found
            .at(Code::ManifestValueInvalid, &written.span)
            .label("nobody could use it")
            .report(format!("`{key}` is an empty list"), format!("write some of {}, or take the key out", listed()));
    }
    let mut words = BTreeSet::new();
    for Spanned { value, span } in &written.value {
        match known.iter().find(|(word, _)| word == value) {
            Some((_, meant)) => {
                words.insert(*meant);
            }
            None => found
                .at(Code::ManifestValueInvalid, span)
                .report(format!("`{key}` does not take `{value}`"), format!("it takes {}", listed())),
        }
    }
    words.into_iter().collect()
}

fn members(written: &WrittenMembers, found: &mut Findings) -> Permissions {
    let wanted = format!("write `{MEMBERS} = \"{ADMINS}\"`, or a list such as `[\"manage_messages\"]`");
    match written {
        WrittenMembers::Word(word) if word.value == ADMINS => Permissions::default(),
        WrittenMembers::Word(word) => {
            let message = format!("`{MEMBERS}` does not take the word `{}`", word.value);
            found.at(Code::ManifestValueInvalid, &word.span).report(message, wanted);
            Permissions::default()
        }
        // Discord reads an empty set as "administrators only", which a manifest author would not expect.
        WrittenMembers::Names(list) if list.value.is_empty() => {
            found
                .at(Code::ManifestValueInvalid, written.span())
                .report(format!("`{MEMBERS}` is an empty list"), wanted);
            Permissions::default()
        }
        WrittenMembers::Names(list) => permissions(MEMBERS, list, found),
    }
}

fn permissions(key: &str, written: &Texts, found: &mut Findings) -> Permissions {
    let mut all = Permissions::default();
    for Spanned { value, span } in &written.value {
        match Permissions::from_name(value) {
            Some(permission) => all = all.and(permission),
            None => {
                let help = match nearest(value, Permissions::names(), 1).first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "write a name such as `manage_messages`, as Discord's documentation has it in lower case"
                        .to_owned(),
                };
                found
                    .at(Code::ManifestValueInvalid, span)
                    .report(format!("`{key}` names the permission `{value}`, which Discord does not have"), help);
            }
        }
    }
    all
}

fn policy(written: &WrittenPermissions, found: &mut Findings) -> Policy {
    Policy {
        users: written.users.as_ref().map(|list| ids("users", list, UserId, found)),
        roles: written.roles.as_ref().map(|list| ids("roles", list, RoleId, found)),
        channels: written.channels.as_ref().map(|list| ids("channels", list, ChannelId, found)),
        discord: written.discord.as_ref().map(|list| permissions("discord", list, found)).unwrap_or_default(),
        owners: written.owners.as_ref().is_some_and(|owners| owners.value),
        cooldowns: cooldown::cooldowns(&written.cooldowns, found),
    }
}

fn ids<T: Ord>(key: &str, written: &Texts, wrap: fn(u64) -> T, found: &mut Findings) -> BTreeSet<T> {
    let mut ids = BTreeSet::new();
    for Spanned { value, span } in &written.value {
        let is_number = value.chars().all(|digit| digit.is_ascii_digit());
        match value.parse().ok().filter(|&id| is_number && id != 0) {
            Some(id) => {
                ids.insert(wrap(id));
            }
            None => found.at(Code::ManifestValueInvalid, span).report(
                format!("`{key}` takes Discord ids, and `{value}` is not one"),
                "turn on developer mode in Discord, and copy the id with a right click: `\"80351110224678912\"`",
            ),
        }
    }
    ids
}
