//! The buttons under a reply: whatever a call that the model only wrote leaves out, its button works.

use std::collections::BTreeMap;

use discord_twin::{Interaction, Message, USER_ID};
use serde_json::{Map, Value, json};

use crate::discord::chat::talking::{buttons, connect_to_model, press, shown};
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
