//! Gives modules their parts of the settings file, and reports entries for unknown modules.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::app::examine::module_settings;
use candor_core::contract::{Given, Manifest, NativeModule, SendPolicy};
use candor_core::diagnostic::spanned::Spanned;
use candor_core::diagnostic::{Diagnostics, SourceFile};
use candor_core::settings::SettingLocations;
use candor_core::text::{in_code_spans, nearest};

/// Returns the modules with their settings. A manifest on disk replaces a compiled-in one. `names` holds all modules,
/// including disabled ones. `servers_add`: guild administrators may also name channels.
pub(super) fn give(
    places: &SettingLocations,
    servers_add: bool,
    names: &BTreeSet<String>,
    natives: Vec<NativeModule>,
    manifests: Vec<Manifest>,
    found: &mut Diagnostics,
) -> (Vec<NativeModule>, Vec<Manifest>) {
    check_modules(places, names, found);
    let manifests = manifests.into_iter().map(|manifest| match &manifest.file {
        Some(file) => Manifest { given: given(&manifest.folder, file, places, servers_add, found), ..manifest },
        None => manifest,
    });
    let manifests: Vec<_> = manifests.collect();
    let natives = natives.into_iter().map(|native| {
        if manifests.iter().any(|manifest| manifest.folder == native.folder()) {
            return native;
        }
        let given = given(native.folder(), &Arc::new(native.manifest().clone()), places, servers_add, found);
        native.given(given)
    });
    (natives.collect(), manifests)
}

fn given(
    module: &str,
    manifest: &Arc<SourceFile>,
    places: &SettingLocations,
    servers_add: bool,
    found: &mut Diagnostics,
) -> Given {
    let settings = places.module_settings.iter().find(|table| table.module.value == module);
    let names = places.module_commands.iter().find(|table| table.module.value == module);
    let send_to = places.send_to.iter().find(|entry| entry.module.value == module);
    let trusted = places.trusted.iter().find(|trusted| trusted.module.value == module);
    Given {
        settings: settings.map(|table| module_settings::accepted(table, manifest, places, found)).unwrap_or_default(),
        names: names.map(|table| module_settings::names(table, manifest, places, found)).unwrap_or_default(),
        trusted: trusted.map(|trusted| trusted.rights.clone()).unwrap_or_default(),
        send_to: SendPolicy { channels: send_to.map(|entry| entry.channels.clone()).unwrap_or_default(), servers_add },
    }
}

fn check_modules(places: &SettingLocations, names: &BTreeSet<String>, found: &mut Diagnostics) {
    let settings = places.module_settings.iter().map(|table| ("settings", &table.module));
    let commands = places.module_commands.iter().map(|table| ("commands", &table.module));
    let send_to = places.send_to.iter().map(|entry| ("send_to", &entry.module));
    let http_hosts = places.http_hosts.iter().map(|entry| ("http_hosts", &entry.module));
    let trusted = places.trusted.iter().map(|trusted| ("trusted", &trusted.module));
    let all = settings.chain(commands).chain(send_to).chain(http_hosts).chain(trusted);
    for (of, Spanned { value: module, span }) in all.filter(|(_, module)| !names.contains(&module.value)) {
        let message = format!("`modules.{of}.{}` is for no module", module.escape_default());
        let help = match nearest(module, names.iter().map(String::as_str), 1).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the modules are {}", in_code_spans(names)),
        };
        found.push(places.problem(span.clone(), message, help));
    }
}
