//! What a command is registered as: poise's own payload, completed with what poise has no field for.

use serde_json::{Map, Value, json};

use crate::contract::{Command, CommandKind, Leaf, OptionKind, OptionSpec};
use crate::discord::clean::REMOVE_MADE_UP;
use crate::discord::commands;

/// Discord's number for a slash command. See its documentation, application command types.
const CHAT_INPUT: u8 = 1;
/// And for an entry in the menu of a message.
const MESSAGE_MENU: u8 = 3;

/// The JSON that registers a command.
pub(super) fn payload(command: &Command) -> Value {
    // Every command of ours has a slash action, so poise always has a payload for it.
    let poise = commands::command(command).create_as_slash_command();
    let mut payload = serde_json::to_value(poise).unwrap_or_default();
    if let Value::Object(fields) = &mut payload {
        fields.insert("type".to_owned(), json!(CHAT_INPUT));
        complete(fields, command);
    }
    payload
}

/// The JSON that registers our entry in the menu of a message. Discord takes no description for it.
pub(super) fn menu_payload() -> Value {
    json!({ "type": MESSAGE_MENU, "name": REMOVE_MADE_UP })
}

/// Adds bounds and choices from the very spec that poise's payload was made of.
fn complete(fields: &mut Map<String, Value>, command: &Command) {
    match &command.kind {
        CommandKind::Leaf(leaf) => complete_options(fields, leaf),
        CommandKind::Parent(subcommands) => {
            for entry in entries(fields) {
                let known = subcommands.iter().find(|known| entry.get("name") == Some(&json!(known.name)));
                if let Some(known) = known {
                    complete_options(entry, &known.leaf);
                }
            }
        }
    }
}

fn complete_options(fields: &mut Map<String, Value>, leaf: &Leaf) {
    for entry in entries(fields) {
        let option = leaf.options.iter().find(|option| entry.get("name") == Some(&json!(option.name)));
        if let Some(option) = option {
            entry.extend(additions(option));
        }
    }
}

fn entries(fields: &mut Map<String, Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    fields.get_mut("options").and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// What poise cannot say about an option.
fn additions(option: &OptionSpec) -> Vec<(String, Value)> {
    let mut added = Vec::new();
    let mut add = |key: &str, value: Option<Value>| added.extend(value.map(|value| (key.to_owned(), value)));
    match &option.kind {
        OptionKind::String { min_length, max_length, choices } => {
            add("min_length", min_length.map(Value::from));
            add("max_length", max_length.map(Value::from));
            let listed: Vec<_> =
                choices.iter().map(|choice| json!({ "name": choice.name, "value": choice.value })).collect();
            add("choices", (!listed.is_empty()).then_some(Value::Array(listed)));
        }
        OptionKind::Integer { min, max } => {
            add("min_value", min.map(Value::from));
            add("max_value", max.map(Value::from));
        }
        OptionKind::Number { min, max } => {
            add("min_value", min.map(Value::from));
            add("max_value", max.map(Value::from));
        }
        OptionKind::Boolean => {}
    }
    added
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{NativeModule, check};
    use crate::registry::Registry;
    use crate::{harness, modules};

    /// Every kind of option, with every bound.
    fn every_kind() -> NativeModule {
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        struct Arguments {
            /// Text
            #[schemars(length(min = 2, max = 30))]
            #[expect(dead_code, reason = "only the schema matters")]
            text: String,
            /// Whole
            #[schemars(range(min = -5, max = 5))]
            #[expect(dead_code, reason = "only the schema matters")]
            whole: Option<i64>,
            /// Number
            #[schemars(range(min = -0.5, max = 0.5))]
            #[expect(dead_code, reason = "only the schema matters")]
            number: Option<f64>,
            /// Yes or no
            #[expect(dead_code, reason = "only the schema matters")]
            flag: Option<bool>,
            /// One of two
            #[expect(dead_code, reason = "only the schema matters")]
            pick: Option<Pick>,
        }
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "lowercase")]
        enum Pick {
            Left,
            Right,
        }
        let manifest = "[module]\nname = \"kinds\"\nsummary = \"Kinds\"\n[commands.\"/kinds\"]\ndescription = \"Kinds\"\nhandler = \"kinds\"\n";
        NativeModule::new("kinds", manifest)
            .handler("kinds", |_: Arguments, _| async { Ok(crate::reply::Reply::text("never run here")) })
    }

    fn registry() -> Registry {
        let mut natives = modules::all();
        natives.push(every_kind());
        let checked = check(harness::module(), natives, Vec::new());
        assert!(!checked.diagnostics.has_errors(), "{:#?}", checked.diagnostics);
        Registry::build(checked)
    }

    /// Every place where `ours` says something else than `poise`, or more than it.
    fn differences(poise: &Value, ours: &Value, path: &str, found: &mut Vec<String>) {
        match (poise, ours) {
            (Value::Object(poise), Value::Object(ours)) => {
                // What poise leaves null, it does not say.
                for (key, value) in poise.iter().filter(|(_, value)| !value.is_null()) {
                    match ours.get(key) {
                        Some(other) => differences(value, other, &format!("{path}.{key}"), found),
                        None => found.push(format!("{path}.{key} is missing")),
                    }
                }
                let added =
                    |(key, value): &(&String, &Value)| !value.is_null() && poise.get(*key).is_none_or(Value::is_null);
                found.extend(ours.iter().filter(added).map(|(key, _)| format!("+{key}")));
            }
            (Value::Array(poise), Value::Array(ours)) if poise.len() == ours.len() => {
                for (index, (poise, ours)) in poise.iter().zip(ours).enumerate() {
                    differences(poise, ours, &format!("{path}.{index}"), found);
                }
            }
            _ if poise == ours => {}
            // An empty list of choices is the place where ours belong.
            (Value::Array(empty), Value::Array(_)) if empty.is_empty() && path.ends_with(".choices") => {
                found.push("+choices".to_owned())
            }
            _ => found.push(format!("{path}: {poise} is not {ours}")),
        }
    }

    #[test]
    fn the_payload_is_poises_own_and_what_poise_cannot_say() {
        let added = ["+type", "+min_length", "+max_length", "+min_value", "+max_value", "+choices"];
        let mut seen = Vec::new();
        for command in registry().commands() {
            let poise = serde_json::to_value(commands::command(command).create_as_slash_command()).unwrap();
            differences(&poise, &payload(command), &command.name, &mut seen);
        }
        let unexpected: Vec<_> = seen.iter().filter(|found| !added.contains(&found.as_str())).collect();
        assert!(unexpected.is_empty(), "{unexpected:#?}");
        for addition in ["+min_length", "+min_value", "+choices"] {
            assert!(seen.iter().any(|found| found == addition), "{addition} is never needed");
        }
    }

    #[test]
    fn discords_documented_rules_take_every_payload() {
        let payloads: Vec<_> = registry().commands().map(payload).chain([menu_payload()]).collect();
        discord_twin::check_commands(&Value::Array(payloads)).unwrap();
    }

    #[test]
    fn bounds_and_choices_reach_discord() {
        let registry = registry();
        let payload = payload(registry.command("kinds").unwrap());
        let option = |name: &str| {
            payload["options"].as_array().unwrap().iter().find(|option| option["name"] == name).unwrap().clone()
        };
        assert_eq!((&option("text")["min_length"], &option("text")["max_length"]), (&json!(2), &json!(30)));
        assert_eq!((&option("whole")["min_value"], &option("whole")["max_value"]), (&json!(-5), &json!(5)));
        assert_eq!((&option("number")["min_value"], &option("number")["max_value"]), (&json!(-0.5), &json!(0.5)));
        let values: Vec<_> =
            option("pick")["choices"].as_array().unwrap().iter().map(|choice| choice["value"].clone()).collect();
        assert_eq!(values, [json!("left"), json!("right")]);
    }
}
