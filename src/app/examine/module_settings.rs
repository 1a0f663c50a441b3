//! Reads a module's settings and command names from the settings file, and reports those that it does not accept.

use std::path::Path;
use std::sync::Arc;

use secrecy::ExposeSecret as _;
use serde_json::{Map, Value};

use candor_core::contract::{
    CommandNames, ModuleSettings, SettingKind, SettingSpec, declared_commands, declared_settings,
};
use candor_core::diagnostic::{Diagnostics, SourceFile};
use candor_core::settings::{GivenTable, SettingLocations};
use candor_core::text::{in_code_spans, nearest};
use candor_engine::read_key;

/// Returns the values that the module accepts, and reports the others.
pub(super) fn accepted(
    given: &GivenTable,
    manifest: &Arc<SourceFile>,
    places: &SettingLocations,
    found: &mut Diagnostics,
) -> ModuleSettings {
    let table = format!("modules.settings.{}", given.module.value);
    let declared = declared_settings(manifest);
    let mut values = Map::new();
    for (key, value) in &given.values {
        let Some(spec) = declared.iter().find(|spec| spec.key() == key.value) else {
            let keys: Vec<_> = declared.iter().map(SettingSpec::key).collect();
            let message =
                format!("the module `{}` has no setting `{}`", given.module.value, key.value.escape_default());
            let help = match nearest(&key.value, keys.iter().map(String::as_str), 1).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None if keys.is_empty() => format!("take `[{table}]` out: it has no settings"),
                None => format!("it takes {}", in_code_spans(&keys)),
            };
            found.push(places.problem(key.span.clone(), message, help));
            continue;
        };
        let takes = value.value.as_ref().ok_or_else(|| spec.kind.to_string());
        match takes.and_then(|value| spec.accepts(value).map(|()| value)) {
            Err(takes) => {
                let message = format!("`{table}.{}` takes {takes}", key.value);
                found.push(places.problem(value.span.clone(), message, "correct it, or take it out".to_owned()));
            }
            Ok(Value::String(path)) if spec.kind == SettingKind::Secret => match read_key(Path::new(path)) {
                Ok(secret) => {
                    values.insert(spec.name.clone(), Value::from(secret.expose_secret()));
                }
                Err(problem) => {
                    let help =
                        format!("let `{}` name a file that holds the secret on one line, and nothing else", key.value);
                    found.push(places.problem(value.span.clone(), problem.to_string(), help));
                }
            },
            Ok(value) => {
                values.insert(spec.name.clone(), value.clone());
            }
        }
    }
    ModuleSettings::new(values)
}

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
