//! What is wanted against what is registered, by meaning and not by text.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::registry::RegistrationState;

/// What is to be done.
#[derive(Debug, PartialEq)]
pub(super) struct Plan {
    /// What becomes of each command, by name.
    pub(super) states: BTreeMap<String, RegistrationState>,
    /// The whole set to write; `None` when nothing differs.
    pub(super) body: Option<Vec<Value>>,
}

/// The kind of command that opens an app's activity. Discord refuses a set that leaves an existing one out.
const ENTRY_POINT: u64 = 4;

/// The fields that carry meaning. Discord adds ids, versions and echoes of defaults to what it was sent.
const MEANING: [&str; 18] = [
    "type",
    "name",
    "description",
    "options",
    "required",
    "autocomplete",
    "choices",
    "value",
    "min_value",
    "max_value",
    "min_length",
    "max_length",
    "channel_types",
    "nsfw",
    "default_member_permissions",
    "name_localizations",
    "description_localizations",
    "handler",
];

/// Compares. Commands are the same when type and name are.
pub(super) fn plan(wanted: &[Value], registered: &[Value]) -> Plan {
    let mut states = BTreeMap::new();
    for command in wanted {
        let state = match registered.iter().find(|known| identity(known) == identity(command)) {
            None => RegistrationState::Created,
            Some(known) if meaning(known) == meaning(command) => RegistrationState::Unchanged,
            Some(_) => RegistrationState::Updated,
        };
        states.insert(identity(command).1, state);
    }
    let (kept, gone): (Vec<_>, Vec<_>) = registered
        .iter()
        .filter(|known| !wanted.iter().any(|command| identity(command) == identity(known)))
        .partition(|known| identity(known).0 == ENTRY_POINT);
    for command in &gone {
        states.entry(identity(command).1).or_insert(RegistrationState::Removed);
    }
    let changed = !gone.is_empty() || states.values().any(|state| *state != RegistrationState::Unchanged);
    let body = changed.then(|| wanted.iter().chain(kept).cloned().collect());
    Plan { states, body }
}

fn identity(command: &Value) -> (u64, String) {
    let kind = command.get("type").and_then(Value::as_u64).unwrap_or(1);
    (kind, command.get("name").and_then(Value::as_str).unwrap_or_default().to_owned())
}

/// A command reduced to what carries meaning: no nulls, no empty lists, no `false`, one form of numbers.
fn meaning(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(key, _)| MEANING.contains(&key.as_str()));
            let reduced =
                kept.map(|(key, value)| (key.clone(), if is_dictionary(key) { value.clone() } else { meaning(value) }));
            let mut reduced: Map<_, _> = reduced.filter(|(_, value)| !is_default(value)).collect();
            reduced.sort_keys();
            Value::Object(reduced)
        }
        Value::Array(items) => Value::Array(items.iter().map(meaning).collect()),
        Value::Number(number) => number.as_f64().map_or_else(|| value.clone(), Value::from),
        other => other.clone(),
    }
}

/// Whether a field's keys are locales and not field names.
fn is_dictionary(key: &str) -> bool {
    key.ends_with("_localizations")
}

fn is_default(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_discord_adds_is_no_difference() {
        let wanted = [json!({"type": 1, "name": "status", "description": "Show", "options": [
            {"type": 3, "name": "metric", "description": "One", "required": false, "autocomplete": true}]})];
        let registered = [
            json!({"id": "1", "application_id": "2", "version": "3", "type": 1, "name": "status", "description": "Show",
            "dm_permission": true, "nsfw": false, "contexts": null, "integration_types": [0], "default_member_permissions": null,
            "options": [{"type": 3, "name": "metric", "name_localizations": null, "description": "One", "autocomplete": true}]}),
        ];
        let plan = plan(&wanted, &registered);
        assert_eq!(plan.states["status"], RegistrationState::Unchanged);
        assert_eq!(plan.body, None);
    }

    #[test]
    fn the_whole_set_is_written_when_one_differs_and_the_entry_point_is_kept() {
        let command = |name: &str, text: &str| json!({"type": 1, "name": name, "description": text});
        let entry_point = json!({"id": "9", "type": 4, "name": "launch", "handler": 2});
        let wanted = [command("same", "a"), command("changed", "new"), command("fresh", "b")];
        let registered = [command("same", "a"), command("changed", "old"), command("old", "c"), entry_point.clone()];
        let plan = plan(&wanted, &registered);
        let states: Vec<_> = plan.states.iter().map(|(name, state)| (name.as_str(), state.name())).collect();
        assert_eq!(states, [("changed", "updated"), ("fresh", "created"), ("old", "removed"), ("same", "unchanged")]);
        let body = plan.body.unwrap();
        assert_eq!(body.len(), 4);
        assert_eq!(body[3], entry_point);
    }
}
