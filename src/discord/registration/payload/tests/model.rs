//! Commands that use every field.

use std::collections::BTreeMap;

use candor_core::contract::{
    Choice, Command, CommandKind, Group, Install, InteractionContext, Leaf, Localized, OptionKind, OptionSpec, Owner,
    Subcommand,
};
use candor_core::inbound::{CommandType, Permissions};

fn leaf(options: Vec<OptionSpec>) -> Leaf {
    Leaf::new("never", options, None)
}

fn texts(text: &str) -> BTreeMap<String, String> {
    BTreeMap::from([("de".to_owned(), format!("{text}-de")), ("en-GB".to_owned(), format!("{text}-gb"))])
}

fn localized(name: &str) -> Localized {
    Localized { names: texts(name), descriptions: texts("words") }
}

fn option(name: &str, kind: OptionKind, required: bool) -> OptionSpec {
    OptionSpec { localized: localized(name), ..OptionSpec::new(name, "words", kind, required) }
}

fn chosen<V>(value: V) -> Vec<Choice<V>> {
    vec![Choice { names: texts("choice"), ..Choice::new("choice", value) }]
}

/// Options of every type with every bound, those that Discord requires first. A modal asks for `asked`, which Discord
/// does not require.
fn options() -> Vec<OptionSpec> {
    let text = |choices| OptionKind::String { min_length: Some(2), max_length: Some(30), choices };
    let typed = OptionKind::Integer { min: Some(-5), max: Some(5), choices: Vec::new() };
    vec![
        option("text", text(Vec::new()), true),
        option("user", OptionKind::User, true),
        OptionSpec { modal: true, ..option("asked", text(Vec::new()), true) },
        option("pick", text(chosen("left".to_owned())), false),
        OptionSpec { autocomplete: true, ..option("typed", typed, false) },
        option("whole", OptionKind::Integer { min: None, max: None, choices: chosen(-3) }, false),
        option("number", OptionKind::Number { min: Some(-0.5), max: Some(0.5), choices: chosen(0.25) }, false),
        option("flag", OptionKind::Boolean, false),
        option("channel", OptionKind::Channel { types: vec![0, 5, 15, 16] }, false),
        option("any-channel", OptionKind::Channel { types: Vec::new() }, false),
        option("role", OptionKind::Role, false),
        option("mentionable", OptionKind::Mentionable, false),
        option("file", OptionKind::Attachment, false),
    ]
}

fn subcommand(name: &str) -> Subcommand {
    Subcommand { localized: localized(name), ..Subcommand::new(name, "words", leaf(options())) }
}

fn group(name: &str) -> Group {
    Group {
        name: name.to_owned(),
        description: "words".to_owned(),
        subcommands: vec![subcommand("third"), subcommand("fourth")],
        localized: localized(name),
        written_at: None,
    }
}

fn command(name: &str, kind: CommandKind) -> Command {
    Command {
        localized: localized(name),
        nsfw: true,
        contexts: Some(vec![InteractionContext::Guild, InteractionContext::BotDm]),
        installs: Some(vec![Install::Guild, Install::User]),
        default_member_permissions: Some(Permissions(1 << 52 | 1 << 13)),
        ..Command::new(name, "words", Owner::Builtin, kind)
    }
}

/// Two slash commands, with and without subcommands and groups, one for administrators only, and one of each kind of
/// context-menu command.
pub(crate) fn commands() -> Vec<Command> {
    let subcommands = vec![subcommand("first"), subcommand("second")];
    let tree = CommandKind::Parent { subcommands, groups: vec![group("one"), group("two")] };
    let menu = |name: &str, command_type, kind| {
        let target = CommandKind::Leaf(leaf(vec![OptionSpec::new("target", "words", kind, true)]));
        Command { command_type, description: String::new(), ..command(name, target) }
    };
    vec![
        command("flat", CommandKind::Leaf(leaf(options()))),
        command("tree", tree),
        Command {
            default_member_permissions: Some(Permissions(0)),
            ..Command::new("admins", "words", Owner::Builtin, CommandKind::Leaf(leaf(Vec::new())))
        },
        menu("Of user", CommandType::UserMenu, OptionKind::User),
        menu("Of message", CommandType::MessageMenu, OptionKind::Message),
    ]
}
