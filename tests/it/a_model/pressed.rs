//! The buttons under a reply: whatever a call that the model only wrote leaves out, its button works.

use std::collections::BTreeMap;

use discord_twin::{CHANNEL_ID, Interaction, Message, USER_ID};
use serde_json::{Map, Value, json};

use crate::discord::chat::talking::{buttons, connect_to_model, press, shown};
use crate::discord::connected::connect;
use crate::support::bot::PATIENCE;
use crate::support::scripted_model::Script;

/// Every shipped command that changes something and that a model may call.
const WRITES: &str = "[chat]\nwrite_tools = [\"/files write\", \"/memory save\", \"/tasks add\", \"/tasks done\", \
                      \"/tasks remove\"]\n";

/// A call without some of what its command needs.
struct Case {
    tool: String,
    given: Map<String, Value>,
    given_texts: BTreeMap<String, String>,
    missing: BTreeMap<String, String>,
}

/// Each tool of a request, with each set of its required arguments left out.
fn cases(request: &Value) -> Vec<Case> {
    let mut cases = Vec::new();
    for function in request["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]) {
        let parameters = &function["parameters"];
        let required: Vec<_> =
            parameters["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for left_out in 1..1_usize << required.len() {
            let (mut given, mut given_texts, mut missing) = (Map::new(), BTreeMap::new(), BTreeMap::new());
            for (n, name) in required.iter().enumerate() {
                let value = value_for(&parameters["properties"][*name]);
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                if left_out & 1 << n == 0 {
                    given.insert((*name).to_owned(), value);
                    given_texts.insert((*name).to_owned(), text);
                } else {
                    missing.insert((*name).to_owned(), text);
                }
            }
            cases.push(Case { tool: function["name"].as_str().unwrap().to_owned(), given, given_texts, missing });
        }
    }
    cases
}

fn value_for(schema: &Value) -> Value {
    match (schema["enum"].as_array(), schema["type"].as_str()) {
        (Some(choices), _) => choices[0].clone(),
        (None, Some("integer" | "number")) => schema.get("minimum").cloned().unwrap_or(json!(1)),
        (None, Some("boolean")) => json!(true),
        (None, _) => json!("notes.txt"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_offered_button_asks_for_what_is_missing_and_then_runs_its_command() {
    let (first, model) = connect_to_model(vec![Script::says("Hello.")], WRITES).await;
    first.twin.say(Message::to_bot("hello"));
    shown(&first, "Hello.").await;
    let cases = cases(&model.asked()[0].body);
    assert!(8 <= cases.len(), "only {} calls lack something", cases.len());

    let written = |(n, case): (usize, &Case)| {
        let call = json!({ "name": case.tool, "arguments": case.given });
        Script::says(&format!("This is reply {n}.\n<tool_call>{call}</tool_call>"))
    };
    // Each is asked once to call instead of writing.
    let scripts = cases.iter().enumerate().flat_map(|case| [written(case), written(case)]).collect();
    let (connected, _model) = connect_to_model(scripts, WRITES).await;
    for (n, case) in cases.iter().enumerate() {
        let told = format!("{} without {:?}", case.tool, case.missing);
        let person = USER_ID + 100 + n as u64;
        connected.twin.say(Message::to_bot("please").by(person));
        let reply = shown(&connected, &format!("This is reply {n}.")).await;
        assert_eq!(buttons(&reply).len(), 1, "{told}: {}", reply.text());
        let opened = connected.twin.interact(press(&reply).by(person));
        let form = connected.twin.callback_to(&opened, PATIENCE).await.unwrap();
        assert_eq!(form.body["type"], json!(9), "{told}: {}", form.text());
        let rows = form.body["data"]["components"].as_array().unwrap();
        let asked: Vec<_> = rows.iter().map(|row| row["components"][0]["custom_id"].as_str().unwrap()).collect();
        assert!(case.missing.keys().all(|name| asked.contains(&name.as_str())), "{told}: {asked:?}");
        // What is private is not kept with the offer, so it is asked for again.
        let values: BTreeMap<_, _> = case.missing.iter().chain(&case.given_texts).collect();
        let id = form.body["data"]["custom_id"].as_str().unwrap();
        let fields: Vec<_> = asked.iter().map(|name| (*name, values[&(*name).to_owned()].as_str())).collect();
        let answer = connected.answer(Interaction::modal(id, &fields).by(person)).await;
        // With a receipt, also where there is no such task or file.
        assert!(answer.text().contains("receipt"), "{told}: {}", answer.text());
    }
    assert_eq!(connected.twin.refused(), []);
}

/// Discord's types of options that hold others, and of those that are a user, a channel, a role, any of these, or a file.
const LEVELS: [u64; 2] = [1, 2];
const ENTITIES: [u64; 5] = [6, 7, 8, 9, 11];

/// The commands and subcommands that can be called, with the options of each.
fn callable(name: &str, options: &Value) -> Vec<(String, Vec<Value>)> {
    let options = options.as_array().cloned().unwrap_or_default();
    let is_level = |option: &&Value| LEVELS.contains(&option["type"].as_u64().unwrap());
    let below: Vec<_> = options.iter().filter(is_level).collect();
    if below.is_empty() {
        return vec![(name.to_owned(), options)];
    }
    let named = |option: &&Value| format!("{name} {}", option["name"].as_str().unwrap());
    below.iter().flat_map(|option| callable(&named(option), &option["options"])).collect()
}

/// A value that an option of a registered command takes, as it is typed.
fn typed_for(option: &Value) -> String {
    let choice = option["choices"].as_array().and_then(|choices| choices.first()).map(|choice| &choice["value"]);
    match (choice, option["type"].as_u64()) {
        (Some(Value::String(choice)), _) => choice.clone(),
        (Some(choice), _) => choice.to_string(),
        (None, Some(4 | 10)) => option.get("min_value").map_or("1".to_owned(), Value::to_string),
        (None, Some(5)) => "true".to_owned(),
        (None, _) => "notes.txt".to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_every_shipped_command_has_a_button_that_works_or_none() {
    let connected = connect(&format!("[access]\noperators = [\"{USER_ID}\"]\n")).await;
    connected.bot.hears(&["commands at Discord"]);
    // A command for members with certain permissions is chosen in Discord's picker, which alone checks them.
    let is_open = |command: &Value| command["type"] == json!(1) && command["default_member_permissions"].is_null();
    let registered = connected.twin.commands().into_iter().filter(is_open);
    let callable: Vec<_> =
        registered.flat_map(|command| callable(command["name"].as_str().unwrap(), &command["options"])).collect();
    assert!(30 <= callable.len(), "only {} commands", callable.len());
    for ((name, options), channel) in callable.iter().zip(CHANNEL_ID + 100..) {
        let reply = connected.reply(Message::to_bot(&format!("{name}()")).in_channel(channel)).await;
        let required: Vec<_> = options.iter().filter(|option| option["required"] == json!(true)).collect();
        let can_be_typed = required.iter().all(|option| !ENTITIES.contains(&option["type"].as_u64().unwrap()));
        let is_offered = can_be_typed && required.len() <= 5;
        assert_eq!(buttons(&reply).len(), usize::from(is_offered), "{name}: {}", reply.text());
        if !is_offered {
            continue;
        }
        let pressed = connected.twin.interact(press(&reply));
        let first = connected.twin.callback_to(&pressed, PATIENCE).await.unwrap();
        let answer = if first.body["type"] == json!(9) {
            let rows = first.body["data"]["components"].as_array().unwrap();
            let asked: Vec<_> = rows.iter().map(|row| row["components"][0]["custom_id"].as_str().unwrap()).collect();
            assert!(
                required.iter().all(|option| asked.contains(&option["name"].as_str().unwrap())),
                "{name}: {asked:?}"
            );
            let option = |id: &str| options.iter().find(|option| option["name"] == json!(id)).unwrap();
            let typed: Vec<_> = asked.iter().map(|id| typed_for(option(id))).collect();
            let fields: Vec<_> = asked.iter().copied().zip(typed.iter().map(String::as_str)).collect();
            let id = first.body["data"]["custom_id"].as_str().unwrap();
            connected.answer(Interaction::modal(id, &fields)).await
        } else {
            assert!(required.is_empty(), "{name}: {}", first.text());
            connected.twin.answer_to(&pressed, PATIENCE).await.unwrap()
        };
        assert!(answer.text().contains("receipt"), "{name}: {}", answer.text());
    }
    assert_eq!(connected.twin.refused(), []);
}
