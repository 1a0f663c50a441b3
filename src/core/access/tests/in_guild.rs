//! Cooldowns that the administrators of a guild set, beside the manifest's and the operator's.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Map;

use crate::access::*;
use crate::contract::{Checked, Command, CommandKind, Cooldowns, Leaf, Owner, Policy, Subcommand};
use crate::guild::{GuildCooldowns, GuildSetting, GuildValue, KnownNames, Rules};
use crate::inbound::{CallMethod, Caller, ChannelId, CommandPath, EventId, GuildId, Place, UserId};
use crate::record::Origin;
use crate::registry::Registry;
use crate::router::Invocation;
use crate::testing::accepted;

const SERVER: Place = Place::Guild { guild: GuildId(4), channel: ChannelId(5) };

fn policy(user: u64, channel: u64) -> Policy {
    let lasts = |seconds: u64| (0 < seconds).then(|| Duration::from_secs(seconds));
    let cooldowns = Cooldowns { user: lasts(user), channel: lasts(channel), global: lasts(9), ..Cooldowns::default() };
    Policy { cooldowns, ..Policy::default() }
}

/// `/tasks` with `list` and `remove`, under this policy.
fn registry(policy: Policy) -> Arc<Registry> {
    let leaf = || Leaf::new("unused", Vec::new(), None);
    let subcommands = ["list", "remove"].map(|name| Subcommand::new(name, "Does something", leaf()));
    let kind = CommandKind::of_subcommands(subcommands.into());
    let tasks = Command { policy, ..Command::new("tasks", "Tasks", Owner::Builtin, kind) };
    let module = accepted(Owner::Builtin, vec![tasks]);
    Arc::new(Registry::build(Checked { accepted: vec![module], ..Checked::default() }))
}

fn invocation(place: Place) -> Invocation {
    Invocation {
        event: EventId(1),
        caller: Caller::new(UserId(7), "ann"),
        place,
        method: CallMethod::Picked,
        path: CommandPath::new("tasks", Some("remove")),
        arguments: Map::new(),
    }
}

fn set(text: &str) -> GuildCooldowns {
    let commands = ["/tasks", "/tasks list", "/tasks remove"].map(str::to_owned).into();
    match GuildValue::parse(GuildSetting::Cooldowns, text, KnownNames { commands: &commands, ..KnownNames::NOTHING }) {
        Ok(GuildValue::Cooldowns(cooldowns)) => cooldowns,
        other => panic!("{other:?}"),
    }
}

fn keys(permit: &Permit) -> Vec<String> {
    permit.cooldowns().iter().map(|(key, lasts)| format!("{key}: {}", lasts.as_secs())).collect()
}

#[test]
fn what_is_set_in_a_guild_stands_in_place_of_the_manifests_and_beside_the_operators() {
    let registry = registry(policy(10, 20));
    let operators = || Access { policies: [("/tasks remove".to_owned(), policy(60, 0))].into(), ..Access::default() };
    let (plain, waits) = (Access::default(), operators());
    let cases: [(&Access, &str, &[&str]); 8] = [
        (&plain, "/tasks list 1s", &["user:7 /tasks: 10", "channel:5 /tasks: 20", "global /tasks: 9"]),
        // Shorter, and longer.
        (&plain, "/tasks 2s", &["channel:5 /tasks: 20", "global /tasks: 9", "user:7 /tasks in:4: 2"]),
        (&plain, "/tasks 90s channel", &["user:7 /tasks: 10", "channel:5 /tasks: 90", "global /tasks: 9"]),
        (&plain, "/tasks remove 2s", &["channel:5 /tasks: 20", "global /tasks: 9", "user:7 /tasks remove in:4: 2"]),
        (
            &plain,
            "/tasks 5s, /tasks remove 7s server",
            &["channel:5 /tasks: 20", "guild:4 /tasks remove: 7", "global /tasks: 9", "user:7 /tasks in:4: 5"],
        ),
        // None at all, but for those of everybody everywhere.
        (&plain, "/tasks 0, /tasks 0 channel", &["global /tasks: 9"]),
        (
            &waits,
            "/tasks 0",
            &["user:7 /tasks remove: 60", "channel:5 /tasks: 20", "global /tasks: 9", "global /tasks remove: 9"],
        ),
        (
            &waits,
            "/tasks remove 0",
            &["user:7 /tasks remove: 60", "channel:5 /tasks: 20", "global /tasks: 9", "global /tasks remove: 9"],
        ),
    ];
    for (operators, text, expected) in cases {
        let rules = Rules::of([GuildValue::Cooldowns(set(text))].into_iter().collect());
        let here = operators.here(&rules);
        assert_eq!(keys(&authorize(invocation(SERVER), &registry, &here).unwrap()), expected, "{text}");
        assert!(operators.cooldowns.is_empty());
    }
}

#[test]
fn it_counts_for_every_way_to_run_a_command_except_those_that_the_host_paces() {
    let registry = registry(Policy::default());
    let access = Access { cooldowns: set("/tasks 30s"), ..Access::default() };
    let permit = authorize(invocation(SERVER), &registry, &access).unwrap();
    assert_eq!(keys(&permit), ["user:7 /tasks in:4: 30"]);
    let refresh = authorize_refresh(invocation(SERVER), &registry, &access).unwrap();
    assert_eq!(keys(&refresh), Vec::<String>::new());
    assert_eq!(refresh.spend().origin, Origin::Refresh);
    // A place without a guild has no settings; should some be given all the same, they are of no guild.
    let direct = authorize(invocation(Place::Direct { channel: ChannelId(6) }), &registry, &access).unwrap();
    assert_eq!(keys(&direct), Vec::<String>::new());
}
