//! Reduces a command to its meaningful fields, so that the sent and the returned command compare equal.
//!
//! Also a fingerprint of everything that registration depends on, for comparing two starts.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::registration::{Key, Scope, Terms, WantedCommand};

/// The meaningful fields of a command. Discord adds ids, versions and obsolete fields.
pub(super) const COMMAND: [&str; 11] = [
    "type",
    "name",
    "name_localizations",
    "description",
    "description_localizations",
    "options",
    "default_member_permissions",
    "nsfw",
    "contexts",
    "integration_types",
    "handler",
];

/// The meaningful fields of an option, a subcommand and a group.
const OPTION: [&str; 16] = [
    "type",
    "name",
    "name_localizations",
    "description",
    "description_localizations",
    "required",
    "autocomplete",
    "choices",
    "options",
    "min_value",
    "max_value",
    "min_length",
    "max_length",
    "channel_types",
    "file_types",
    "value",
];

const CHOICE: [&str; 3] = ["name", "name_localizations", "value"];

/// Fields of global commands only.
const GLOBAL_ONLY: [&str; 2] = ["contexts", "integration_types"];

/// Every interaction context, which is also Discord's default.
const ALL_CONTEXTS: [u64; 3] = [0, 1, 2];

/// The largest integer that a JSON number holds exactly.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// Returns the command in reduced form: without nulls, empty lists, `false` and defaults; with numbers and sets
/// normalized and keys sorted.
pub(super) fn meaning(command: &Value, terms: &Terms) -> Value {
    let mut reduced = Map::new();
    for (key, value) in known_fields(command, &COMMAND) {
        let value = match key {
            "options" => list(value, option),
            "default_member_permissions" => bits(value),
            "contexts" | "integration_types" => set(value),
            _ => scalar(key, value),
        };
        let goes_without_saying = match key {
            "contexts" | "integration_types" if terms.scope != Scope::Global => true,
            "contexts" => value == json!(ALL_CONTEXTS),
            "integration_types" => value == set(&json!(terms.installs)),
            _ => false,
        };
        if !goes_without_saying {
            keep(&mut reduced, key, value);
        }
    }
    reduced.entry("type").or_insert(json!(crate::registration::CHAT_INPUT));
    reduced.sort_keys();
    Value::Object(reduced)
}

/// Returns the fields of a payload that may be sent in a scope.
pub(super) fn sendable(payload: &Value, scope: Scope) -> Value {
    let mut payload = payload.clone();
    if let (Value::Object(fields), Scope::Guild(_)) = (&mut payload, scope) {
        fields.retain(|key, _| !GLOBAL_ONLY.contains(&key.as_str()));
    }
    payload
}

/// Returns the value that resets a field to its default.
pub(super) fn reset(field: &str) -> Value {
    match field {
        "nsfw" => json!(false),
        "options" => json!([]),
        _ => Value::Null,
    }
}

fn option(option: &Value) -> Value {
    let mut reduced = Map::new();
    for (key, value) in known_fields(option, &OPTION) {
        let value = match key {
            "options" => list(value, self::option),
            "choices" => list(value, choice),
            "channel_types" | "file_types" => set(value),
            _ => scalar(key, value),
        };
        keep(&mut reduced, key, value);
    }
    reduced.sort_keys();
    Value::Object(reduced)
}

fn choice(choice: &Value) -> Value {
    let mut reduced = Map::new();
    for (key, value) in known_fields(choice, &CHOICE) {
        // In a choice, an empty text and a zero are values.
        let value = scalar(key, value);
        if key == "value" || !is_empty(&value) {
            reduced.insert(key.to_owned(), value);
        }
    }
    reduced.sort_keys();
    Value::Object(reduced)
}

/// Returns the fields of an object that are in a list, in the list's order.
fn known_fields<'a>(object: &'a Value, known: &'a [&'static str]) -> impl Iterator<Item = (&'static str, &'a Value)> {
    known.iter().filter_map(|&key| Some((key, object.get(key)?)))
}

fn keep(reduced: &mut Map<String, Value>, key: &str, value: Value) {
    // Context-menu commands have no description, and Discord returns an empty one.
    let is_no_description = key == "description" && value == "";
    if !is_empty(&value) && !is_no_description {
        reduced.insert(key.to_owned(), value);
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::String(_) => false,
    }
}

fn scalar(key: &str, value: &Value) -> Value {
    match value {
        Value::Object(locales) if key.ends_with("_localizations") => {
            let mut locales: Map<_, _> = locales.clone().into_iter().filter(|(_, text)| !text.is_null()).collect();
            locales.sort_keys();
            Value::Object(locales)
        }
        other => number(other),
    }
}

fn list(value: &Value, reduce: impl Fn(&Value) -> Value) -> Value {
    Value::Array(value.as_array().into_iter().flatten().map(reduce).collect())
}

/// Normalizes a list whose order has no meaning.
fn set(value: &Value) -> Value {
    let mut items: Vec<Value> = value.as_array().into_iter().flatten().map(number).collect();
    items.sort_by_key(|item| (item.as_f64().map(f64::to_bits), item.to_string()));
    items.dedup();
    Value::Array(items)
}

/// Normalizes a set of permissions, which Discord always returns as text.
fn bits(value: &Value) -> Value {
    value.as_u64().map_or_else(|| value.clone(), |bits| json!(bits.to_string()))
}

/// Normalizes `5` and `5.0`.
fn number(value: &Value) -> Value {
    match value.as_f64() {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number within the exact range")]
        Some(number) if number.fract() == 0.0 && number.abs() <= EXACT_MAX => json!(number as i64),
        _ => value.clone(),
    }
}

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
