//! What a permit says of the run that it allows, and when a member's rights of now have to be asked for.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Map;

use crate::access::*;
use crate::contract::{Checked, Command, CommandKind, Leaf, Owner, Policy, ToolSpec};
use crate::guild::OffHere;
use crate::inbound::{
    Asking, CallMethod, Caller, ChannelId, CommandPath, EventId, GuildId, Permissions, Place, RoleId, UserId,
};
use crate::language::Language;
use crate::registry::Registry;
use crate::router::Invocation;
use crate::testing::accepted;

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

/// `/list`, a tool that reads, `/add`, one that writes, and `/search`, one for chat alone.
fn registry() -> Arc<Registry> {
    let command = |name: &str, writes| {
        let leaf = Leaf::new("unused", Vec::new(), Some(ToolSpec::new(name, writes)));
        Command::new(name, "Does something", Owner::Builtin, CommandKind::Leaf(leaf))
    };
    let commands =
        vec![command("list", false), command("add", true), Command { chat_only: true, ..command("search", false) }];
    let module = accepted(Owner::Builtin, commands);
    Arc::new(Registry::build(Checked { accepted: vec![module], ..Checked::default() }))
}

fn path(name: &str) -> CommandPath {
    CommandPath::new(name, None)
}

fn ann() -> Caller {
    Caller::new(UserId(7), "Ann")
}

fn invocation(name: &str) -> Invocation {
    let (event, method) = (EventId(1), CallMethod::Typed);
    Invocation { event, caller: ann(), place: HERE, method, path: path(name), arguments: Map::new() }
}

#[test]
fn only_a_command_that_writes_may_change_something_and_for_a_model_only_with_its_caller_s_consent() {
    let (registry, access) = (registry(), Access::default());
    let by_model = |name, consent| authorize_for_model(invocation(name), &registry, &access, "", consent);
    let consent = |name| Some(Consent::given(ann(), EventId(0), path(name), Map::new()));
    let may_change = |permit: Result<Permit, Denied>| permit.map(|permit| permit.may_change());
    assert_eq!(may_change(by_model("list", None)), Ok(false));
    assert_eq!(may_change(by_model("list", consent("add"))), Ok(false), "it is for another command");
    assert_eq!(may_change(by_model("list", consent("list"))), Ok(false));
    assert_eq!(may_change(by_model("add", None)), Err(Denied::NotConfirmed));
    assert_eq!(may_change(by_model("add", consent("add"))), Ok(true));
    assert_eq!(may_change(authorize(invocation("list"), &registry, &access)), Ok(false));
    assert_eq!(may_change(authorize(invocation("add"), &registry, &access)), Ok(true));
}

#[test]
fn what_is_for_chat_alone_only_a_model_has_run() {
    let (registry, access) = (registry(), Access::default());
    let (own, asked) = (Owner::Builtin.to_string(), || invocation("search"));
    let by_model = authorize_for_model(asked(), &registry, &access, "", None);
    assert!(by_model.is_ok(), "{by_model:?}");
    let others = [
        authorize(asked(), &registry, &access),
        authorize_refresh(asked(), &registry, &access),
        authorize_due(asked(), &registry, &access, &own, UNIX_EPOCH),
        authorize_event(asked(), &registry, &access, &own, ann(), ChannelId(9)),
        authorize_schedule(asked(), &registry, &access, &own, ChannelId(9)),
    ];
    for permit in others {
        assert_eq!(permit.map(|permit| permit.may_change()), Err(Denied::Gone));
    }
}

#[test]
fn a_later_call_is_its_module_s_own_and_says_when_it_was_due() {
    let (registry, access) = (registry(), Access::default());
    let own = Owner::Builtin.to_string();
    let at: SystemTime = UNIX_EPOCH + Duration::from_secs(9);
    let due = |module| authorize_due(invocation("list"), &registry, &access, module, at).map(|permit| permit.due());
    assert_eq!(due(&own), Ok(Some(at)));
    assert_eq!(due("another"), Err(Denied::Gone));
    assert_eq!(authorize(invocation("list"), &registry, &access).unwrap().due(), None);
}

#[test]
fn what_a_guild_has_run_is_told_in_its_channel_about_somebody_or_nobody() {
    let (registry, access) = (registry(), Access::default());
    let own = Owner::Builtin.to_string();
    let facts = |permit: Result<Permit, Denied>| {
        permit.map(|permit| (permit.invocation().caller.id, permit.tells(), permit.invocation().path.to_string()))
    };
    let event = |access: &Access, module| {
        facts(authorize_event(invocation("list"), &registry, access, module, ann(), ChannelId(9)))
    };
    let at_a_time = |module| facts(authorize_schedule(invocation("list"), &registry, &access, module, ChannelId(9)));
    let told = Some(ChannelId(9));
    assert_eq!(event(&access, &own), Ok((UserId(7), told, "/list".to_owned())));
    assert_eq!(at_a_time(&own), Ok((UserId::NOBODY, told, "/list".to_owned())));
    assert_eq!((event(&access, "another"), at_a_time("another")), (Err(Denied::Gone), Err(Denied::Gone)));
    let without_ann = Access { blocked: [UserId(7)].into(), ..Access::default() };
    assert_eq!(event(&without_ann, &own), Err(Denied::Blocked));
    // Of operators, none is asked: it is the guild that has it run.
    let of_operators = Policy { owners: true, ..Policy::default() };
    let strict = Access { policies: [("/list".to_owned(), of_operators)].into(), ..Access::default() };
    assert!(event(&strict, &own).is_ok());
    assert_eq!(authorize(invocation("list"), &registry, &access).unwrap().tells(), None);
}

#[test]
fn a_refusal_has_a_name_and_words() {
    assert_eq!(Denied::Blocked.name(), "blocked");
    for denied in [ChatDenied::Person, ChatDenied::Place, ChatDenied::Direct] {
        assert!(denied.text(Language::ENGLISH).ends_with("Slash commands keep working."), "{denied:?}");
    }
}

#[test]
fn a_member_s_rights_of_now_are_asked_for_where_a_rule_looks_at_them() {
    let roles = Policy { roles: Some([RoleId(4)].into()), ..Policy::default() };
    let permissions = Policy { discord: Permissions(4), ..Policy::default() };
    let users = Policy { users: Some([UserId(7)].into()), ..Policy::default() };
    for (policy, expected) in [(roles, true), (permissions, true), (users, false)] {
        let access = Access { policies: [("/list".to_owned(), policy.clone())].into(), ..Access::default() };
        let asks = |name| access.asks_for_member(&registry(), &path(name));
        assert_eq!([asks("list"), asks("add"), asks("nobody")], [expected, false, false], "{policy:?}");
    }
}

#[test]
fn what_can_be_switched_off_nowhere_runs_also_while_it_is_not_known_what_is_switched_off() {
    let command = |name: &str| {
        Command::new(name, "Help", Owner::Builtin, CommandKind::Leaf(Leaf::new("unused", Vec::new(), None)))
    };
    let access = Access { off: OffHere::NotKnown, ..Access::default() };
    let (caller, method) = (ann(), CallMethod::Typed);
    let asking = Asking { caller: &caller, place: HERE, method };
    let allows = |name: &str| access.allows(&command(name), &path(name), &asking);
    assert_eq!([allows("help"), allows("list")], [Ok(()), Err(Denied::GuildNotKnown)]);
}

#[test]
fn each_denial_names_its_rule_and_has_a_sentence_of_its_own() {
    let denials = [
        Denied::Blocked,
        Denied::OperatorsOnly,
        Denied::Gone,
        Denied::NotATool,
        Denied::NotConfirmed,
        Denied::SwitchedOff,
        Denied::GuildNotKnown,
        Denied::Users,
        Denied::Roles(Lack::Missing),
        Denied::Roles(Lack::OutsideServers),
        Denied::Roles(Lack::NotSaid),
        Denied::Channels,
        Denied::Discord(Permissions(4), Lack::Missing),
        Denied::Discord(Permissions(4), Lack::OutsideServers),
        Denied::Discord(Permissions(4), Lack::NotSaid),
        Denied::Context(Where::Servers),
        Denied::Context(Where::DirectMessages),
        Denied::Context(Where::Elsewhere),
        Denied::Age,
        Denied::Picker(Permissions(4)),
        Denied::Members(Permissions(4)),
    ];
    let mut said = std::collections::BTreeSet::new();
    for denied in denials {
        let text = denied.text(&path("list"), crate::language::Language::ENGLISH);
        assert!(text.contains("/list"), "{denied:?}: {text}");
        assert!(said.insert(text), "{denied:?} says what another says");
        assert!(!denied.name().is_empty() && denied.name().chars().all(|c| c.is_ascii_lowercase() || c == '-'));
    }
}
