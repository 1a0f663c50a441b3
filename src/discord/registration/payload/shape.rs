//! A command of the registry as a poise command: names, options and contexts, as far as poise can express them.
//! `payload` adds the rest.

use std::borrow::Cow;
use std::convert::Infallible;

use poise::{Command as PoiseCommand, CommandParameter};
use serenity::all::{
    CommandOptionType, CreateAutocompleteResponse, CreateCommandOption, InstallationContext, InteractionContext,
    Permissions,
};

use crate::registration::payload::localized;
use candor_core::contract::{Command, CommandKind, Group, Leaf, Localized, OptionKind, OptionSpec, Subcommand};
use candor_core::inbound::{CommandPath, CommandType};

type Texts = Cow<'static, [(Cow<'static, str>, Cow<'static, str>)]>;

/// A poise command. poise never calls it: the router answers interactions.
pub(crate) type Shape = PoiseCommand<(), Infallible>;

pub(crate) fn command(command: &Command) -> Shape {
    let names = [command.name.as_str()];
    let shape = match &command.kind {
        CommandKind::Leaf(leaf) => {
            PoiseCommand { parameters: parameters(leaf), ..bare(&names, &command.description, &command.localized) }
        }
        CommandKind::Parent { subcommands, groups } => {
            let direct = subcommands.iter().map(|known| subcommand(&names, known));
            let grouped = groups.iter().map(|known| group(&command.name, known));
            parent(bare(&names, &command.description, &command.localized), direct.chain(grouped).collect())
        }
    };
    let contexts = command.contexts.as_ref();
    let installs = command.installs.as_ref();
    PoiseCommand {
        interaction_context: contexts
            .map(|contexts| contexts.iter().map(|&context| InteractionContext::from(context as u8)).collect()),
        install_context: installs
            .map(|installs| installs.iter().map(|&install| InstallationContext::from(install as u8)).collect()),
        default_member_permissions: Permissions::from_bits_retain(
            command.default_member_permissions.map_or(0, |permissions| permissions.0),
        ),
        ..shape
    }
}

fn group(command: &str, group: &Group) -> Shape {
    let names = [command, &group.name];
    let subcommands = group.subcommands.iter().map(|known| subcommand(&names, known)).collect();
    parent(bare(&names, &group.description, &group.localized), subcommands)
}

fn subcommand(above: &[&str], known: &Subcommand) -> Shape {
    let names: Vec<_> = above.iter().copied().chain([known.name.as_str()]).collect();
    PoiseCommand { parameters: parameters(&known.leaf), ..bare(&names, &known.description, &known.localized) }
}

/// For text commands only, poise rejects a parent called by itself; for interactions the router does.
fn parent(command: Shape, subcommands: Vec<Shape>) -> Shape {
    PoiseCommand { subcommands, subcommand_required: true, ..command }
}

fn bare(names: &[&str], description: &str, localized: &Localized) -> Shape {
    let path = CommandPath::at(CommandType::Slash, names);
    let name = names.last().copied().unwrap_or_default();
    PoiseCommand {
        name: name.to_owned().into(),
        name_localizations: texts(name, &localized.names),
        identifying_name: path.to_string().into(),
        description: Some(description.to_owned().into()),
        description_localizations: texts(description, &localized.descriptions),
        slash_action: Some(|_| Box::pin(async { Ok(()) })),
        ..PoiseCommand::default()
    }
}

fn parameters(leaf: &Leaf) -> Vec<CommandParameter<(), Infallible>> {
    leaf.options.iter().map(parameter).collect()
}

fn parameter(option: &OptionSpec) -> CommandParameter<(), Infallible> {
    CommandParameter {
        name: option.name.clone().into(),
        name_localizations: texts(&option.name, &option.localized.names),
        description: Some(option.description.clone().into()),
        description_localizations: texts(&option.description, &option.localized.descriptions),
        required: option.is_demanded(),
        channel_types: match &option.kind {
            OptionKind::Channel { types } if !types.is_empty() => {
                Some(types.iter().map(|&number| number.into()).collect())
            }
            _ => None,
        },
        // poise has no choices with values; the payload is completed with them.
        choices: Cow::default(),
        type_setter: Some(type_setter(&option.kind)),
        autocomplete_callback: option
            .autocomplete
            .then_some(|_, _| Box::pin(async { CreateAutocompleteResponse::new() })),
        __non_exhaustive: (),
    }
}

fn texts(default: &str, given: &std::collections::BTreeMap<String, String>) -> Texts {
    localized::texts(default, given).into_iter().map(|(locale, text)| (locale.into(), text.into())).collect()
}

/// A function pointer cannot carry bounds, so it sets only the type; the payload is completed with the bounds.
fn type_setter(kind: &OptionKind) -> fn(CreateCommandOption) -> CreateCommandOption {
    match kind {
        OptionKind::String { .. } => |option| option.kind(CommandOptionType::String),
        OptionKind::Integer { .. } => |option| option.kind(CommandOptionType::Integer),
        OptionKind::Number { .. } => |option| option.kind(CommandOptionType::Number),
        OptionKind::Boolean => |option| option.kind(CommandOptionType::Boolean),
        OptionKind::User => |option| option.kind(CommandOptionType::User),
        OptionKind::Channel { .. } => |option| option.kind(CommandOptionType::Channel),
        OptionKind::Role => |option| option.kind(CommandOptionType::Role),
        OptionKind::Mentionable => |option| option.kind(CommandOptionType::Mentionable),
        OptionKind::Attachment => |option| option.kind(CommandOptionType::Attachment),
        // Never an option: the check rejects it.
        OptionKind::Message => |option| option,
    }
}
