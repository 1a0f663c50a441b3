//! The buttons under a reply: whatever a call that the model only wrote leaves out, its button works.

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
    missing: Vec<(String, String)>,
}

/// Each tool of a request, with each set of its required arguments left out.
fn cases(request: &Value) -> Vec<Case> {
    let mut cases = Vec::new();
    for function in request["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]) {
        let parameters = &function["parameters"];
        let required: Vec<_> =
            parameters["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for left_out in 1..1_usize << required.len() {
            let (mut given, mut missing) = (Map::new(), Vec::new());
            for (n, name) in required.iter().enumerate() {
                let value = value_for(&parameters["properties"][*name]);
                if left_out & 1 << n == 0 {
                    given.insert((*name).to_owned(), value);
                } else {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    missing.push(((*name).to_owned(), text));
                }
            }
            cases.push(Case { tool: function["name"].as_str().unwrap().to_owned(), given, missing });
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
        let mut asked: Vec<_> = rows.iter().map(|row| row["components"][0]["custom_id"].as_str().unwrap()).collect();
        let mut missing: Vec<_> = case.missing.iter().map(|(name, _)| name.as_str()).collect();
        asked.sort_unstable();
        missing.sort_unstable();
        assert_eq!(asked, missing, "{told}");
        let id = form.body["data"]["custom_id"].as_str().unwrap();
        let fields: Vec<_> = case.missing.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let answer = connected.answer(Interaction::modal(id, &fields).by(person)).await;
        // With a receipt, also where there is no such task or file.
        assert!(answer.text().contains("receipt"), "{told}: {}", answer.text());
    }
    assert_eq!(connected.twin.refused(), []);
}
