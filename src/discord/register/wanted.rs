//! Every command that should stand, as Discord is told about it.

use std::collections::BTreeMap;

use crate::contract::{Command, CommandSurface};
use crate::discord::payload::payloads;
use crate::reconcile::{CHAT_INPUT, Key, MESSAGE_MENU, Places, USER_MENU, Wanted};
use crate::registry::Registry;

/// The commands in force and our own entry in the menu of a message.
pub(super) fn wanted(registry: &Registry) -> Vec<Wanted> {
    let in_force = registry.commands().chain(registry.menus());
    let mut places: BTreeMap<Key, Places> = in_force.map(|command| (key(command), Places::of(command))).collect();
    let wanted = payloads(registry).into_iter().map(|payload| {
        let places = places.remove(&Key::of(&payload)).unwrap_or_default();
        Wanted { payload, places }
    });
    wanted.collect()
}

/// What makes a command the same one at Discord.
pub(super) fn key(command: &Command) -> Key {
    let kind = match command.surface {
        CommandSurface::Slash => CHAT_INPUT,
        CommandSurface::UserMenu => USER_MENU,
        CommandSurface::MessageMenu => MESSAGE_MENU,
    };
    Key { kind, name: command.name.clone() }
}
