//! One value for everything that registration depends on, so that two starts can be compared.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::registration::meaning::meaning;
use crate::registration::{Key, Terms, Wanted};

/// SHA-256 in hexadecimal over what should stand, where, and what stands there with its ids. The same value as the
/// last time that everything was in place says that nothing needs to be written.
pub fn fingerprint(wanted: &[Wanted], standing: &[Value], terms: &Terms) -> String {
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
    hash.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to text cannot fail.
        let _always = write!(hex, "{byte:02x}");
        hex
    })
}

/// The value with the keys of every object in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: serde_json::Map<_, _> =
                fields.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            fields.sort_keys();
            Value::Object(fields)
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}
