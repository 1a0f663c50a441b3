//! The payload that registers a command: poise's own, completed with the fields that poise lacks.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::convert::Infallible;

use poise::{Command as PoiseCommand, CommandParameter};
use serde_json::{Map, Value, json};
use serenity::all::{
    CommandOptionType, CreateAutocompleteResponse, CreateCommandOption, InstallationContext, InteractionContext,
    Permissions,
};

use candor_core::contract::{Choice, Command, CommandKind, Group, Leaf, Localized, OptionKind, OptionSpec, Subcommand};
use candor_core::inbound::{CommandPath, CommandType};
use candor_core::registration::{CHAT_INPUT, Key, MESSAGE_MENU, ManifestLines, USER_MENU, WantedCommand};
use candor_core::registry::Registry;

/// Returns all payloads to register: slash commands, context-menu commands, and our own message commands.
fn payloads(registry: &Registry) -> Vec<Value> {
    registry.commands().chain(registry.menus()).map(payload).chain(menu_payloads(registry)).collect()
}

fn payload(command: &Command) -> Value {
    let mut fields = match command.command_type {
        CommandType::Slash => slash(command),
        CommandType::UserMenu => menu(command, USER_MENU),
        CommandType::MessageMenu => menu(command, MESSAGE_MENU),
    };
    fields.insert("nsfw".to_owned(), json!(command.nsfw));
    // poise treats an empty set as unset; to Discord it means administrators only.
    if let Some(permissions) = command.default_member_permissions {
        fields.insert("default_member_permissions".to_owned(), json!(permissions.0.to_string()));
    }
    Value::Object(fields)
}

/// Returns the JSON that registers our own message commands. Discord takes no description for them.
fn menu_payloads(registry: &Registry) -> impl Iterator<Item = Value> {
    registry.reply_menus().map(|name| json!({ "type": MESSAGE_MENU, "name": name }))
}

fn slash(command: &Command) -> Map<String, Value> {
    // Every command of ours has a slash action, so poise always has a payload for it.
    let poise = poise_command(command).create_as_slash_command();
    let Ok(Value::Object(mut fields)) = serde_json::to_value(poise) else { return Map::new() };
    fields.insert("type".to_owned(), json!(CHAT_INPUT));
    match &command.kind {
        CommandKind::Leaf(leaf) => complete(&mut fields, leaf),
        CommandKind::Parent { subcommands, groups } => {
            // poise's list has the same order: direct subcommands, then groups.
            let mut below = entries(&mut fields);
            for (known, entry) in subcommands.iter().zip(below.by_ref()) {
                complete(entry, &known.leaf);
            }
            for (group, entry) in groups.iter().zip(below) {
                for (known, entry) in group.subcommands.iter().zip(entries(entry)) {
                    complete(entry, &known.leaf);
                }
            }
        }
    }
    fields
}

/// Built without poise, which has no localized names for context-menu commands and wants an action for them.
fn menu(command: &Command, number: u64) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("type".to_owned(), json!(number));
    fields.insert("name".to_owned(), json!(command.name));
    insert(&mut fields, "name_localizations", &command.name, &command.localized.names);
    if let Some(contexts) = &command.contexts {
        let numbers: Vec<_> = contexts.iter().map(|&context| context as u8).collect();
        fields.insert("contexts".to_owned(), json!(numbers));
    }
    if let Some(installs) = &command.installs {
        let numbers: Vec<_> = installs.iter().map(|&install| install as u8).collect();
        fields.insert("integration_types".to_owned(), json!(numbers));
    }
    fields
}

/// Returns the commands in force and our own message commands.
pub(crate) fn wanted(registry: &Registry) -> Vec<WantedCommand> {
    let in_force = registry.commands().chain(registry.menus());
    let mut places: BTreeMap<Key, ManifestLines> =
        in_force.map(|command| (key(command), ManifestLines::of(command))).collect();
    let wanted = payloads(registry).into_iter().map(|payload| {
        let places = places.remove(&Key::of(&payload)).unwrap_or_default();
        WantedCommand { payload, places }
    });
    wanted.collect()
}

pub(crate) fn key(command: &Command) -> Key {
    let kind = match command.command_type {
        CommandType::Slash => CHAT_INPUT,
        CommandType::UserMenu => USER_MENU,
        CommandType::MessageMenu => MESSAGE_MENU,
    };
    Key { kind, name: command.name.clone() }
}

/// The locales that Discord shows in place of each other if one is missing. See its documentation on the localization
/// of commands.
const ENGLISH: [&str; 2] = ["en-US", "en-GB"];

/// Returns the texts to register by locale. The default text is English. If only one English locale has its own text,
/// the other gets the default. Otherwise Discord would never show the default to people who read English.
pub(crate) fn texts(default: &str, given: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut texts = given.clone();
    if ENGLISH.iter().any(|&locale| given.contains_key(locale)) {
        for locale in ENGLISH {
            texts.entry(locale.to_owned()).or_insert_with(|| default.to_owned());
        }
    }
    texts
}

pub(crate) fn insert(fields: &mut Map<String, Value>, key: &str, default: &str, given: &BTreeMap<String, String>) {
    if !given.is_empty() {
        fields.insert(key.to_owned(), texts(default, given).into_iter().collect());
    }
}

/// Completes the options of a callable command. Both lists have the same order.
fn complete(fields: &mut Map<String, Value>, leaf: &Leaf) {
    for (entry, option) in entries(fields).zip(&leaf.options) {
        entry.extend(additions(option));
    }
}

/// Returns the options of a payload, or its subcommands and groups.
fn entries(fields: &mut Map<String, Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    fields.get_mut("options").and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

fn additions(option: &OptionSpec) -> Vec<(String, Value)> {
    let (bounds, choices) = match &option.kind {
        OptionKind::String { min_length, max_length, choices } => (
            [("min_length", min_length.map(Value::from)), ("max_length", max_length.map(Value::from))],
            listed(choices),
        ),
        OptionKind::Integer { min, max, choices } => (between(*min, *max), listed(choices)),
        OptionKind::Number { min, max, choices } => (between(*min, *max), listed(choices)),
        OptionKind::Boolean
        | OptionKind::User
        | OptionKind::Channel { .. }
        | OptionKind::Role
        | OptionKind::Mentionable
        | OptionKind::Attachment
        | OptionKind::Message => return Vec::new(),
    };
    let fields = bounds.into_iter().chain([("choices", (!choices.is_empty()).then_some(Value::Array(choices)))]);
    fields.filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

fn between<N: Into<Value>>(min: Option<N>, max: Option<N>) -> [(&'static str, Option<Value>); 2] {
    [("min_value", min.map(Into::into)), ("max_value", max.map(Into::into))]
}

fn listed<V: Clone + Into<Value>>(choices: &[Choice<V>]) -> Vec<Value> {
    let listed = choices.iter().map(|choice| {
        let mut fields = Map::new();
        fields.insert("name".to_owned(), json!(choice.name));
        fields.insert("value".to_owned(), choice.value.clone().into());
        insert(&mut fields, "name_localizations", &choice.name, &choice.names);
        Value::Object(fields)
    });
    listed.collect()
}

type Texts = Cow<'static, [(Cow<'static, str>, Cow<'static, str>)]>;

/// A poise command. poise never calls it: the router answers interactions.
pub(crate) type Shape = PoiseCommand<(), Infallible>;

pub(crate) fn poise_command(command: &Command) -> Shape {
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
        name_localizations: poise_texts(name, &localized.names),
        identifying_name: path.to_string().into(),
        description: Some(description.to_owned().into()),
        description_localizations: poise_texts(description, &localized.descriptions),
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
        name_localizations: poise_texts(&option.name, &option.localized.names),
        description: Some(option.description.clone().into()),
        description_localizations: poise_texts(&option.description, &option.localized.descriptions),
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

fn poise_texts(default: &str, given: &std::collections::BTreeMap<String, String>) -> Texts {
    texts(default, given).into_iter().map(|(locale, text)| (locale.into(), text.into())).collect()
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

#[cfg(test)]
mod localized_tests {
    use super::*;

    #[test]
    fn the_default_stands_beside_another_english() {
        let cases = [
            (&[][..], &[][..]),
            (&[("de", "Farbe")], &[("de", "Farbe")]),
            (&[("en-GB", "colour")], &[("en-GB", "colour"), ("en-US", "color")]),
            (&[("en-GB", "colour"), ("en-US", "hue")], &[("en-GB", "colour"), ("en-US", "hue")]),
        ];
        let map = |texts: &[(&str, &str)]| -> BTreeMap<String, String> {
            texts.iter().map(|&(locale, text)| (locale.to_owned(), text.to_owned())).collect()
        };
        for (given, expected) in cases {
            assert_eq!(texts("color", &map(given)), map(expected));
        }
    }
}
