//! Splits registration when each guild has its own set. Commands for guilds go into the guild sets, all others are
//! global. No command is in both for the same place, so none is shown twice.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::registration::WantedCommand;

/// In guilds. See Discord's documentation, interaction contexts, for this and the next two.
const GUILD: u64 = 0;
const BOT_DM: u64 = 1;
/// Direct messages with other users, and group direct messages.
const PRIVATE_CHANNEL: u64 = 2;

/// Installed to a guild. See Discord's documentation, installation contexts, for this and the next.
const GUILD_INSTALL: u64 = 0;
/// Installed by a person for themselves.
const USER_INSTALL: u64 = 1;

/// The contexts and installation types of a command, with Discord's defaults for omitted fields.
struct Works {
    contexts: BTreeSet<u64>,
    installs: BTreeSet<u64>,
}

impl Works {
    /// `installs`: how the application can be installed.
    fn of(payload: &Value, installs: &[u64]) -> Self {
        let set = |field: &str, default: &[u64]| {
            let said = payload.get(field).and_then(Value::as_array);
            said.map_or_else(
                || default.iter().copied().collect(),
                |said| said.iter().filter_map(Value::as_u64).collect(),
            )
        };
        Self {
            contexts: set("contexts", &[GUILD, BOT_DM, PRIVATE_CHANNEL]),
            installs: set("integration_types", installs),
        }
    }

    /// Returns whether it belongs in the sets of guilds that added the bot. A command for user installs only does not.
    fn is_of_guilds(&self) -> bool {
        self.contexts.contains(&GUILD) && self.installs.contains(&GUILD_INSTALL)
    }

    /// Returns whether the command can be used in this context.
    fn is_usable_in(&self, context: u64) -> bool {
        match context {
            PRIVATE_CHANNEL => self.installs.contains(&USER_INSTALL),
            _ => true,
        }
    }
}

pub fn is_of_guilds(payload: &Value, installs: &[u64]) -> bool {
    Works::of(payload, installs).is_of_guilds()
}

/// Returns the global form of a command while guilds have separate sets: without the guild context. `None` if it works
/// only in guilds.
pub fn outside_guilds(wanted: &WantedCommand, installs: &[u64]) -> Option<WantedCommand> {
    let works = Works::of(&wanted.payload, installs);
    if !works.is_of_guilds() {
        return Some(wanted.clone());
    }
    let left: Vec<u64> =
        works.contexts.iter().copied().filter(|&context| context != GUILD && works.is_usable_in(context)).collect();
    if left.is_empty() {
        return None;
    }
    let mut wanted = wanted.clone();
    wanted.payload["contexts"] = json!(left);
    Some(wanted)
}

/// Removes the subcommands that are switched off. `is_off` gets their names below the command. `None` if nothing is
/// left.
pub fn without(wanted: &WantedCommand, is_off: &dyn Fn(&[&str]) -> bool) -> Option<WantedCommand> {
    let mut wanted = wanted.clone();
    let kept = keep(&mut wanted.payload, &mut Vec::new(), is_off);
    kept.then_some(wanted)
}

/// The option type of a subcommand. See Discord's documentation, application command option types, for this and the
/// next.
const SUBCOMMAND: u64 = 1;
/// The option type of a group of subcommands.
const GROUP: u64 = 2;

/// Removes the switched-off parts of a command or group. Returns whether anything is left.
fn keep(entry: &mut Value, names: &mut Vec<String>, is_off: &dyn Fn(&[&str]) -> bool) -> bool {
    let below: Vec<&str> = names.iter().map(String::as_str).collect();
    if is_off(&below) {
        return false;
    }
    let Some(options) = entry.get_mut("options").and_then(Value::as_array_mut) else { return true };
    let is_entry = |option: &Value| matches!(option.get("type").and_then(Value::as_u64), Some(SUBCOMMAND | GROUP));
    if !options.iter().any(is_entry) {
        return true;
    }
    options.retain_mut(|option| {
        if !is_entry(option) {
            return true;
        }
        names.push(option.get("name").and_then(Value::as_str).unwrap_or_default().to_owned());
        let kept = keep(option, names, is_off);
        names.pop();
        kept
    });
    !options.is_empty()
}

/// Returns a SHA-256 in hexadecimal over these commands, in any order.
pub fn set_digest(wanted: &[WantedCommand]) -> String {
    let mut texts: Vec<String> = wanted
        .iter()
        .map(|wanted| {
            let mut payload = wanted.payload.clone();
            payload.sort_all_objects();
            payload.to_string()
        })
        .collect();
    texts.sort();
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text);
        hash.update("\n");
    }
    hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registration::ManifestLines;

    fn wanted(payload: Value) -> WantedCommand {
        WantedCommand { payload, places: ManifestLines::default() }
    }

    #[test]
    fn each_place_has_a_command_in_one_set_alone() {
        // contexts, installations, how the application can be installed; then: in the sets of guilds, and globally.
        let cases = [
            (json!(null), json!(null), vec![0], true, Some(json!([1]))),
            (json!(null), json!(null), vec![0, 1], true, Some(json!([1, 2]))),
            (json!([0]), json!(null), vec![0], true, None),
            (json!([0, 2]), json!([0]), vec![0, 1], true, None),
            (json!([0, 2]), json!([0, 1]), vec![0], true, Some(json!([2]))),
            (json!([1]), json!(null), vec![0], false, Some(json!([1]))),
            // Whoever installed it for themselves has it everywhere.
            (json!([0, 1, 2]), json!([1]), vec![0, 1], false, Some(json!([0, 1, 2]))),
        ];
        for (contexts, installs, app, in_guilds, globally) in cases {
            let mut payload = json!({"name": "x"});
            for (field, value) in [("contexts", &contexts), ("integration_types", &installs)] {
                if !value.is_null() {
                    payload[field] = value.clone();
                }
            }
            assert_eq!(is_of_guilds(&payload, &app), in_guilds, "{payload}");
            let outside = outside_guilds(&wanted(payload.clone()), &app);
            assert_eq!(outside.map(|it| it.payload["contexts"].clone()), globally, "{payload}");
        }
    }

    #[test]
    fn what_is_off_is_taken_out_and_a_command_without_anything_left_is_gone() {
        let sub = |name: &str| json!({"type": 1, "name": name, "options": [{"type": 3, "name": "title"}]});
        let payload =
            json!({"name": "tasks", "options": [sub("add"), {"type": 2, "name": "list", "options": [sub("all")]}]});
        let names = |off: &[&[&str]]| {
            let is_off = |below: &[&str]| off.contains(&below);
            without(&wanted(payload.clone()), &is_off).map(|left| {
                let options = left.payload["options"].as_array().unwrap().clone();
                options.iter().map(|option| option["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
            })
        };
        for (off, left) in [
            (&[][..], Some("add list")),
            (&[&["add"][..]], Some("list")),
            (&[&["list", "all"]], Some("add")),
            (&[&["list"], &["add"]], None),
            (&[&[]], None),
            (&[&["title"]], Some("add list")),
        ] {
            assert_eq!(names(off).as_deref(), left, "{off:?}");
        }
        // A command that has plain options stays with them.
        let plain = wanted(json!({"name": "x", "options": [{"type": 3, "name": "add"}]}));
        assert!(without(&plain, &|below: &[&str]| below == ["add"]).is_some_and(|left| left.payload == plain.payload));
    }

    #[test]
    fn the_digest_is_of_what_is_wanted_in_any_order() {
        let (a, b) = (wanted(json!({"name": "a", "nsfw": true})), wanted(json!({"name": "b"})));
        let digest = set_digest(&[a.clone(), b.clone()]);
        assert_eq!(set_digest(&[b, wanted(json!({"nsfw": true, "name": "a"}))]), digest);
        assert_ne!(set_digest(&[a]), digest);
        assert_ne!(set_digest(&[]), digest);
    }
}
