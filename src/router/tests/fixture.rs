//! Commands to route to: one of each shape, an operators' one of each, and one of a rejected module.

use std::sync::{Arc, LazyLock};
use std::time::UNIX_EPOCH;

use futures_util::FutureExt as _;
use serde_json::{Map, Value};

use crate::contract::{
    AcceptedModule, Checked, Choice, Command, CommandKind, Handler, Leaf, OptionKind, OptionSpec, Owner,
    RejectedModule, Subcommand,
};
use crate::inbound::{
    Addressed, Author, Caller, ChannelId, EventId, GuildId, Inbound, Interaction, Message, Place, UserId,
};
use crate::registry::{Catalog, Registry};
use crate::reply::Reply;

/// The bot that the messages are for.
pub(super) const BOT: UserId = UserId(42);

/// The commands as an operator or anybody else sees them.
pub(super) fn catalog(operator: bool) -> Catalog {
    static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| Arc::new(registry()));
    Catalog::new(Arc::clone(&REGISTRY), operator)
}

fn registry() -> Registry {
    let any_text = || OptionKind::String { min_length: None, max_length: Some(100), choices: Vec::new() };
    let whole = || OptionKind::Integer { min: Some(1), max: None };
    let units = ["bytes", "bits"].map(|unit| Choice { name: unit.to_uppercase(), value: unit.to_owned() });
    let unit = OptionKind::String { min_length: None, max_length: None, choices: units.into() };
    let commands = vec![
        command("help", CommandKind::Leaf(leaf(vec![]))),
        command("status", CommandKind::Leaf(leaf(vec![option("metric", any_text(), false)]))),
        command(
            "tasks",
            CommandKind::Parent(vec![
                subcommand("add", vec![option("title", any_text(), true)]),
                subcommand("list", vec![]),
                subcommand("done", vec![option("task", whole(), true)]),
            ]),
        ),
        command(
            "measure",
            CommandKind::Leaf(leaf(vec![
                option("unit", unit, true),
                option("share", OptionKind::Number { min: Some(0.0), max: Some(1.0) }, false),
                option("exact", OptionKind::Boolean, false),
            ])),
        ),
        command("größe", CommandKind::Leaf(leaf(vec![]))),
        Command { operators_only: true, ..command("restart", CommandKind::Leaf(leaf(vec![]))) },
        Command {
            operators_only: true,
            ..command("secrets", CommandKind::Parent(vec![subcommand("show", vec![]), subcommand("turn", vec![])]))
        },
    ];
    let module = AcceptedModule {
        owner: Owner::Module("fixture".to_owned()),
        summary: "Commands for tests".to_owned(),
        services: Vec::new(),
        commands,
        background: None,
    };
    let rejected = RejectedModule { name: "clouds".to_owned(), commands: vec!["weather".to_owned()] };
    Registry::build(Checked { accepted: vec![module], rejected: vec![rejected], ..Checked::default() })
}

fn command(name: &str, kind: CommandKind) -> Command {
    Command {
        name: name.to_owned(),
        description: "A command".to_owned(),
        owner: Owner::Module("fixture".to_owned()),
        ephemeral: false,
        operators_only: false,
        kind,
    }
}

fn subcommand(name: &str, options: Vec<OptionSpec>) -> Subcommand {
    Subcommand { name: name.to_owned(), description: "A subcommand".to_owned(), leaf: leaf(options) }
}

fn leaf(options: Vec<OptionSpec>) -> Leaf {
    let run = Arc::new(|_, _| async { Ok(Reply::default()) }.boxed());
    Leaf { options, handler: Handler::native("unused", run, Arc::new(|_| Ok(()))), tool: None }
}

fn option(name: &str, kind: OptionKind, required: bool) -> OptionSpec {
    OptionSpec { name: name.to_owned(), description: "An option".to_owned(), kind, required, completer: None }
}

fn caller() -> Caller {
    Caller { id: UserId(7), name: "Ada".to_owned() }
}

/// A person's message to the bot.
pub(super) fn message(text: &str) -> Message {
    Message {
        id: EventId(1),
        caller: caller(),
        author: Author::Person,
        place: Place::Direct { channel: ChannelId(3) },
        addressed: Addressed::Direct,
        bot: BOT,
        text: text.to_owned(),
        sent: UNIX_EPOCH,
    }
}

/// A choice in Discord's picker.
pub(super) fn interaction(path: &[&str], arguments: Map<String, Value>) -> Inbound {
    Inbound::Interaction(Interaction {
        id: EventId(2),
        caller: caller(),
        place: Place::Guild { guild: GuildId(4), channel: ChannelId(5) },
        path: path.iter().map(|&name| name.to_owned()).collect(),
        arguments,
        sent: UNIX_EPOCH,
    })
}
