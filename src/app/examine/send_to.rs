//! Checks that the channels in the settings file are for modules that send messages.

use candor_core::contract::{Checked, Owner, ServiceName};
use candor_core::diagnostic::Diagnostics;
use candor_core::settings::{SendTo, SettingLocations};

pub(super) fn check(places: &SettingLocations, checked: &Checked, found: &mut Diagnostics) {
    for SendTo { module, .. } in &places.send_to {
        let name = &module.value;
        // For a module that failed the check or is disabled, this is unknown until it is back.
        let accepted = checked.accepted.iter().find(|accepted| accepted.owner == Owner::Module(name.clone()));
        if accepted.is_some_and(|accepted| !accepted.services.contains(&ServiceName::Send)) {
            let message = format!("`modules.send_to` names `{name}`, which sends no messages");
            let help = format!("take it out, or write `send` into the `services` of `{name}` if it is to send some");
            found.push(places.problem(module.span.clone(), message, help));
        }
    }
}
