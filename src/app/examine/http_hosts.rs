//! Gives modules the hosts that the settings file allows, and reports hosts that no module asks for.

use candor_core::contract::{Checked, Owner, ServiceName};
use candor_core::diagnostic::Diagnostics;
use candor_core::settings::{GivenHosts, SettingLocations};
use candor_core::text::in_code_spans;

/// Restricts each module that `[modules.http_hosts]` names to the hosts listed there.
pub(super) fn give(places: &SettingLocations, checked: &mut Checked, found: &mut Diagnostics) {
    for GivenHosts { module, hosts } in &places.http_hosts {
        let owner = Owner::Module(module.value.clone());
        // The hosts of a module that failed the check are unknown until it is repaired.
        let Some(accepted) = checked.accepted.iter_mut().find(|accepted| accepted.owner == owner) else { continue };
        if !accepted.services.contains(&ServiceName::Http) {
            let message = format!("the module `{}` does not read over the web", module.value);
            found.push(places.problem(module.span.clone(), message, "take it out".to_owned()));
            continue;
        }
        match accepted.http_hosts.given(hosts.iter().map(|host| host.value.as_str())) {
            Ok(hosts) => accepted.http_hosts = hosts,
            Err(strangers) => {
                let asked: Vec<_> = accepted.http_hosts.names().collect();
                let strangers = hosts.iter().filter(|host| strangers.contains(&host.value.as_str()));
                for stranger in strangers {
                    let message =
                        format!("the manifest of `{}` does not name the host `{}`", module.value, stranger.value);
                    let help = format!("leave some of {}, or take it out", in_code_spans(&asked));
                    found.push(places.problem(stranger.span.clone(), message, help));
                }
            }
        }
    }
}
