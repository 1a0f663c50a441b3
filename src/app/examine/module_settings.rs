//! Gives modules the values that the settings file has for them, and reports those that no module takes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use secrecy::ExposeSecret as _;
use serde_json::{Map, Value};

use crate::edges::model;
use candor_core::contract::{Manifest, ModuleSettings, NativeModule, SettingKind, SettingSpec, declared_settings};
use candor_core::diagnostic::Diagnostics;
use candor_core::settings::{GivenTable, SettingLocations};
use candor_core::text::{in_code_spans, nearest};

/// Reports tables of the settings file that are for no module. `names` are those of all modules, also of those that are
/// left out.
pub(super) fn check_modules(places: &SettingLocations, names: &BTreeSet<String>, found: &mut Diagnostics) {
    let settings = places.module_settings.iter().map(|table| ("settings", table));
    let all = settings.chain(places.module_commands.iter().map(|table| ("commands", table)));
    for (of, GivenTable { module, .. }) in all.filter(|(_, table)| !names.contains(&table.module.value)) {
        let message = format!("`[modules.{of}.{}]` is for no module", module.value.escape_default());
        let help = match nearest(&module.value, names.iter().map(String::as_str), 1).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the modules are {}", in_code_spans(names)),
        };
        found.push(places.problem(module.span.clone(), message, help));
    }
}

/// The modules with the values that were given for them.
pub(super) fn give(
    places: &SettingLocations,
    natives: Vec<NativeModule>,
    manifests: Vec<Manifest>,
    found: &mut Diagnostics,
) -> (Vec<NativeModule>, Vec<Manifest>) {
    let mut given: BTreeMap<_, _> = places.module_settings.iter().map(|it| (it.module.value.as_str(), it)).collect();
    let manifests =
        manifests.into_iter().map(|manifest| match (given.remove(manifest.folder.as_str()), &manifest.file) {
            (Some(given), Some(file)) => {
                let settings = accepted(given, &declared_settings(file), places, found);
                Manifest { settings, ..manifest }
            }
            _ => manifest,
        });
    let manifests = manifests.collect();
    let natives = natives.into_iter().map(|native| match given.remove(native.folder()) {
        Some(given) => {
            let declared = declared_settings(&Arc::new(native.manifest().clone()));
            native.given(accepted(given, &declared, places, found))
        }
        None => native,
    });
    (natives.collect(), manifests)
}

/// The values that the module takes; the others are reported.
fn accepted(
    given: &GivenTable,
    declared: &[SettingSpec],
    places: &SettingLocations,
    found: &mut Diagnostics,
) -> ModuleSettings {
    let table = format!("modules.settings.{}", given.module.value);
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
            Ok(Value::String(path)) if spec.kind == SettingKind::Secret => match model::read_key(Path::new(path)) {
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
