//! Payloads against poise's own and against Discord's rules.

mod dispatch;
mod model;

use poise::ContextMenuCommandAction;
use serde_json::{Value, from_value, json};
use serenity::all::{InstallationContext, InteractionContext, Permissions};

use crate::registration::payload;
use crate::registration::payload::{payload, payloads};
use candor_core::contract::{Command, check};
use candor_core::inbound::CommandType;
use candor_core::registry::Registry;

fn registry() -> Registry {
    let checked = check(candor_engine::builtin::module(), candor_modules::all(), Vec::new());
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

/// poise's own payload.
fn of_poise(command: &Command) -> Value {
    let poise = match command.command_type {
        CommandType::Slash => payload::poise_command(command).create_as_slash_command(),
        menu => poise::Command::<(), std::convert::Infallible> {
            name: command.name.clone().into(),
            context_menu_action: Some(match menu {
                CommandType::UserMenu => ContextMenuCommandAction::User(|_, _| Box::pin(async { Ok(()) })),
                _ => ContextMenuCommandAction::Message(|_, _| Box::pin(async { Ok(()) })),
            }),
            interaction_context: Some(vec![InteractionContext::Guild, InteractionContext::BotDm]),
            install_context: Some(vec![InstallationContext::Guild, InstallationContext::User]),
            default_member_permissions: Permissions::from_bits_retain(1 << 52 | 1 << 13),
            ..poise::Command::default()
        }
        .create_as_context_menu_command(),
    };
    let mut poise = serde_json::to_value(poise.unwrap()).unwrap();
    // What it cannot know: it says so for every command.
    poise.as_object_mut().unwrap().remove("nsfw");
    if command.command_type != CommandType::Slash {
        // It has none for menus, and says that there are none.
        for key in ["name_localizations", "description_localizations", "options"] {
            assert!(
                poise.as_object_mut().unwrap().remove(key).unwrap().as_object().is_none_or(|texts| texts.is_empty())
            );
        }
    }
    poise
}

#[test]
fn the_payload_is_poises_own_and_what_poise_cannot_say() {
    let added = [
        "+type",
        "+nsfw",
        "+min_length",
        "+max_length",
        "+min_value",
        "+max_value",
        "+choices",
        "+default_member_permissions",
        "+name_localizations",
    ];
    let mut seen = Vec::new();
    for command in registry().commands().chain(&model::commands()) {
        differences(&of_poise(command), &payload(command), &command.name, &mut seen);
    }
    let unexpected: Vec<_> = seen.iter().filter(|found| !added.contains(&found.as_str())).collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    for addition in added {
        assert!(seen.iter().any(|found| found == addition), "{addition} is never needed");
    }
}

#[test]
fn discords_documented_rules_take_every_payload() {
    discord_twin::check_commands(&Value::Array(payloads(&registry()))).unwrap();
    let model: Vec<_> = model::commands().iter().map(payload).collect();
    discord_twin::check_commands(&Value::Array(model)).unwrap();
}

fn registered(name: &str) -> Value {
    payload(model::commands().iter().find(|command| command.name == name).unwrap())
}

#[test]
fn bounds_and_choices_of_every_type_reach_discord() {
    let flat = registered("flat");
    let localized = |text: &str| json!({ "de": format!("{text}-de"), "en-GB": format!("{text}-gb"), "en-US": text });
    let option = |name: &str| -> Value {
        let options = flat["options"].as_array().unwrap();
        let mut option = options.iter().find(|option| option["name"] == name).unwrap().clone();
        assert_eq!(option["name_localizations"], localized(name));
        assert_eq!(option["description_localizations"], localized("words"));
        let fields = option.as_object_mut().unwrap();
        fields.retain(|key, value| {
            let is_default = value.is_null() || *value == json!(false) || *value == json!([]);
            !is_default && key != "name" && !key.starts_with("description") && key != "name_localizations"
        });
        option
    };
    let choice =
        |value: Value| json!([{ "name": "choice", "value": value, "name_localizations": localized("choice") }]);
    let cases = [
        ("text", json!({ "type": 3, "required": true, "min_length": 2, "max_length": 30 })),
        ("pick", json!({ "type": 3, "min_length": 2, "max_length": 30, "choices": choice(json!("left")) })),
        ("typed", json!({ "type": 4, "autocomplete": true, "min_value": -5, "max_value": 5 })),
        ("whole", json!({ "type": 4, "choices": choice(json!(-3)) })),
        ("number", json!({ "type": 10, "min_value": -0.5, "max_value": 0.5, "choices": choice(json!(0.25)) })),
        ("flag", json!({ "type": 5 })),
        ("user", json!({ "type": 6, "required": true })),
        ("channel", json!({ "type": 7, "channel_types": [0, 5, 15, 16] })),
        ("any-channel", json!({ "type": 7 })),
        ("role", json!({ "type": 8 })),
        ("mentionable", json!({ "type": 9 })),
        ("file", json!({ "type": 11 })),
    ];
    for (name, expected) in cases {
        assert_eq!(option(name), expected, "{name}");
    }
}

#[test]
fn what_a_form_asks_for_may_be_left_out_and_stands_behind_what_may_not() {
    let flat = registered("flat");
    let options = flat["options"].as_array().unwrap();
    let required: Vec<_> =
        options.iter().take(4).map(|option| (option["name"].as_str().unwrap(), option["required"] == true)).collect();
    assert_eq!(required, [("text", true), ("user", true), ("asked", false), ("pick", false)]);
    assert_eq!(options[2]["max_length"], 30, "it keeps its bounds");
}

#[test]
fn groups_stand_behind_subcommands_each_with_what_it_takes() {
    let tree = registered("tree");
    let named = |entries: &Value| -> Vec<(u64, String)> {
        let entries: Vec<Value> = from_value(entries.clone()).unwrap();
        let named =
            entries.iter().map(|entry| (entry["type"].as_u64().unwrap(), entry["name"].as_str().unwrap().to_owned()));
        named.collect()
    };
    let names =
        |entries: &[(u64, &str)]| -> Vec<_> { entries.iter().map(|&(kind, name)| (kind, name.to_owned())).collect() };
    assert_eq!(named(&tree["options"]), names(&[(1, "first"), (1, "second"), (2, "one"), (2, "two")]));
    for group in [&tree["options"][2], &tree["options"][3]] {
        assert_eq!(named(&group["options"]), names(&[(1, "third"), (1, "fourth")]));
        assert_eq!(group["name_localizations"]["de"], format!("{}-de", group["name"].as_str().unwrap()));
        for leaf in [&tree["options"][0], &group["options"][0], &group["options"][1]] {
            assert_eq!(leaf["options"], registered("flat")["options"]);
        }
    }
}

#[test]
fn a_command_says_where_it_may_be_used_and_by_whom() {
    let menu = |number: u8, name: &str| {
        let names = json!({ "de": format!("{name}-de"), "en-GB": format!("{name}-gb"), "en-US": name });
        json!({
            "type": number, "name": name, "name_localizations": names, "nsfw": true, "contexts": [0, 1],
            "integration_types": [0, 1], "default_member_permissions": (1_u64 << 52 | 1 << 13).to_string(),
        })
    };
    assert_eq!(registered("Of user"), menu(2, "Of user"));
    assert_eq!(registered("Of message"), menu(3, "Of message"));
    let flat = registered("flat");
    for (key, value) in menu(1, "flat").as_object().unwrap() {
        assert_eq!(flat[key], *value, "{key}");
    }
    assert_eq!(registered("admins")["default_member_permissions"], "0", "administrators only");
}
