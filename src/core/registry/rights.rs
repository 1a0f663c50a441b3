//! The rights of each module in force, as shown to operators: one line each.

use crate::contract::outside::{RunSpec, RunStart};
use crate::contract::{HandlerKind, Owner};
use crate::registry::Registry;

/// Returns one line per module: its reads, writes, network, services and sandbox, and the name of its code if that is not
/// the bot's program.
pub fn rights(registry: &Registry) -> Vec<String> {
    let modules = registry.modules().iter().filter(|(owner, _)| **owner != Owner::Builtin);
    let line = modules.map(|(owner, facts)| {
        let services = listed(facts.services.iter().map(|service| service.name().to_owned()));
        let of_module = registry.all().filter(|command| command.owner == *owner);
        let is_text = of_module.flat_map(|command| command.leaves()).any(|leaf| leaf.handler.kind == HandlerKind::Text);
        let program = match &facts.run {
            Some(run) => reach(run),
            None if is_text => "runs no code".to_owned(),
            None => "runs in the bot, without a sandbox".to_owned(),
        };
        let is_on_disk = facts.run.is_some() || is_text;
        let code =
            facts.code_name.as_ref().filter(|_| is_on_disk).map_or(String::new(), |code| format!("; code: {code}"));
        format!("{owner}: {program}; services: {services}{code}")
    });
    line.collect()
}

fn reach(RunSpec { start, .. }: &RunSpec) -> String {
    match start {
        RunStart::Program { is_confined: false, .. } => {
            "reads, writes and network: all that the bot's user may; sandbox: OFF".to_owned()
        }
        RunStart::Program { reads, ports, .. } => {
            let reads = listed(
                ["its folder".to_owned()].into_iter().chain(reads.iter().map(|path| path.escape_debug().to_string())),
            );
            let ports = listed(ports.iter().map(|port| format!("TCP {port}")));
            format!("reads: {reads}; writes: its working folder; network: {ports}; sandbox: on")
        }
        RunStart::Server { url, access, .. } => {
            // The parts before and behind the host may hold a secret.
            let host = url.split('/').nth(2).and_then(|authority| authority.rsplit('@').next());
            let host = host.unwrap_or_default().escape_debug();
            let sends = listed(access.secret_file().into_iter().map(|file| file.escape_debug().to_string()));
            format!("reads: none; writes: none; network: {host}; sends the secret in: {sends}; runs elsewhere")
        }
    }
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<_> = names.collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
