//! Summarizes the access rules of commands and chat, for operators, and builds a caller whom a command admits.

use std::time::Duration;

use crate::access::{Access, ChatAccess, DirectMessages};
use crate::contract::{Command, Cooldowns, InteractionContext, Leaf, Policy};
use crate::inbound::{Caller, ChannelId, CommandPath, GuildId, Member, Permissions, Place, UserId};
use crate::registry::Registry;

const EVERYONE: &str = "everyone";

impl Access {
    /// Lists everything demanded for running a command: `roles 1, channels 2, manage_messages, cooldown 5 s a person`.
    /// The demands of its groups, subcommands and options follow, by name.
    pub fn summary(&self, command: &Command) -> String {
        let path = CommandPath::at(command.command_type, &[&command.name]);
        let of_settings = self.policies.get(&path.to_string());
        let mut parts = vec![shown(of_command(command, of_settings))];
        let below = below(command).into_iter().filter_map(|below| {
            let policy = self.policies.get(&below.to_string())?;
            let name = below.below().collect::<Vec<_>>().join(" ");
            Some(format!("{name}: {}", shown(of_policy(policy))))
        });
        parts.extend(below);
        parts.extend(command.leaves().flat_map(of_options));
        parts.join("; ")
    }

    /// Returns one line for each restricted command, and one for chat unless it has the default rules. `None` if
    /// nothing is restricted.
    pub fn table(&self, registry: &Registry) -> Option<String> {
        let mut restricted: Vec<_> = registry
            .all()
            .map(|command| (CommandPath::at(command.command_type, &[&command.name]).to_string(), self.summary(command)))
            .filter(|(_, summary)| summary != EVERYONE)
            .collect();
        restricted.extend((self.chat != ChatAccess::default()).then(|| ("chat".to_owned(), of_chat(&self.chat))));
        let width = restricted.iter().map(|(name, _)| name.chars().count()).max()?.max(10);
        let lines = restricted.iter().map(|(name, summary)| format!("  {name:<width$} {summary}"));
        Some(
            ["who may use what; everyone may use what is not listed".to_owned()]
                .into_iter()
                .chain(lines)
                .collect::<Vec<_>>()
                .join("\n"),
        )
    }
}

/// Returns the groups and subcommands below a command, which can have policies.
fn below(command: &Command) -> Vec<CommandPath> {
    let mut paths = Vec::new();
    for path in command.leaves().map(|leaf| &leaf.path) {
        let names: Vec<_> = path.names().collect();
        let above = (2..=names.len()).filter_map(|n| names.get(..n));
        for path in above.map(|names| CommandPath::at(command.command_type, names)) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths
}

/// Summarizes the rules for the chat model: `roles 1; direct messages: operators and 2 listed; 10 messages a minute; 4
/// turns at once a server`.
fn of_chat(chat: &ChatAccess) -> String {
    let ChatAccess { users, roles, channels, guilds, direct, per_minute, turns_at_once } = chat;
    let counts = [
        ("people", users.as_ref().map(|users| users.len())),
        ("roles", roles.as_ref().map(|roles| roles.len())),
        ("channels", channels.as_ref().map(|channels| channels.len())),
        ("servers", guilds.as_ref().map(|guilds| guilds.len())),
    ];
    let direct = match direct {
        DirectMessages::Everybody => "everybody".to_owned(),
        DirectMessages::Nobody => "nobody".to_owned(),
        DirectMessages::Listed(users) if users.is_empty() => "operators".to_owned(),
        DirectMessages::Listed(users) => format!("operators and {} listed", users.len()),
    };
    [
        shown(listed(counts)),
        format!("direct messages: {direct}"),
        format!("{per_minute} messages a minute"),
        format!("{turns_at_once} turns at once a server"),
    ]
    .join("; ")
}

/// Shows the size of each list. An empty list admits no one.
fn listed<const N: usize>(counts: [(&str, Option<usize>); N]) -> Vec<String> {
    let listed = counts.into_iter().filter_map(|(what, count)| match count? {
        0 => Some("nobody".to_owned()),
        count => Some(format!("{what} {count}")),
    });
    listed.collect()
}

/// Lists the demands on a command as a whole, by its manifest and by the operator's settings.
fn of_command(command: &Command, of_settings: Option<&Policy>) -> Vec<String> {
    let policies: Vec<_> = [&command.policy].into_iter().chain(of_settings).collect();
    let mut demands: Vec<String> = command.operators_only.then(|| "operators".to_owned()).into_iter().collect();
    let demanded = policies.iter().fold(Permissions::default(), |all, policy| all.and(policy.discord));
    demands.extend(command.default_member_permissions.and_then(|wanted| match wanted.0 & !demanded.0 {
        _ if wanted.is_empty() => Some("by default administrators".to_owned()),
        // A permission that the policy demands anyway is not only a default.
        0 => None,
        more => Some(format!("by default {}", Permissions(more))),
    }));
    demands.extend(command.nsfw.then(|| "age-restricted channels".to_owned()));
    demands.extend(policies.into_iter().flat_map(of_policy));
    demands
}

fn of_policy(policy: &Policy) -> Vec<String> {
    let Policy { users, roles, channels, discord, owners, cooldowns } = policy;
    let mut demands: Vec<String> = owners.then(|| "operators".to_owned()).into_iter().collect();
    let counts = [
        ("people", users.as_ref().map(|users| users.len())),
        ("roles", roles.as_ref().map(|roles| roles.len())),
        ("channels", channels.as_ref().map(|channels| channels.len())),
    ];
    demands.extend(listed(counts));
    // One entry per permission, to remove duplicates: the manifest and the settings may demand the same one.
    let names = discord.to_string();
    demands.extend(names.split(", ").filter(|_| !discord.is_empty()).map(str::to_owned));
    demands.extend(waits(cooldowns));
    demands
}

/// Lists the cooldowns of a command's options: `range: cooldown 3 s a person`.
fn of_options(leaf: &Leaf) -> impl Iterator<Item = String> {
    leaf.options.iter().filter_map(|option| {
        let waits: Vec<_> = waits(&option.cooldowns).collect();
        let name = leaf.path().below().chain([option.name.as_str()]).collect::<Vec<_>>().join(" ");
        (!waits.is_empty()).then(|| format!("{name}: {}", shown(waits)))
    })
}

fn waits(Cooldowns { user, channel, guild, global }: &Cooldowns) -> impl Iterator<Item = String> {
    let waits = [("a person", user), ("a channel", channel), ("a server", guild), ("for all", global)];
    waits.into_iter().filter_map(|(whom, wait)| wait.as_ref().map(|wait| cooldown(wait, whom)))
}

fn cooldown(wait: &Duration, whom: &str) -> String {
    format!("cooldown {} s {whom}", wait.as_secs())
}

/// Joins demands without duplicates.
fn shown(demands: Vec<String>) -> String {
    let mut each: Vec<String> = Vec::new();
    for demand in demands {
        if !each.contains(&demand) {
            each.push(demand);
        }
    }
    if each.is_empty() { EVERYONE.to_owned() } else { each.join(", ") }
}

/// Builds a caller, access rules and a place that satisfy every rule of the manifest, unless a rule admits no caller.
pub(crate) fn admitted(command: &Command) -> (Access, Caller, Place) {
    let Policy { users, roles, channels, .. } = &command.policy;
    let first = |ids: Option<u64>| ids.unwrap_or(1);
    let id = UserId(first(users.iter().flatten().next().map(|user| user.0)));
    let channel = ChannelId(first(channels.iter().flatten().next().map(|channel| channel.0)));
    let in_server = command.contexts.as_ref().is_none_or(|contexts| contexts.contains(&InteractionContext::Guild));
    let place = match in_server {
        true => Place::Guild { guild: GuildId(1), channel },
        false => Place::Direct { channel },
    };
    let member =
        Member { roles: roles.iter().flatten().copied().collect(), permissions: Some(Permissions::ADMINISTRATOR) };
    let caller = Caller { member: Some(member), ..Caller::new(id, "probe") };
    (Access { operators: [id].into(), ..Access::default() }, caller, place)
}

/// Returns whether a rule of the manifest admits no caller: an empty list of users, roles or channels.
pub(crate) fn admits_nobody(command: &Command) -> bool {
    let Policy { users, roles, channels, .. } = &command.policy;
    users.as_ref().is_some_and(|users| users.is_empty())
        || roles.as_ref().is_some_and(|roles| roles.is_empty())
        || channels.as_ref().is_some_and(|channels| channels.is_empty())
}
