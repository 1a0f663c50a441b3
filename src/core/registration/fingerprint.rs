//! A fingerprint of everything that registration depends on, for comparing two starts.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::registration::meaning::meaning;
use crate::registration::{Key, Terms, WantedCommand};

/// Returns a SHA-256 in hexadecimal over the wanted commands, their scope, and the existing commands with their ids. If
/// it equals the fingerprint of the last complete registration, nothing needs to be written.
pub fn fingerprint(wanted: &[WantedCommand], standing: &[Value], terms: &Terms) -> String {
    let mut payloads: Vec<(Key, String)> =
        wanted.iter().map(|wanted| (Key::of(&wanted.payload), sorted(&wanted.payload).to_string())).collect();
    payloads.sort();
    let mut commands: Vec<(Key, String)> = standing
        .iter()
        .map(|command| (Key::of(command), format!("{} {}", command["id"], meaning(command, terms))))
        .collect();
    commands.sort();
    let mut hash = Sha256::new();
    hash.update(format!("{} {:?}\n", terms.scope, terms.installs));
    for list in [payloads, commands] {
        for (_, text) in list {
            hash.update(text);
            hash.update("\n");
        }
        hash.update("\n");
    }
    hex::encode(hash.finalize())
}

fn sorted(value: &Value) -> Value {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    sorted
}
