//! Gives modules the channels that the settings file lets them send to, and reports those that no module takes.

use std::collections::{BTreeMap, BTreeSet};

use candor_core::contract::{Checked, Manifest, NativeModule, Owner, ServiceName};
use candor_core::diagnostic::Diagnostics;
use candor_core::settings::{SendTo, SettingLocations};
use candor_core::text::{in_code_spans, nearest};

/// Gives each module its channels.
pub(super) fn give(places: &SettingLocations, natives: &mut Vec<NativeModule>, manifests: &mut [Manifest]) {
    let channels: BTreeMap<_, _> =
        places.send_to.iter().map(|entry| (entry.module.value.as_str(), &entry.channels)).collect();
    for manifest in manifests {
        manifest.send_to = channels.get(manifest.folder.as_str()).copied().cloned().unwrap_or_default();
    }
    let given = |native: NativeModule| match channels.get(native.folder()) {
        Some(&channels) => native.sending_to(channels.clone()),
        None => native,
    };
    *natives = std::mem::take(natives).into_iter().map(given).collect();
}

/// Reports entries for modules that there are not, or that send nothing. `names` are those of all modules, also of those
/// that are left out.
pub(super) fn check(places: &SettingLocations, names: &BTreeSet<String>, checked: &Checked, found: &mut Diagnostics) {
    for SendTo { module, .. } in &places.send_to {
        let name = &module.value;
        if !names.contains(name) {
            let message = format!("`modules.send_to` names `{}`, and there is no such module", name.escape_default());
            let help = match nearest(name, names.iter().map(String::as_str), 1).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the modules are {}", in_code_spans(names)),
            };
            found.push(places.problem(module.span.clone(), message, help));
            continue;
        }
        // Of one that failed its check or is left out, it is known once it is repaired or back.
        let accepted = checked.accepted.iter().find(|accepted| accepted.owner == Owner::Module(name.clone()));
        if accepted.is_some_and(|accepted| !accepted.services.contains(&ServiceName::Send)) {
            let message = format!("`modules.send_to` names `{name}`, which sends no messages");
            let help = format!("take it out, or write `send` into the `services` of `{name}` if it is to send some");
            found.push(places.problem(module.span.clone(), message, help));
        }
    }
}
