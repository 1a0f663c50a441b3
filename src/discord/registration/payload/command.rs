//! The payloads that register commands.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::registration::payload::option::{self, entries};
use crate::registration::payload::{localized, shape};
use candor_core::contract::{Command, CommandKind};
use candor_core::inbound::CommandType;
use candor_core::registration::{CHAT_INPUT, Key, MESSAGE_MENU, ManifestLines, USER_MENU, WantedCommand};
use candor_core::registry::Registry;

/// Returns all payloads to register: slash commands, context-menu commands, and our own message commands.
pub(super) fn payloads(registry: &Registry) -> Vec<Value> {
    registry.commands().chain(registry.menus()).map(payload).chain(menu_payloads(registry)).collect()
}

pub(super) fn payload(command: &Command) -> Value {
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
    let poise = shape::command(command).create_as_slash_command();
    let Ok(Value::Object(mut fields)) = serde_json::to_value(poise) else { return Map::new() };
    fields.insert("type".to_owned(), json!(CHAT_INPUT));
    match &command.kind {
        CommandKind::Leaf(leaf) => option::complete(&mut fields, leaf),
        CommandKind::Parent { subcommands, groups } => {
            // poise's list has the same order: direct subcommands, then groups.
            let mut below = entries(&mut fields);
            for (known, entry) in subcommands.iter().zip(below.by_ref()) {
                option::complete(entry, &known.leaf);
            }
            for (group, entry) in groups.iter().zip(below) {
                for (known, entry) in group.subcommands.iter().zip(entries(entry)) {
                    option::complete(entry, &known.leaf);
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
    localized::insert(&mut fields, "name_localizations", &command.name, &command.localized.names);
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
