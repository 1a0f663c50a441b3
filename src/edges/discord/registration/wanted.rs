//! Every command that should be registered, as it is sent to Discord.

use std::collections::BTreeMap;

use crate::edges::discord::registration::payload::payloads;
use candor_core::contract::Command;
use candor_core::inbound::CommandType;
use candor_core::registration::{CHAT_INPUT, Key, MESSAGE_MENU, ManifestLines, USER_MENU, WantedCommand};
use candor_core::registry::Registry;

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
