//! Commands for routing tests: one of each shape, each also for operators only, and one of a rejected module.

use std::sync::{Arc, LazyLock};
use std::time::UNIX_EPOCH;

use serde_json::{Map, Value};

use crate::contract::{
    Checked, Choice, Command, CommandKind, Group, Leaf, Localized, OptionKind, OptionSpec, Owner, RejectedModule,
    Subcommand, Withdrawn,
};
use crate::diagnostic::{Code, FirstError, Position};
use crate::inbound::{
    Addressed, AuthorKind, CallMethod, Caller, CameWith, ChannelId, CommandType, EventId, GuildId, Inbound,
    Interaction, Message, Place, UserId,
};
use crate::registry::{Catalog, Registry};
use crate::router::{Named, Route, UnknownKind, classify};
use crate::testing::accepted;

/// The bot that the messages address.
pub(super) const BOT: UserId = UserId(42);

/// The commands as an operator or anybody else sees them.
pub(super) fn catalog(operator: bool) -> Catalog {
    static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| Arc::new(registry()));
    Catalog::new(Arc::clone(&REGISTRY), operator)
}

fn registry() -> Registry {
    let any_text = || OptionKind::String { min_length: None, max_length: Some(100), choices: Vec::new() };
    let whole = || OptionKind::Integer { min: Some(1), max: None, choices: Vec::new() };
    let units = ["bytes", "bits"].map(|unit| Choice::new(unit.to_uppercase(), unit.to_owned()));
    let unit = OptionKind::String { min_length: None, max_length: None, choices: units.into() };
    let commands = vec![
        command("help", CommandKind::Leaf(leaf(vec![]))),
        command("status", CommandKind::Leaf(leaf(vec![option("metric", any_text(), false)]))),
        command(
            "tasks",
            CommandKind::of_subcommands(vec![
                subcommand("add", vec![option("title", any_text(), true)]),
                subcommand("list", vec![]),
                subcommand("done", vec![option("task", whole(), true)]),
            ]),
        ),
        command(
            "measure",
            CommandKind::Leaf(leaf(vec![
                option("unit", unit, true),
                option("share", OptionKind::Number { min: Some(0.0), max: Some(1.0), choices: Vec::new() }, false),
                option("exact", OptionKind::Boolean, false),
            ])),
        ),
        Command {
            chat_only: true,
            ..command("search", CommandKind::Leaf(leaf(vec![option("words", any_text(), true)])))
        },
        command("größe", CommandKind::Leaf(leaf(vec![]))),
        command(
            "club",
            CommandKind::Parent {
                subcommands: vec![subcommand("list", vec![])],
                groups: vec![group(
                    "member",
                    vec![
                        subcommand("add", vec![option("person", OptionKind::User, true), option("fee", fee(), false)]),
                        subcommand("drop", vec![option("whom", OptionKind::Mentionable, true)]),
                        subcommand("badge", vec![option("picture", OptionKind::Attachment, true)]),
                    ],
                )],
            },
        ),
        menu(CommandType::UserMenu, "Show profile", option("person", OptionKind::User, true)),
        menu(CommandType::MessageMenu, "Report", option("message", OptionKind::Message, true)),
        Command { operators_only: true, ..command("restart", CommandKind::Leaf(leaf(vec![]))) },
        Command {
            operators_only: true,
            ..command(
                "secrets",
                CommandKind::of_subcommands(vec![subcommand("show", vec![]), subcommand("turn", vec![])]),
            )
        },
    ];
    let mut module = accepted(Owner::Module("fixture".to_owned()), commands);
    let withdrawn = |name: &str| Withdrawn { name: name.to_owned(), error: error() };
    module.withdrawn = vec![withdrawn("tasks import"), withdrawn("club member expel")];
    let rejected = RejectedModule {
        name: "clouds".to_owned(),
        commands: vec!["weather".to_owned()],
        menus: vec![(CommandType::UserMenu, "Cloud".to_owned())],
        error: Some(error()),
        ..RejectedModule::default()
    };
    Registry::build(Checked { accepted: vec![module], rejected: vec![rejected], ..Checked::default() })
}

fn error() -> FirstError {
    let (file, at) = ("module.toml".to_owned(), Position { line: 1, column: 1 });
    FirstError { code: Code::HandlerNotFound, file, at, help: String::new() }
}

fn command(name: &str, kind: CommandKind) -> Command {
    Command::new(name.to_owned(), "A command".to_owned(), Owner::Module("fixture".to_owned()), kind)
}

fn group(name: &str, subcommands: Vec<Subcommand>) -> Group {
    Group {
        name: name.to_owned(),
        description: "A group".to_owned(),
        subcommands,
        localized: Localized::default(),
        written_at: None,
    }
}

fn menu(command_type: CommandType, name: &str, target: OptionSpec) -> Command {
    Command::on(command_type, name, "", Owner::Builtin, CommandKind::Leaf(leaf(vec![target])))
}

/// An integer option with named choices.
fn fee() -> OptionKind {
    OptionKind::Integer {
        min: Some(0),
        max: Some(100),
        choices: vec![Choice::new("Half", 5), Choice::new("Whole", 10)],
    }
}

fn subcommand(name: &str, options: Vec<OptionSpec>) -> Subcommand {
    Subcommand::new(name.to_owned(), "A subcommand".to_owned(), leaf(options))
}

fn leaf(options: Vec<OptionSpec>) -> Leaf {
    Leaf::new("unused", options, None)
}

fn option(name: &str, kind: OptionKind, required: bool) -> OptionSpec {
    OptionSpec::new(name.to_owned(), "An option".to_owned(), kind, required)
}

fn caller() -> Caller {
    Caller::new(UserId(7), "Ada")
}

/// A user's message to the bot.
pub(super) fn message(text: &str) -> Message {
    Message {
        id: EventId(1),
        caller: caller(),
        author: AuthorKind::Person,
        place: Place::Direct { channel: ChannelId(3) },
        addressed: Addressed::Direct,
        bot: BOT,
        text: text.to_owned(),
        came_with: CameWith::default(),
        sent: UNIX_EPOCH,
    }
}

/// A use of a user or message context-menu command.
pub(super) fn chosen(menu: CommandType, name: &str, target: Option<Value>) -> Inbound {
    match interaction(&[name], Map::new()) {
        Inbound::Interaction(interaction) => {
            Inbound::Interaction(Interaction { command_type: menu, target, ..interaction })
        }
        other => other,
    }
}

/// A choice in Discord's picker.
pub(super) fn interaction(path: &[&str], arguments: Map<String, Value>) -> Inbound {
    Inbound::Interaction(Interaction {
        id: EventId(2),
        caller: caller(),
        place: Place::Guild { guild: GuildId(4), channel: ChannelId(5) },
        method: CallMethod::Picked,
        command_type: CommandType::Slash,
        path: path.iter().map(|&name| name.to_owned()).collect(),
        arguments,
        target: None,
        sent: UNIX_EPOCH,
    })
}

/// A route on one line.
pub(super) fn shown(route: &Route) -> String {
    let near = |near: &[String]| near.join(", ");
    match route {
        Route::Command(command) => {
            format!("command {} {}", command.path, Value::Object(command.arguments.clone()))
        }
        Route::UnknownCommand(unknown) => match &unknown.kind {
            UnknownKind::Command => format!("unknown {} near [{}]", unknown.received, near(&unknown.near)),
            UnknownKind::ChatOnly => format!("for chat alone {}", unknown.received),
            UnknownKind::OfChat => format!("of chat {}", unknown.received),
            UnknownKind::Subcommand => format!("no subcommand {} of [{}]", unknown.received, near(&unknown.near)),
            UnknownKind::ContextMenuCommand => format!("no context-menu command {}", unknown.received),
            UnknownKind::Stale { problem } => format!("stale {}: {problem}", unknown.received),
        },
        Route::Malformed(malformed) => format!("malformed {}: {}", malformed.path, malformed.problem),
        Route::NotPlain { path, why } => format!("not plain {path}: {}", why.name()),
        Route::Named(Named { path, instead: Some(route), .. }) => format!("named {path}: {}", shown(route)),
        Route::Named(named) if named.has_button => format!("named {} with a button", named.path),
        Route::Named(named) => format!("named {}", named.path),
        Route::Modal(form) => format!("form {} for {}", form.path, form.missing.join(", ")),
        Route::Unavailable(unavailable) => format!("unavailable {} of {}", unavailable.shown(), unavailable.module),
        Route::Chat(words) => format!("chat {}", words.as_str()),
        Route::Ignore(ignored) => format!("ignore {ignored:?}"),
    }
}

/// The route of a message.
pub(super) fn typed(text: &str) -> Route {
    classify(&Inbound::Message(message(text)), &catalog(false))
}
