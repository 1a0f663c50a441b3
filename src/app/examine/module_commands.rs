//! Gives modules the names that the settings file has for their commands, and reports those that name no command.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_core::contract::{CommandNames, Manifest, NativeModule, declared_commands};
use candor_core::diagnostic::{Diagnostics, SourceFile};
use candor_core::settings::{GivenTable, SettingLocations};
use candor_core::text::{in_code_spans, nearest};

/// The modules with the names that their commands are given. A manifest on disk stands for the compiled-in one.
pub(super) fn give(
    places: &SettingLocations,
    natives: Vec<NativeModule>,
    manifests: Vec<Manifest>,
    found: &mut Diagnostics,
) -> (Vec<NativeModule>, Vec<Manifest>) {
    let mut given: BTreeMap<_, _> = places.module_commands.iter().map(|it| (it.module.value.as_str(), it)).collect();
    let manifests =
        manifests.into_iter().map(|manifest| match (given.remove(manifest.folder.as_str()), &manifest.file) {
            (Some(given), Some(file)) => Manifest { names: names(given, file, places, found), ..manifest },
            _ => manifest,
        });
    let manifests = manifests.collect();
    let natives = natives.into_iter().map(|native| match given.remove(native.folder()) {
        Some(given) => {
            let names = names(given, &Arc::new(native.manifest().clone()), places, found);
            native.named(names)
        }
        None => native,
    });
    (natives.collect(), manifests)
}

/// The names that are for commands of the module; the others are reported.
fn names(
    given: &GivenTable,
    manifest: &Arc<SourceFile>,
    places: &SettingLocations,
    found: &mut Diagnostics,
) -> CommandNames {
    let module = &given.module.value;
    let declared = declared_commands(manifest);
    let mut names = CommandNames::default();
    for (key, value) in &given.values {
        if !declared.contains(&key.value) {
            let with_slash = format!("/{}", key.value.trim_start_matches('/'));
            let help = match nearest(&key.value, declared.iter().map(String::as_str), 1).first() {
                _ if declared.contains(&with_slash) => format!("write `\"{with_slash}\"`"),
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its manifest declares {}", in_code_spans(&declared)),
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
