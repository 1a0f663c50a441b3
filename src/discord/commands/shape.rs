//! A command of the registry in the shape of poise's: names, options and where it may be used, as far as poise can say
//! it. What it cannot say is added in `payload`.

use std::borrow::Cow;

use poise::CommandParameter;
use serenity::all::{CommandOptionType, CreateCommandOption, InstallationContext, InteractionContext, Permissions};

use crate::contract::{
    Command, CommandKind, CommandPath, CommandSurface, Group, Leaf, Localized, OptionKind, OptionSpec, Subcommand,
};
use crate::discord::commands::{Entry, Never, PoiseCommand, complete, run};
use crate::discord::handler::Shared;
use crate::discord::payload::localized;

type Texts = Cow<'static, [(Cow<'static, str>, Cow<'static, str>)]>;

/// One slash command of the registry as poise's.
pub(in crate::discord) fn command(command: &Command) -> PoiseCommand {
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

/// The options in the order that Discord demands: first those that it will not send the command without. What a form
/// asks for may be left out.
pub(in crate::discord) fn in_order(leaf: &Leaf) -> Vec<&OptionSpec> {
    let mut options: Vec<_> = leaf.options.iter().collect();
    options.sort_by_key(|option| !option.is_demanded());
    options
}

fn group(command: &str, group: &Group) -> PoiseCommand {
    let names = [command, &group.name];
    let subcommands = group.subcommands.iter().map(|known| subcommand(&names, known)).collect();
    parent(bare(&names, &group.description, &group.localized), subcommands)
}

fn subcommand(above: &[&str], known: &Subcommand) -> PoiseCommand {
    let names: Vec<_> = above.iter().copied().chain([known.name.as_str()]).collect();
    PoiseCommand { parameters: parameters(&known.leaf), ..bare(&names, &known.description, &known.localized) }
}

/// For text commands only, poise refuses a parent that is named alone; for interactions the router does.
fn parent(command: PoiseCommand, subcommands: Vec<PoiseCommand>) -> PoiseCommand {
    PoiseCommand { subcommands, subcommand_required: true, ..command }
}

fn bare(names: &[&str], description: &str, localized: &Localized) -> PoiseCommand {
    let path = CommandPath::at(CommandSurface::Slash, names);
    let name = names.last().copied().unwrap_or_default();
    PoiseCommand {
        name: name.to_owned().into(),
        name_localizations: texts(name, &localized.names),
        identifying_name: path.to_string().into(),
        description: Some(description.to_owned().into()),
        description_localizations: texts(description, &localized.descriptions),
        slash_action: Some(run),
        custom_data: Box::new(Entry(path)),
        ..PoiseCommand::default()
    }
}

fn parameters(leaf: &Leaf) -> Vec<CommandParameter<Shared, Never>> {
    in_order(leaf).into_iter().map(parameter).collect()
}

fn parameter(option: &OptionSpec) -> CommandParameter<Shared, Never> {
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
        autocomplete_callback: option.completer.is_some().then_some(complete),
        __non_exhaustive: (),
    }
}

fn texts(default: &str, given: &std::collections::BTreeMap<String, String>) -> Texts {
    localized::texts(default, given).into_iter().map(|(locale, text)| (locale.into(), text.into())).collect()
}

/// A function pointer cannot know bounds, so it says the type alone; the payload is completed with them.
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
        // Never an option: the check sees to it.
        OptionKind::Message => |option| option,
    }
}
