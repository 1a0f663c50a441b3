//! What is wanted against what is registered, by meaning and not by text.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::discord::register::refusal::Refused;
use crate::registry::RegistrationState;

/// What is to become of each command, by name.
pub(super) type Planned = BTreeMap<String, RegistrationState>;

/// What is to be done.
#[derive(Debug, PartialEq)]
pub(super) struct Plan {
    /// What is to become of each command, the refused ones included: for them it does not happen.
    pub(super) planned: Planned,
    /// The whole set to write; `None` when nothing differs that Discord would take.
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

/// What a bulk write may say of a command. Everything else that Discord tells about one is its own to set.
const WRITABLE: [&str; 12] = [
    "type",
    "name",
    "name_localizations",
    "description",
    "description_localizations",
    "options",
    "default_member_permissions",
    "dm_permission",
    "nsfw",
    "integration_types",
    "contexts",
    "handler",
];

/// Compares. Commands are the same when type and name are. The set to write replaces all there is, so it says
/// again what is to stay: the Entry Point, of a refused command the version that is registered, and the commands
/// of quarantined modules, which answer that they are unavailable and would lose their permissions if removed.
pub(super) fn plan(wanted: &[Value], registered: &[Value], refused: &Refused, quarantined: &Quarantined) -> Plan {
    let (mut planned, mut body, mut is_changed) = (Planned::new(), Vec::new(), false);
    for command in wanted {
        let (standing, name) = (find(registered, command), identity(command).1);
        let state = match standing {
            None => RegistrationState::Created,
            Some(standing) if meaning(standing) == meaning(command) => RegistrationState::Unchanged,
            Some(_) => RegistrationState::Updated,
        };
        if refused.contains_key(&name) {
            body.extend(standing.map(writable));
        } else {
            is_changed |= state != RegistrationState::Unchanged;
            body.push(command.clone());
        }
        planned.insert(name, state);
    }
    for command in registered.iter().filter(|command| find(wanted, command).is_none()) {
        let (kind, name) = identity(command);
        if kind == ENTRY_POINT {
            body.push(writable(command));
        } else if quarantined.contains_key(&name) {
            body.push(writable(command));
            planned.entry(name).or_insert(RegistrationState::Unchanged);
        } else {
            is_changed = true;
            planned.entry(name).or_insert(RegistrationState::Removed);
        }
    }
    Plan { planned, body: is_changed.then_some(body) }
}

/// The commands of rejected modules, and their modules.
pub(super) type Quarantined = BTreeMap<String, String>;

fn find<'a>(commands: &'a [Value], wanted: &Value) -> Option<&'a Value> {
    commands.iter().find(|command| identity(command) == identity(wanted))
}

/// What makes a command the same one: its type and its name.
pub(super) fn identity(command: &Value) -> (u64, String) {
    let kind = command.get("type").and_then(Value::as_u64).unwrap_or(1);
    (kind, command.get("name").and_then(Value::as_str).unwrap_or_default().to_owned())
}

/// A registered command as it can be written again. Null says nothing, and a write may not say it everywhere.
fn writable(registered: &Value) -> Value {
    let fields = registered.as_object().into_iter().flatten();
    let kept = fields.filter(|(key, value)| WRITABLE.contains(&key.as_str()) && !value.is_null());
    Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// A command reduced to what carries meaning: no nulls, no empty lists, no `false`, one form of numbers.
fn meaning(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(key, _)| MEANING.contains(&key.as_str()));
            let reduced =
                kept.map(|(key, value)| (key.clone(), if is_dictionary(key) { value.clone() } else { meaning(value) }));
            // Entries of a menu have no description, and Discord tells an empty one.
            let is_said = |(key, value): &(String, Value)| !(is_default(value) || key == "description" && value == "");
            let mut reduced: Map<_, _> = reduced.filter(is_said).collect();
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
        let plan = plan(&wanted, &registered, &Refused::new(), &Quarantined::new());
        assert_eq!(plan.planned["status"], RegistrationState::Unchanged);
        assert_eq!(plan.body, None);
    }

    #[test]
    fn an_entry_of_a_menu_is_compared_without_the_description_that_it_cannot_have() {
        let wanted = [json!({"type": 3, "name": "Clean"})];
        let mut standing = echo(wanted[0].clone());
        standing["description"] = json!("");
        let same = plan(&wanted, &[standing.clone()], &Refused::new(), &Quarantined::new());
        assert_eq!((same.planned["Clean"], same.body), (RegistrationState::Unchanged, None));
        // A slash command of the same name is another one.
        standing["type"] = json!(1);
        let other = plan(&wanted, &[standing], &Refused::new(), &Quarantined::new());
        assert_eq!((other.planned["Clean"], other.body), (RegistrationState::Created, Some(wanted.to_vec())));
    }

    fn command(name: &str, text: &str) -> Value {
        json!({"type": 1, "name": name, "description": text})
    }

    /// As Discord tells about a command.
    fn echo(mut command: Value) -> Value {
        for key in ["id", "application_id", "version", "guild_id"] {
            command[key] = json!("9");
        }
        command["name_localizations"] = Value::Null;
        command
    }

    #[test]
    fn the_whole_set_is_written_when_one_differs_and_the_entry_point_is_kept() {
        let entry_point = json!({"type": 4, "name": "launch", "handler": 2});
        let wanted = [command("same", "a"), command("changed", "new"), command("fresh", "b")];
        let registered =
            [command("same", "a"), command("changed", "old"), command("old", "c"), entry_point.clone()].map(echo);
        let plan = plan(&wanted, &registered, &Refused::new(), &Quarantined::new());
        let planned: Vec<_> = plan.planned.iter().map(|(name, state)| (name.as_str(), state.name())).collect();
        assert_eq!(planned, [("changed", "updated"), ("fresh", "created"), ("old", "removed"), ("same", "unchanged")]);
        let [same, changed, fresh] = wanted;
        assert_eq!(plan.body.unwrap(), [same, changed, fresh, entry_point]);
    }

    #[test]
    fn of_a_refused_command_the_registered_version_is_written_again() {
        let wanted = [command("bad", "new"), command("bad-and-new", "b"), command("changed", "new")];
        let mut standing = command("bad", "old");
        standing["default_member_permissions"] = json!("8");
        let registered = [standing.clone(), command("changed", "old")].map(echo);
        let refused = ["bad", "bad-and-new"].map(|name| (name.to_owned(), "too long".to_owned()));
        let plan = plan(&wanted, &registered, &Refused::from(refused), &Quarantined::new());
        assert_eq!(plan.body.unwrap(), [standing, command("changed", "new")]);
        assert_eq!(plan.planned["bad"], RegistrationState::Updated);
    }

    #[test]
    fn nothing_is_written_when_all_that_differs_was_refused() {
        let refused = Refused::from([("bad".to_owned(), "too long".to_owned())]);
        for registered in [vec![], vec![echo(command("bad", "old"))]] {
            assert_eq!(
                plan(&[command("bad", "new")], &registered, &refused, &Quarantined::new()).body,
                None,
                "{registered:?}"
            );
        }
    }

    #[test]
    fn the_commands_of_a_quarantined_module_stay_registered() {
        let command = |name: &str| json!({"id": "7", "type": 1, "name": name, "description": "x"});
        let (wanted, registered) = ([command("fine")], [command("fine"), command("broken")]);
        let quarantined = Quarantined::from([("broken".to_owned(), "weather".to_owned())]);
        let plan = plan(&wanted, &registered, &Refused::new(), &quarantined);
        assert_eq!(plan.planned["broken"], RegistrationState::Unchanged);
        assert_eq!(plan.body, None);
    }
}
