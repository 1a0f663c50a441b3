//! Every surface, for every kind of caller, under every rule: who may run a command.
//!
//! What is expected stands in [`RULES`] as lists of callers, not as the rules themselves.

use std::sync::Arc;

use serde_json::Map;

use super::who::{BLOCKED, EVERYBODY, HERE, LISTED, MANAGE, OPERATOR, ROLE, Who};
use crate::access::*;
use crate::contract::{Checked, Command, CommandKind, InteractionContext, Leaf, Owner, Policy, Subcommand, ToolSpec};
use crate::inbound::{
    Addressed, AuthorKind, CallMethod, Caller, CameWith, ChannelId, CommandPath, CommandType, EventId, GuildId,
    Inbound, Message, Place, UserId,
};
use crate::registry::{Catalog, Registry};
use crate::router::{Invocation, Route, classify};
use crate::testing::accepted;

/// A way to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Surface {
    Slash,
    Subcommand,
    Autocomplete,
    UserMenu,
    MessageMenu,
    Button,
    Select,
    Modal,
    Mention,
    DirectMessage,
    TypedSlash,
    LiveRefresh,
    ModelReads,
    ModelWritesConfirmed,
}

const SURFACES: [Surface; 14] = [
    Surface::Slash,
    Surface::Subcommand,
    Surface::Autocomplete,
    Surface::UserMenu,
    Surface::MessageMenu,
    Surface::Button,
    Surface::Select,
    Surface::Modal,
    Surface::Mention,
    Surface::DirectMessage,
    Surface::TypedSlash,
    Surface::LiveRefresh,
    Surface::ModelReads,
    Surface::ModelWritesConfirmed,
];

impl Surface {
    fn tells_permissions(self) -> bool {
        !self.is_typed()
    }

    fn is_typed(self) -> bool {
        self.message().is_some() || matches!(self, Self::ModelReads | Self::ModelWritesConfirmed)
    }

    /// What is written where the command is called in a message, and how that addresses the bot.
    fn message(self) -> Option<(&'static str, Addressed)> {
        match self {
            Self::Mention => Some(("<@42> /tasks look", Addressed::Mention)),
            Self::DirectMessage => Some(("/tasks look", Addressed::Direct)),
            Self::TypedSlash => Some(("/tasks look", Addressed::ChatChannel)),
            _ => None,
        }
    }

    /// Discord's picker has checked what the manifest tells it.
    fn is_picked(self) -> bool {
        matches!(self, Self::Slash | Self::Subcommand | Self::Autocomplete | Self::UserMenu | Self::MessageMenu)
    }

    fn method(self, who: Who) -> CallMethod {
        match self {
            // Discord's picker was asked long before a refresh.
            Self::Button | Self::Select | Self::LiveRefresh => CallMethod::Pressed,
            Self::Modal => CallMethod::Submitted,
            typed if typed.is_typed() => CallMethod::Typed,
            _ if matches!(who, Who::UserInstalled | Who::UserInstalledWithout | Who::UserInstalledHere) => {
                CallMethod::PickedByUserInstall
            }
            _ => CallMethod::Picked,
        }
    }

    fn path(self) -> CommandPath {
        match self {
            Self::Slash => CommandPath::new("plain", None),
            Self::UserMenu => CommandPath::at(CommandType::UserMenu, &["Of user"]),
            Self::MessageMenu => CommandPath::at(CommandType::MessageMenu, &["Of message"]),
            Self::ModelWritesConfirmed => CommandPath::new("tasks", Some("change")),
            _ => CommandPath::new("tasks", Some("look")),
        }
    }
}

/// Who may: those of whom the event says all, those who were checked by Discord's picker, those who only typed, and
/// those who wrote to the bot directly, where nobody is a member of anything.
struct Expected {
    told: &'static [Who],
    picked: &'static [Who],
    typed: &'static [Who],
    direct: &'static [Who],
}

impl Expected {
    const fn same(who: &'static [Who]) -> Self {
        Self { told: who, picked: who, typed: who, direct: who }
    }

    /// The same everywhere but in direct messages.
    const fn directly(self, direct: &'static [Who]) -> Self {
        Self { direct, ..self }
    }
}

pub(super) const ALL_BUT_BLOCKED: &[Who] = &[
    Who::Console,
    Who::Operator,
    Who::Moderator,
    Who::Member,
    Who::Listed,
    Who::UserInstalled,
    Who::UserInstalledWithout,
    Who::UserInstalledHere,
    Who::Direct,
    Who::Left,
];
const IN_THE_CHANNEL: &[Who] =
    &[Who::Operator, Who::Moderator, Who::Member, Who::Listed, Who::UserInstalledHere, Who::Left];
pub(super) const IN_GUILDS: &[Who] = &[
    Who::Console,
    Who::Operator,
    Who::Moderator,
    Who::Member,
    Who::Listed,
    Who::UserInstalled,
    Who::UserInstalledWithout,
    Who::UserInstalledHere,
    Who::Left,
];
const NOBODY: &[Who] = &[];

/// Changes what the manifest of a command says.
type Demands = fn(Command) -> Command;

/// What a command demands.
enum Rule {
    /// The operator's policy.
    Policy(fn() -> Policy),
    /// What its manifest says.
    Manifest(Demands),
}

/// Each rule, and whom it lets run the command.
const RULES: &[(&str, Rule, Expected)] = &[
    ("nothing", Rule::Policy(Policy::default), Expected::same(ALL_BUT_BLOCKED)),
    (
        "a listed user",
        Rule::Policy(|| Policy { users: Some([LISTED].into()), ..Policy::default() }),
        Expected::same(&[Who::Listed]),
    ),
    ("no user", Rule::Policy(|| Policy { users: Some([].into()), ..Policy::default() }), Expected::same(NOBODY)),
    (
        "a role",
        Rule::Policy(|| Policy { roles: Some([ROLE].into()), ..Policy::default() }),
        Expected::same(&[Who::Moderator]).directly(NOBODY),
    ),
    ("no role", Rule::Policy(|| Policy { roles: Some([].into()), ..Policy::default() }), Expected::same(NOBODY)),
    (
        "a channel",
        Rule::Policy(|| Policy { channels: Some([HERE].into()), ..Policy::default() }),
        Expected::same(IN_THE_CHANNEL).directly(NOBODY),
    ),
    ("no channel", Rule::Policy(|| Policy { channels: Some([].into()), ..Policy::default() }), Expected::same(NOBODY)),
    (
        "a permission",
        Rule::Policy(|| Policy { discord: MANAGE, ..Policy::default() }),
        Expected {
            told: &[Who::Moderator, Who::UserInstalled],
            picked: &[Who::Moderator, Who::UserInstalled],
            typed: NOBODY,
            direct: NOBODY,
        },
    ),
    (
        "the operator's operators",
        Rule::Policy(|| Policy { owners: true, ..Policy::default() }),
        Expected::same(&[Who::Console, Who::Operator]),
    ),
    (
        "a listed user with a role",
        Rule::Policy(|| Policy { users: Some([LISTED].into()), roles: Some([ROLE].into()), ..Policy::default() }),
        Expected::same(NOBODY),
    ),
    (
        "the manifest's operators",
        Rule::Manifest(|command| Command { operators_only: true, ..command }),
        Expected::same(&[Who::Console, Who::Operator]),
    ),
    (
        "the manifest's permission",
        Rule::Manifest(|command| Command { default_member_permissions: Some(MANAGE), ..command }),
        Expected {
            told: &[Who::Console, Who::Moderator, Who::UserInstalled],
            // Discord has checked the guild's members, and may have been told otherwise by its administrators. It has
            // not checked whoever installed the bot for themselves.
            picked: &[
                Who::Console,
                Who::Operator,
                Who::Moderator,
                Who::Member,
                Who::Listed,
                Who::UserInstalled,
                Who::Left,
            ],
            typed: &[Who::Console],
            direct: &[Who::Console],
        },
    ),
    (
        "guilds alone",
        Rule::Manifest(|command| Command { contexts: Some([InteractionContext::Guild].into()), ..command }),
        Expected::same(IN_GUILDS).directly(&[Who::Console]),
    ),
    (
        // Discord has checked the channel for all but what is typed.
        "an age-restricted channel",
        Rule::Manifest(|command| Command { nsfw: true, ..command }),
        Expected { told: ALL_BUT_BLOCKED, picked: ALL_BUT_BLOCKED, typed: &[Who::Console], direct: &[Who::Console] },
    ),
    (
        "direct messages alone",
        Rule::Manifest(|command| Command { contexts: Some([InteractionContext::BotDm].into()), ..command }),
        Expected::same(&[Who::Console, Who::Direct]).directly(ALL_BUT_BLOCKED),
    ),
];

/// The commands, all with the same demands of their manifest.
pub(super) fn registry(demands: Demands) -> Arc<Registry> {
    let leaf = |tool| Leaf::new("unused", Vec::new(), tool);
    let look = Subcommand::new("look", "Looks", leaf(Some(ToolSpec::new("look", false))));
    let change = Subcommand::new("change", "Changes", leaf(Some(ToolSpec::new("change", true))));
    let menu = |kind, name: &str| Command::on(kind, name, "", Owner::Builtin, CommandKind::Leaf(leaf(None)));
    let commands = vec![
        Command::new("plain", "Plain", Owner::Builtin, CommandKind::Leaf(leaf(None))),
        Command::new("tasks", "Tasks", Owner::Builtin, CommandKind::of_subcommands(vec![look, change])),
        menu(CommandType::UserMenu, "Of user"),
        menu(CommandType::MessageMenu, "Of message"),
    ];
    let module = accepted(Owner::Builtin, commands.into_iter().map(demands).collect());
    Arc::new(Registry::build(Checked { accepted: vec![module], ..Checked::default() }))
}

/// The operator's rules: this policy for the command.
pub(super) fn access(path: &CommandPath, policy: Policy) -> Access {
    Access {
        operators: [OPERATOR, BLOCKED].into(),
        blocked: [BLOCKED].into(),
        policies: [(path.to_string(), policy)].into(),
        ..Access::default()
    }
}

/// A message as this author writes it.
pub(super) fn written(who: Who, text: &str, addressed: Addressed) -> Inbound {
    written_at(who, who.calls(false), text, addressed)
}

fn written_at(who: Who, (caller, place): (Caller, Place), text: &str, addressed: Addressed) -> Inbound {
    Inbound::Message(Message {
        id: EventId(1),
        caller,
        author: who.author(),
        place,
        addressed,
        bot: UserId(42),
        text: text.to_owned(),
        came_with: CameWith::default(),
        sent: std::time::UNIX_EPOCH,
    })
}

/// Whether this caller gets a permit on this surface. `None` where there is no such caller.
fn may(surface: Surface, who: Who, registry: &Arc<Registry>, access: &Access) -> Option<bool> {
    let catalog = || Catalog::new(registry.clone(), true);
    if let Some((text, addressed)) = surface.message() {
        let is_direct = surface == Surface::DirectMessage;
        let calls = if is_direct { who.calls_directly() } else { who.calls(false) };
        return Some(match classify(&written_at(who, calls, text, addressed), &catalog()) {
            Route::Command(invocation) => authorize(invocation, registry, access).is_ok(),
            Route::Ignore(_) => false,
            other => panic!("{surface:?}, {who:?}: {other:?}"),
        });
    }
    if who.author() != AuthorKind::Person {
        // Nothing that such an author writes gets as far as to a model.
        let route = classify(&written(who, "what is to be done?", Addressed::Mention), &catalog());
        return surface.is_typed().then_some(!matches!(route, Route::Ignore(_)));
    }
    let (caller, place) = who.calls(surface.tells_permissions());
    let invocation = || Invocation {
        event: EventId(1),
        caller: caller.clone(),
        place,
        method: surface.method(who),
        path: surface.path(),
        arguments: Map::new(),
    };
    let model = |consent| authorize_for_model(invocation(), registry, access, "", consent).is_ok();
    Some(match surface {
        Surface::Autocomplete => {
            let (command, _) = registry.find(&surface.path()).unwrap();
            access.allows(command, &surface.path(), &invocation().asking()).is_ok()
        }
        Surface::LiveRefresh => authorize_refresh(invocation(), registry, access).is_ok(),
        Surface::ModelReads => model(None),
        Surface::ModelWritesConfirmed => {
            let by = |by: Caller| Consent::given(by, EventId(0), surface.path(), Map::new());
            assert!(!model(None), "{who:?} without a consent");
            assert!(!model(Some(by(Caller::new(UserId(999), "another")))), "{who:?} with another's consent");
            model(Some(by(caller.clone())))
        }
        _ => authorize(invocation(), registry, access).is_ok(),
    })
}

#[test]
fn every_cell_of_surfaces_callers_and_rules_is_as_written() {
    let mut n_cells = 0;
    let mut n_allowed = 0;
    for (name, rule, expected) in RULES {
        let (policy, demands) = match rule {
            Rule::Policy(policy) => (policy(), (|command| command) as Demands),
            Rule::Manifest(demands) => (Policy::default(), *demands),
        };
        let registry = registry(demands);
        for surface in SURFACES {
            let access = access(&surface.path(), policy.clone());
            let listed = match surface {
                Surface::DirectMessage => expected.direct,
                _ if surface.is_typed() => expected.typed,
                _ if surface.is_picked() => expected.picked,
                _ => expected.told,
            };
            for who in EVERYBODY {
                let Some(is_allowed) = may(surface, who, &registry, &access) else { continue };
                assert_eq!(is_allowed, listed.contains(&who), "{name}, {surface:?}, {who:?}");
                n_cells += 1;
                n_allowed += usize::from(is_allowed);
            }
        }
    }
    println!("matrix: {n_cells} cells, {n_allowed} of them allow");
    let n_surfaces_of_writing = SURFACES.iter().filter(|surface| surface.is_typed()).count();
    let n_people = EVERYBODY.iter().filter(|who| who.author() == AuthorKind::Person).count();
    let n_writers = EVERYBODY.len() - n_people;
    assert_eq!(n_cells, RULES.len() * (SURFACES.len() * n_people + n_surfaces_of_writing * n_writers));
}

/// Neither another bot nor a webhook is a caller: what they write is no command on any surface of messages.
#[test]
fn nothing_that_a_bot_or_a_webhook_writes_is_a_command() {
    let catalog = Catalog::new(registry(|command| command), true);
    for author in [AuthorKind::Bot, AuthorKind::Webhook] {
        for addressed in [Addressed::Mention, Addressed::Direct, Addressed::Reply, Addressed::ChatChannel] {
            for place in [Place::Guild { guild: GuildId(4), channel: HERE }, Place::Direct { channel: ChannelId(6) }] {
                let message = Message {
                    id: EventId(1),
                    caller: Caller::new(OPERATOR, "bot"),
                    author,
                    place,
                    addressed,
                    bot: UserId(42),
                    text: "/plain".to_owned(),
                    came_with: CameWith::default(),
                    sent: std::time::UNIX_EPOCH,
                };
                let route = classify(&Inbound::Message(message), &catalog);
                assert!(matches!(route, Route::Ignore(_)), "{author:?} {addressed:?} {place:?}: {route:?}");
            }
        }
    }
}
