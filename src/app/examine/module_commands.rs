//! Reads the command names that the settings file gives a module, and reports those that match no command.

use std::sync::Arc;

use candor_core::contract::{CommandNames, declared_commands};
use candor_core::diagnostic::{Diagnostics, SourceFile};
use candor_core::settings::{GivenTable, SettingLocations};
use candor_core::text::{in_code_spans, nearest};

/// Returns the names of commands that the module declares, and reports the others.
pub(super) fn names(
    given: &GivenTable,
    manifest: &Arc<SourceFile>,
    places: &SettingLocations,
    found: &mut Diagnostics,
) -> CommandNames {
    let module = &given.module.value;
    let declared = declared_commands(manifest);
    let mut names = CommandNames::default();
    for (key, value) in &given.values {
        // If the manifest cannot be read in full, its commands are unknown until it is repaired.
        if let Some(declared) = declared.as_ref().filter(|declared| !declared.contains(&key.value)) {
            let with_slash = format!("/{}", key.value.trim_start_matches('/'));
            let help = match nearest(&key.value, declared.iter().map(String::as_str), 1).first() {
                _ if declared.contains(&with_slash) => format!("write `\"{with_slash}\"`"),
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its manifest declares {}", in_code_spans(declared)),
            };
            let message = format!("the module `{module}` declares no command `{}`", key.value.escape_default());
            found.push(places.problem(key.span.clone(), message, help));
            continue;
        }
        let set = match &value.value {
            Some(value) => names.set(&key.value, value),
            None => Err("a new name as text, or `false` to switch it off".to_owned()),
        };
        if let Err(takes) = set {
            let message = format!("`modules.commands.{module}.\"{}\"` takes {takes}", key.value);
            found.push(places.problem(value.span.clone(), message, "correct it, or take it out".to_owned()));
        }
    }
    names
}
