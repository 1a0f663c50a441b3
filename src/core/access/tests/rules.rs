//! Every rule alone, pairs of rules, and that an additional rule never allows more.

use std::sync::Arc;
use std::time::Duration;

use proptest::collection::btree_set;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_oneof, proptest};
use serde_json::{Map, Value, json};

use crate::access::*;
use crate::contract::{
    Checked, Command, CommandKind, Cooldowns, InteractionContext, Leaf, OptionKind, OptionSpec, Owner, Policy,
    Subcommand,
};
use crate::guild::{GuildSetting, GuildValue, GuildValues, KnownNames, OffHere, Rules};
use crate::inbound::{
    Asking, CallMethod, Caller, ChannelId, CommandPath, EventId, GuildId, Member, Permissions, Place, RoleId, UserId,
};
use crate::language::Language;
use crate::registry::Registry;
use crate::router::Invocation;
use crate::testing::accepted;

const ANN: UserId = UserId(7);
const OPERATOR: UserId = UserId(8);
const MODERATOR: RoleId = RoleId(40);
const CHANNEL: ChannelId = ChannelId(5);
const SERVER: Place = Place::Guild { guild: GuildId(4), channel: CHANNEL };
const DIRECT: Place = Place::Direct { channel: ChannelId(6) };
const MANAGE: Permissions = Permissions(0x2000);
const BAN: Permissions = Permissions(0x4);

fn leaf() -> Leaf {
    Leaf::new("unused", Vec::new(), None)
}

/// `/tasks` with `list` and `remove`.
fn tasks() -> Command {
    lists("tasks")
}

fn lists(name: &str) -> Command {
    let subcommands = ["list", "remove"].map(|name| Subcommand::new(name, "Does something", leaf()));
    Command::new(name, "Tasks", Owner::Builtin, CommandKind::of_subcommands(subcommands.into()))
}

fn remove() -> CommandPath {
    CommandPath::new("tasks", Some("remove"))
}

fn registry(commands: Vec<Command>) -> Arc<Registry> {
    let module = accepted(Owner::Builtin, commands);
    Arc::new(Registry::build(Checked { accepted: vec![module], ..Checked::default() }))
}

/// A member with the moderators' role and these permissions, as an interaction reports them.
fn member(id: UserId, permissions: Option<Permissions>) -> Caller {
    Caller { member: Some(Member { roles: vec![MODERATOR], permissions }), ..Caller::new(id, "somebody") }
}

fn access(policies: &[(&str, Policy)]) -> Access {
    let policies = policies.iter().map(|(name, policy)| ((*name).to_owned(), policy.clone())).collect();
    Access { operators: [OPERATOR].into(), policies, ..Access::default() }
}

fn asked(access: &Access, command: &Command, caller: &Caller, place: Place, method: CallMethod) -> Result<(), Denied> {
    access.allows(command, &remove(), &Asking { caller, place, method })
}

fn users(ids: &[UserId]) -> Policy {
    Policy { users: Some(ids.iter().copied().collect()), ..Policy::default() }
}

fn roles(ids: &[RoleId]) -> Policy {
    Policy { roles: Some(ids.iter().copied().collect()), ..Policy::default() }
}

fn channels(ids: &[ChannelId]) -> Policy {
    Policy { channels: Some(ids.iter().copied().collect()), ..Policy::default() }
}

fn discord(wanted: Permissions) -> Policy {
    Policy { discord: wanted, ..Policy::default() }
}

fn owners() -> Policy {
    Policy { owners: true, ..Policy::default() }
}

#[test]
fn a_guild_itself_needs_no_person_s_rights_and_where_nobody_may_or_elsewhere_it_has_nothing_run() {
    let guild = Caller::of_guild(Language::ENGLISH);
    let managed = Command { default_member_permissions: Some(MANAGE), ..lists("tasks") };
    let of_operators = Command { operators_only: true, ..lists("tasks") };
    let cases = [
        (managed, Policy::default(), SERVER, Ok(())),
        (of_operators.clone(), Policy::default(), SERVER, Ok(())),
        (lists("tasks"), owners(), SERVER, Ok(())),
        (lists("tasks"), users(&[ANN]), SERVER, Ok(())),
        (lists("tasks"), roles(&[MODERATOR]), SERVER, Ok(())),
        (lists("tasks"), discord(MANAGE), SERVER, Ok(())),
        (lists("tasks"), users(&[]), SERVER, Err(Denied::Users)),
        (lists("tasks"), roles(&[]), SERVER, Err(Denied::Roles(Lack::Missing))),
        (lists("tasks"), channels(&[ChannelId(99)]), SERVER, Err(Denied::Channels)),
        // Nobody is a guild outside of one.
        (of_operators, Policy::default(), DIRECT, Err(Denied::OperatorsOnly)),
        (lists("tasks"), users(&[ANN]), DIRECT, Err(Denied::Users)),
    ];
    for (command, policy, place, expected) in cases {
        let access = access(&[("/tasks", policy.clone())]);
        let found = asked(&access, &command, &guild, place, CallMethod::Pressed);
        assert_eq!(found, expected, "{policy:?} {place:?}");
    }
}

#[test]
fn each_rule_holds_or_does_not_and_what_is_not_known_does_not() {
    let ann = member(ANN, Some(MANAGE));
    let typing = member(ANN, None);
    let unknown = Caller::new(ANN, "somebody");
    let admin = member(ANN, Some(Permissions::ADMINISTRATOR));
    let operator = member(OPERATOR, None);
    let cases = [
        (Policy::default(), &unknown, SERVER, Ok(())),
        (users(&[UserId(1), ANN]), &unknown, SERVER, Ok(())),
        (users(&[UserId(1)]), &ann, SERVER, Err(Denied::Users)),
        (users(&[]), &ann, SERVER, Err(Denied::Users)),
        (users(&[]), &operator, SERVER, Err(Denied::Users)),
        (users(&[ANN]), &Caller::new(UserId(0), "console"), Place::Console, Err(Denied::Users)),
        (roles(&[RoleId(1), MODERATOR]), &typing, SERVER, Ok(())),
        (roles(&[RoleId(1)]), &admin, SERVER, Err(Denied::Roles(Lack::Missing))),
        (roles(&[]), &ann, SERVER, Err(Denied::Roles(Lack::Missing))),
        (roles(&[MODERATOR]), &unknown, SERVER, Err(Denied::Roles(Lack::NotSaid))),
        (roles(&[MODERATOR]), &unknown, DIRECT, Err(Denied::Roles(Lack::OutsideServers))),
        (roles(&[MODERATOR]), &ann, DIRECT, Err(Denied::Roles(Lack::OutsideServers))),
        (roles(&[MODERATOR]), &unknown, Place::Console, Err(Denied::Roles(Lack::OutsideServers))),
        (channels(&[CHANNEL]), &unknown, SERVER, Ok(())),
        (channels(&[ChannelId(6)]), &unknown, DIRECT, Ok(())),
        (channels(&[ChannelId(6)]), &ann, SERVER, Err(Denied::Channels)),
        (channels(&[]), &ann, SERVER, Err(Denied::Channels)),
        (channels(&[CHANNEL]), &unknown, Place::Console, Err(Denied::Channels)),
        (discord(MANAGE), &ann, SERVER, Ok(())),
        (discord(MANAGE.and(BAN)), &admin, SERVER, Ok(())),
        (discord(MANAGE.and(BAN)), &ann, SERVER, Err(Denied::Discord(BAN, Lack::Missing))),
        (discord(MANAGE), &typing, SERVER, Err(Denied::Discord(MANAGE, Lack::NotSaid))),
        (discord(MANAGE), &unknown, SERVER, Err(Denied::Discord(MANAGE, Lack::NotSaid))),
        (discord(MANAGE), &unknown, DIRECT, Err(Denied::Discord(MANAGE, Lack::OutsideServers))),
        (owners(), &operator, DIRECT, Ok(())),
        (owners(), &unknown, Place::Console, Ok(())),
        (owners(), &admin, SERVER, Err(Denied::Owners)),
    ];
    for (policy, caller, place, expected) in cases {
        // A policy holds for the command and for the subcommand.
        for name in ["/tasks", "/tasks remove"] {
            let access = access(&[(name, policy.clone())]);
            assert_eq!(
                asked(&access, &tasks(), caller, place, CallMethod::Picked),
                expected,
                "{name} {policy:?} {place:?}"
            );
        }
        let command = Command { policy: policy.clone(), ..tasks() };
        assert_eq!(asked(&access(&[]), &command, caller, place, CallMethod::Picked), expected, "{policy:?} {place:?}");
        // A policy for another command does not.
        let elsewhere = access(&[("/tasks list", policy.clone()), ("/task", policy.clone()), ("tasks", policy)]);
        assert_eq!(asked(&elsewhere, &tasks(), caller, place, CallMethod::Picked), Ok(()));
    }
}

#[test]
fn all_that_is_demanded_must_hold_wherever_it_is_written() {
    let ann = member(ANN, Some(MANAGE));
    let holds = [users(&[ANN]), roles(&[MODERATOR]), channels(&[CHANNEL]), discord(MANAGE)];
    let fails = [users(&[OPERATOR]), roles(&[RoleId(1)]), channels(&[ChannelId(1)]), discord(BAN), owners()];
    for one in &holds {
        for other in &holds {
            let command = Command { policy: one.clone(), ..tasks() };
            let access = access(&[("/tasks", other.clone()), ("/tasks remove", one.clone())]);
            assert_eq!(asked(&access, &command, &ann, SERVER, CallMethod::Picked), Ok(()));
        }
        for other in &fails {
            for (manifest, above, exact) in [(other, one, one), (one, other, one), (one, one, other)] {
                let command = Command { policy: manifest.clone(), ..tasks() };
                let access = access(&[("/tasks", above.clone()), ("/tasks remove", exact.clone())]);
                assert!(asked(&access, &command, &ann, SERVER, CallMethod::Picked).is_err(), "{one:?} and {other:?}");
            }
        }
    }
    // Also within one policy.
    let both = Policy { users: users(&[OPERATOR]).users, ..roles(&[MODERATOR]) };
    assert_eq!(asked(&access(&[("/tasks", both)]), &tasks(), &ann, SERVER, CallMethod::Picked), Err(Denied::Users));
}

#[test]
fn what_a_guild_switched_off_runs_for_nobody_and_is_not_listed() {
    let (commands, ann) = (["/tasks", "/tasks remove", "/lists"].map(str::to_owned).into(), member(ANN, Some(MANAGE)));
    let known = KnownNames { commands: &commands, ..KnownNames::NOTHING };
    let off = |names: &str| {
        Rules::of(GuildValues::from_iter([GuildValue::parse(GuildSetting::Commands, names, known).unwrap()]))
    };
    let cases = [
        (Rules::default(), Ok(()), 2),
        (off("/lists"), Ok(()), 2),
        (off("/tasks remove"), Err(Denied::SwitchedOff), 1),
        (off("/tasks"), Err(Denied::SwitchedOff), 0),
        (Rules::unknown(true), Err(Denied::GuildNotKnown), 0),
    ];
    for (rules, expected, n_listed) in cases {
        let operators = access(&[]);
        let here = operators.here(&rules);
        for caller in [&ann, &member(OPERATOR, Some(Permissions::ADMINISTRATOR))] {
            assert_eq!(asked(&here, &tasks(), caller, SERVER, CallMethod::Picked), expected, "{rules:?}");
        }
        let asking = Asking { caller: &ann, place: SERVER, method: CallMethod::Typed };
        let catalog = here.catalog(&registry(vec![tasks()]), &asking);
        assert_eq!(catalog.commands().flat_map(Command::leaves).count(), n_listed, "{rules:?}");
        assert_eq!(operators.off, OffHere::Nothing);
    }
}

#[test]
fn where_discord_does_not_look_the_manifests_own_word_counts() {
    let ann = member(ANN, Some(MANAGE));
    let admin = member(ANN, Some(Permissions::ADMINISTRATOR));
    let typing = member(ANN, None);
    let asks = |wanted| Command { default_member_permissions: Some(wanted), ..tasks() };
    let (admins, managers) = (asks(Permissions(0)), asks(MANAGE));
    let nsfw = Command { nsfw: true, ..tasks() };
    let for_direct = |command: &Command| Command {
        contexts: Some(vec![InteractionContext::Guild, InteractionContext::BotDm]),
        ..command.clone()
    };
    let admins_direct = for_direct(&admins);
    let picker = |wanted| Err(Denied::Picker(wanted));
    let members = |wanted| Err(Denied::Members(wanted));
    let administrator = Permissions::ADMINISTRATOR;
    let console = Caller::new(UserId(0), "console");
    let cases = [
        // A guild's administrators may have overridden the manifest for the picker, and for nothing else.
        (&admins, &typing, SERVER, CallMethod::Picked, Ok(())),
        (&admins, &ann, SERVER, CallMethod::PickedByUserInstall, members(administrator)),
        (&admins, &admin, SERVER, CallMethod::PickedByUserInstall, Ok(())),
        (&admins, &typing, SERVER, CallMethod::Submitted, picker(administrator)),
        (&admins, &admin, SERVER, CallMethod::Submitted, Ok(())),
        (&admins, &ann, SERVER, CallMethod::Pressed, picker(administrator)),
        (&admins, &admin, SERVER, CallMethod::Pressed, Ok(())),
        (&admins, &typing, SERVER, CallMethod::Typed, picker(administrator)),
        (&admins, &ann, SERVER, CallMethod::Typed, picker(administrator)),
        (&admins, &admin, SERVER, CallMethod::Typed, Ok(())),
        (&managers, &ann, SERVER, CallMethod::Typed, Ok(())),
        (&managers, &ann, SERVER, CallMethod::Pressed, Ok(())),
        (&managers, &admin, SERVER, CallMethod::Typed, Ok(())),
        (&managers, &typing, SERVER, CallMethod::Typed, picker(MANAGE)),
        (&managers, &Caller::new(ANN, "x"), SERVER, CallMethod::Typed, picker(MANAGE)),
        // Members exist only in guilds; elsewhere only what the manifest says in words is allowed.
        (&admins, &ann, DIRECT, CallMethod::Picked, members(administrator)),
        (&admins, &ann, DIRECT, CallMethod::PickedByUserInstall, members(administrator)),
        (&admins, &ann, DIRECT, CallMethod::Pressed, members(administrator)),
        (&admins, &ann, DIRECT, CallMethod::Typed, members(administrator)),
        (&admins_direct, &ann, DIRECT, CallMethod::Picked, Ok(())),
        (&admins_direct, &ann, DIRECT, CallMethod::Typed, Ok(())),
        (&admins_direct, &typing, SERVER, CallMethod::Typed, picker(administrator)),
        (&admins, &console, Place::Console, CallMethod::Typed, Ok(())),
        (&nsfw, &ann, SERVER, CallMethod::Picked, Ok(())),
        (&nsfw, &ann, SERVER, CallMethod::Typed, Err(Denied::Age)),
        (&nsfw, &ann, DIRECT, CallMethod::Typed, Err(Denied::Age)),
        (&nsfw, &console, Place::Console, CallMethod::Typed, Ok(())),
    ];
    for (command, caller, place, how, expected) in cases {
        assert_eq!(asked(&access(&[]), command, caller, place, how), expected, "{command:?} {place:?} {how:?}");
    }
}

#[test]
fn a_command_stays_where_its_manifest_puts_it() {
    use InteractionContext::{BotDm, Guild, PrivateChannel};
    let servers = Err(Denied::Context(Where::Servers));
    let direct = Err(Denied::Context(Where::DirectMessages));
    let elsewhere = Err(Denied::Context(Where::Elsewhere));
    let cases = [
        (None, DIRECT, CallMethod::Typed, Ok(())),
        (Some(vec![Guild]), SERVER, CallMethod::Typed, Ok(())),
        (Some(vec![Guild]), DIRECT, CallMethod::Typed, servers),
        (Some(vec![Guild]), DIRECT, CallMethod::Picked, servers),
        (Some(vec![BotDm]), SERVER, CallMethod::Pressed, direct),
        (Some(vec![BotDm]), DIRECT, CallMethod::Typed, Ok(())),
        (Some(vec![PrivateChannel]), DIRECT, CallMethod::Picked, Ok(())),
        (Some(vec![PrivateChannel]), DIRECT, CallMethod::Typed, elsewhere),
        (Some(vec![PrivateChannel]), SERVER, CallMethod::Picked, elsewhere),
        (Some(vec![]), SERVER, CallMethod::Picked, elsewhere),
        (Some(vec![Guild]), Place::Console, CallMethod::Typed, Ok(())),
    ];
    for (contexts, place, how, expected) in cases {
        let command = Command { contexts: contexts.clone(), ..tasks() };
        let caller = member(ANN, None);
        assert_eq!(asked(&access(&[]), &command, &caller, place, how), expected, "{contexts:?} {place:?} {how:?}");
    }
}

/// What the start-up proof that each command can be reached calls it with.
#[test]
fn somebody_is_admitted_wherever_the_manifest_admits_anybody() {
    use InteractionContext::{BotDm, Guild};
    let somewhere = |contexts: &[InteractionContext]| Command { contexts: Some(contexts.to_vec()), ..tasks() };
    let with = |policy: Policy| Command { policy, ..tasks() };
    let anybody = [
        tasks(),
        somewhere(&[Guild]),
        somewhere(&[BotDm]),
        Command { policy: roles(&[MODERATOR]), ..somewhere(&[Guild]) },
        Command { operators_only: true, ..tasks() },
        Command { default_member_permissions: Some(MANAGE), ..somewhere(&[Guild]) },
        with(users(&[ANN])),
        with(channels(&[CHANNEL])),
        with(discord(BAN)),
        with(owners()),
    ];
    for command in anybody {
        let (access, caller, place) = admitted(&command);
        assert_eq!(asked(&access, &command, &caller, place, CallMethod::Picked), Ok(()), "{command:?}");
        assert!(!admits_nobody(&command), "{command:?}");
    }
    for policy in [users(&[]), roles(&[]), channels(&[])] {
        assert!(admits_nobody(&with(policy)));
    }
}

#[test]
fn what_is_denied_is_not_in_the_callers_catalog() {
    let hidden = Command { default_member_permissions: Some(BAN), ..lists("hidden") };
    let registry = registry(vec![tasks(), hidden]);
    let seen = |policies: &[(&str, Policy)], caller: &Caller, place| {
        let catalog = access(policies).catalog(&registry, &Asking { caller, place, method: CallMethod::Picked });
        let leaves = catalog.commands().flat_map(Command::leaves).map(|leaf| leaf.path.to_string());
        leaves.collect::<Vec<_>>().join(", ")
    };
    let (ann, nobody) = (member(ANN, Some(MANAGE)), member(ANN, None));
    let admin = member(ANN, Some(Permissions::ADMINISTRATOR));
    let operator = Caller::new(OPERATOR, "operator");
    let all = "/hidden list, /hidden remove, /tasks list, /tasks remove";
    let tasks = "/tasks list, /tasks remove";
    assert_eq!(seen(&[], &admin, SERVER), all);
    assert_eq!(seen(&[], &ann, DIRECT), tasks);
    assert_eq!(seen(&[], &ann, SERVER), tasks);
    assert_eq!(seen(&[("/tasks remove", owners())], &ann, SERVER), "/tasks list");
    assert_eq!(seen(&[("/tasks remove", owners())], &operator, SERVER), tasks);
    assert_eq!(seen(&[("/tasks", roles(&[RoleId(1)]))], &nobody, SERVER), "");
    assert_eq!(seen(&[("/tasks", roles(&[MODERATOR]))], &nobody, SERVER), tasks);
    assert_eq!(seen(&[("/tasks", roles(&[MODERATOR]))], &nobody, DIRECT), "");
    let blocked = Access { blocked: [ANN].into(), ..Access::default() };
    let asking = Asking { caller: &ann, place: SERVER, method: CallMethod::Picked };
    assert_eq!(blocked.catalog(&registry, &asking).commands().count(), 0);
}

#[test]
fn every_cooldown_counts_where_it_is_written_and_the_longer_of_two_wins() {
    let cooldowns = |user: Option<u64>, global: Option<u64>| Cooldowns {
        user: user.map(Duration::from_secs),
        global: global.map(Duration::from_secs),
        ..Cooldowns::default()
    };
    let waits = |user, global| Policy { cooldowns: cooldowns(user, global), ..Policy::default() };
    let everywhere = Cooldowns {
        user: Some(Duration::from_secs(1)),
        channel: Some(Duration::from_secs(2)),
        guild: Some(Duration::from_secs(3)),
        global: Some(Duration::from_secs(4)),
    };
    let everywhere = Policy { cooldowns: everywhere, ..Policy::default() };
    let keys = |manifest: Policy, policies: &[(&str, Policy)], place| {
        let registry = registry(vec![Command { policy: manifest, ..tasks() }]);
        let invocation = Invocation {
            event: EventId(1),
            caller: member(OPERATOR, Some(MANAGE)),
            place,
            method: CallMethod::Picked,
            path: remove(),
            arguments: Map::new(),
        };
        let permit = authorize(invocation, &registry, &access(policies)).unwrap();
        let keys = permit.cooldowns().iter().map(|(key, lasts)| format!("{key}: {}", lasts.as_secs()));
        keys.collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(keys(Policy::default(), &[], SERVER), none);
    assert_eq!(
        keys(everywhere.clone(), &[], SERVER),
        ["user:8 /tasks: 1", "channel:5 /tasks: 2", "guild:4 /tasks: 3", "global /tasks: 4"]
    );
    assert_eq!(
        keys(Policy::default(), &[("/tasks remove", everywhere.clone())], DIRECT),
        ["user:8 /tasks remove: 1", "channel:6 /tasks remove: 2", "global /tasks remove: 4"]
    );
    assert_eq!(
        keys(everywhere, &[], Place::Console),
        ["user:8 /tasks: 1", "channel:0 /tasks: 2", "global /tasks: 4"],
        "there is no server to count for"
    );
    let operators = [("/tasks", waits(Some(5), Some(6))), ("/tasks remove", waits(Some(60), None))];
    assert_eq!(
        keys(waits(Some(9), Some(2)), &operators, SERVER),
        ["user:8 /tasks: 9", "user:8 /tasks remove: 60", "global /tasks: 6"]
    );
}

/// M7: charts cost more than the rest of their command, which has no cooldown.
#[test]
fn m7_a_cooldown_of_an_option_counts_the_runs_that_give_it() {
    let cooldowns = Cooldowns { user: Some(Duration::from_secs(3)), ..Cooldowns::default() };
    let range = OptionSpec { cooldowns, ..OptionSpec::new("range", "How long", OptionKind::Boolean, false) };
    let plain = OptionSpec::new("plain", "Costs nothing", OptionKind::Boolean, false);
    let remove = Subcommand::new("remove", "Does something", Leaf::new("unused", vec![range, plain], None));
    let command = Command::new("tasks", "Tasks", Owner::Builtin, CommandKind::of_subcommands(vec![remove]));
    assert_eq!(access(&[]).summary(&command), "everyone; remove range: cooldown 3 s a person");
    let registry = registry(vec![command]);
    let none: &[&str] = &[];
    let cases = [
        (json!({}), none),
        (json!({ "plain": true }), none),
        (json!({ "range": null }), none),
        (json!({ "range": false, "plain": true }), &["user:7 /tasks remove range: 3"]),
    ];
    for (arguments, expected) in cases {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        let invocation = Invocation {
            event: EventId(1),
            caller: member(ANN, None),
            place: SERVER,
            method: CallMethod::Picked,
            path: self::remove(),
            arguments,
        };
        let permit = authorize(invocation, &registry, &access(&[])).unwrap();
        let keys: Vec<_> =
            permit.cooldowns().iter().map(|(key, lasts)| format!("{key}: {}", lasts.as_secs())).collect();
        assert_eq!(keys, expected);
    }
}

#[test]
fn operators_read_who_may_use_what() {
    let manifest = Policy {
        roles: roles(&[MODERATOR]).roles,
        cooldowns: Cooldowns { user: Some(Duration::from_secs(5)), ..Cooldowns::default() },
        ..discord(MANAGE)
    };
    let command = Command { policy: manifest, default_member_permissions: Some(Permissions(0)), ..tasks() };
    let policies =
        [("/tasks", channels(&[CHANNEL, ChannelId(6)])), ("/tasks remove", users(&[])), ("/other", owners())];
    assert_eq!(access(&[]).summary(&tasks()), "everyone");
    assert_eq!(
        access(&policies).summary(&command),
        "by default administrators, roles 1, manage_messages, cooldown 5 s a person, channels 2; remove: nobody"
    );
    // What is demanded anyway is named once, also where Discord shows the command to nobody else by default.
    let (ban, both) = (Permissions(1 << 2), Permissions(MANAGE.0 | 1 << 2));
    for (by_default, of_manifest, of_settings, expected) in [
        (MANAGE, MANAGE, Permissions(0), "manage_messages"),
        (both, MANAGE, MANAGE, "by default ban_members, manage_messages"),
        (MANAGE, Permissions(0), Permissions(0), "by default manage_messages"),
        (ban, MANAGE, both, "manage_messages, ban_members"),
    ] {
        let default_member_permissions = Some(by_default);
        let command = Command { policy: discord(of_manifest), default_member_permissions, ..tasks() };
        assert_eq!(access(&[("/tasks", discord(of_settings))]).summary(&command), expected);
    }
    let operators = Command { name: "stop".to_owned(), operators_only: true, policy: owners(), ..tasks() };
    let registry = registry(vec![tasks(), operators]);
    assert_eq!(
        access(&[]).table(&registry).as_deref(),
        Some("who may use what; everyone may use what is not listed\n  /stop      operators")
    );
    assert_eq!(
        access(&[("/tasks remove", owners())]).table(&registry).unwrap().lines().nth(2),
        Some("  /tasks     everyone; remove: operators")
    );
    let nothing = self::registry(vec![tasks()]);
    assert_eq!(access(&[]).table(&nothing), None);
    for (users, direct) in [(&[][..], "operators"), (&[ANN][..], "operators and 1 listed")] {
        let chat = ChatAccess {
            roles: Some([MODERATOR].into()),
            direct: DirectMessages::Listed(users.iter().copied().collect()),
            ..ChatAccess::default()
        };
        let table = Access { chat, ..access(&[]) }.table(&nothing).unwrap();
        assert!(table.contains("roles 1; ") && table.contains(&format!("direct messages: {direct}; ")), "{table}");
    }
}

fn any_policy() -> impl Strategy<Value = Policy> {
    let ids = || option::of(btree_set(0_u64..4, 0..3));
    (ids(), ids(), ids(), 0_u64..16, any::<bool>()).prop_map(|(users, roles, channels, discord, owners)| Policy {
        users: users.map(|ids| ids.into_iter().map(UserId).collect()),
        roles: roles.map(|ids| ids.into_iter().map(RoleId).collect()),
        channels: channels.map(|ids| ids.into_iter().map(ChannelId).collect()),
        discord: Permissions(discord),
        owners,
        cooldowns: Cooldowns::default(),
    })
}

fn any_caller() -> impl Strategy<Value = Caller> {
    let member = (proptest::collection::vec(0_u64..4, 0..3), option::of(0_u64..16)).prop_map(|(roles, permissions)| {
        Member { roles: roles.into_iter().map(RoleId).collect(), permissions: permissions.map(Permissions) }
    });
    (0_u64..4, option::of(member)).prop_map(|(id, member)| Caller { member, ..Caller::new(UserId(id), "x") })
}

fn any_place() -> impl Strategy<Value = Place> {
    let channel = || (0_u64..4).prop_map(ChannelId);
    prop_oneof![
        channel().prop_map(|channel| Place::Guild { guild: GuildId(1), channel }),
        channel().prop_map(|channel| Place::Direct { channel }),
        Just(Place::Console),
    ]
}

fn any_asked() -> impl Strategy<Value = CallMethod> {
    prop_oneof![
        Just(CallMethod::Picked),
        Just(CallMethod::PickedByUserInstall),
        Just(CallMethod::Typed),
        Just(CallMethod::Pressed),
        Just(CallMethod::Submitted)
    ]
}

proptest! {
    #[test]
    fn a_further_rule_never_allows_more(
        manifest in any_policy(),
        further in any_policy(),
        name in prop_oneof![Just("/tasks"), Just("/tasks remove"), Just("/tasks list"), Just("/x")],
        wanted in option::of(0_u64..16),
        caller in any_caller(),
        place in any_place(),
        how in any_asked(),
    ) {
        let bare = tasks();
        let with_manifest = Command { policy: manifest, ..tasks() };
        let with_default = Command { default_member_permissions: wanted.map(Permissions), ..with_manifest.clone() };
        let asked = |policies: &[(&str, Policy)], command| asked(&access(policies), command, &caller, place, how).is_ok();
        prop_assert!(asked(&[], &bare));
        let steps = [
            asked(&[], &bare),
            asked(&[], &with_manifest),
            asked(&[], &with_default),
            asked(&[(name, further.clone())], &with_default),
        ];
        prop_assert!(steps.windows(2).all(|pair| pair[0] || !pair[1]), "{steps:?}");

        // A list shows nothing that would be denied.
        let registry = registry(vec![with_default.clone()]);
        let access = access(&[(name, further)]);
        let asking = Asking { caller: &caller, place, method: how };
        for path in access.catalog(&registry, &asking).commands().flat_map(Command::leaves).map(|leaf| &leaf.path) {
            prop_assert!(access.allows(&with_default, path, &asking).is_ok(), "{path}");
        }
    }
}
