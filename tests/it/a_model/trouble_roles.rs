//! A server whose template takes a conversation in one order only, as those of Gemma and Mistral do: whatever happens
//! in a turn, what the bot sends is in that order, and without a system message where the template has no such role.

use serde_json::{Value, json};

use crate::support::bot::Folder;
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::agent::ToolMode;

/// What such a template says about a conversation that it does not take: a system text stands at the beginning alone,
/// then a person and the model speak in turn, and the person or a result comes last. A call and its results are part of
/// the model's turn.
fn refuses(messages: &[Value]) -> Option<String> {
    let messages = match messages {
        [first, rest @ ..] if first["role"] == "system" => rest,
        all => all,
    };
    let mut expected = "user";
    let mut n_results_due = 0;
    for message in messages {
        let n_calls = message["tool_calls"].as_array().map_or(0, Vec::len);
        match message["role"].as_str().unwrap_or_default() {
            "system" => return Some("System message must be at the beginning.".to_owned()),
            "tool" if n_results_due == 0 => {
                return Some("Not the same number of function calls and responses".to_owned());
            }
            "tool" => n_results_due -= 1,
            _ if n_results_due != 0 => return Some("Not the same number of function calls and responses".to_owned()),
            "assistant" if expected == "assistant" && n_calls != 0 => n_results_due = n_calls,
            role @ ("user" | "assistant") if role == expected => {
                if message["content"].as_str().is_none_or(|content| content.trim().is_empty()) {
                    return Some("A message must have content".to_owned());
                }
                expected = if role == "user" { "assistant" } else { "user" };
            }
            _ => return Some("Conversation roles must alternate user/assistant/user/assistant/...".to_owned()),
        }
    }
    // Behind a person's words or a result it is the model's turn.
    (expected == "user" || n_results_due != 0).then(|| "Expected last role User or Tool".to_owned())
}

/// What a template without a system role says, as those of Gemma 2 and of the first Mistral have none: beside that, the
/// order is the same.
fn refuses_system_too(messages: &[Value]) -> Option<String> {
    let is_system = |message: &Value| message["role"] == "system";
    messages.iter().any(is_system).then(|| "System role not supported".to_owned()).or_else(|| refuses(messages))
}

/// What a template says that only counts the roles.
fn refuses_all_but_turns(messages: &[Value]) -> Option<String> {
    refuses_system_too(messages).map(|_| "Conversation roles must alternate user/assistant/...".to_owned())
}

#[test]
fn the_template_takes_one_order_and_no_other() {
    let message = |role: &str| json!({"role": role, "content": "hello"});
    let calls = json!({"role": "assistant", "content": null, "tool_calls": [{}, {}]});
    let [system, user, assistant, tool] = ["system", "user", "assistant", "tool"].map(message);
    let taken: [&[&Value]; 4] = [
        &[&user],
        &[&system, &user, &assistant, &user],
        &[&user, &calls, &tool, &tool],
        &[&user, &calls, &tool, &tool, &calls, &tool, &tool, &assistant, &user],
    ];
    let empty = json!({"role": "user", "content": " "});
    let refused: [&[&Value]; 9] = [
        &[],
        &[&user, &system],
        &[&user, &user],
        &[&system, &assistant, &user],
        &[&user, &assistant],
        &[&user, &calls, &tool],
        &[&user, &calls, &tool, &tool, &user],
        &[&user, &tool],
        &[&empty],
    ];
    for (all, expected) in [(taken.as_slice(), true), (refused.as_slice(), false)] {
        for messages in all {
            let messages: Vec<_> = messages.iter().map(|&message| message.clone()).collect();
            assert_eq!(refuses(&messages).is_none(), expected, "{messages:?}");
        }
    }
}

/// What a model says in the first of three turns: it is corrected, runs a command, and is reminded of how to call.
fn first_turn(tools: ToolMode) -> Vec<Script> {
    let block = |name: &str| {
        Script::says(&json!({"reasoning": "why not", "tool_calls": [{"tool": name, "parameters": {}}]}).to_string())
    };
    let tag = "Let me look.\n<tool_call>\n{\"name\": \"status\", \"arguments\": {}}\n</tool_call>";
    match tools {
        ToolMode::Native => vec![
            Script::calls(&[("metrics", json!({})), ("tasks_list", json!({}))]),
            Script::calls(&[("tasks_list", json!({}))]),
            Script::says(tag),
        ],
        ToolMode::Text => vec![block("metrics"), block("tasks_list"), Script::says(tag)],
        ToolMode::None => Vec::new(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn corrections_reminders_and_notes_keep_the_order_in_every_mode() {
    for (tools, ran) in [(ToolMode::Native, true), (ToolMode::Text, true), (ToolMode::None, false)] {
        let asked = conversation(tools, refuses, 0).await;
        // The later turns are told what the host noted in the first one, in front of the person's words.
        let name = tools.name();
        for (n_back, words) in [(1, "I am well"), (2, "I am well")] {
            let messages = &asked[asked.len() - 3 + n_back];
            let person = messages.iter().filter_map(|message| message["content"].as_str());
            let person: Vec<_> = person.filter(|content| content.ends_with(words)).collect();
            let [noted] = person.as_slice() else { panic!("{name}: {messages:#?}") };
            assert!(noted.starts_with("[host] ") && noted.contains("7F3K2"), "{name}: {noted}");
            assert_eq!(noted.contains("ran /tasks list (answered)"), ran, "{name}: {noted}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_without_a_system_role_gets_the_system_text_with_the_first_words_and_is_asked_so_from_then_on() {
    for tools in [ToolMode::Native, ToolMode::Text, ToolMode::None] {
        for refuses in [refuses_system_too as fn(&[Value]) -> Option<String>, refuses_all_but_turns] {
            let asked = conversation(tools, refuses, 1).await;
            let [refused, taken @ ..] = asked.as_slice() else { panic!("nothing was asked") };
            let system = refused[0]["content"].as_str().unwrap();
            for messages in taken {
                let first = messages[0]["content"].as_str().unwrap();
                // The time of the day may be another by now.
                let beginning = system.lines().next().unwrap();
                assert!(first.starts_with(beginning) && first.ends_with("\n\nhello there"), "{first}");
            }
        }
    }
}

/// Three turns with a server that refuses some messages: each is answered, and so many requests were refused at the
/// beginning. The messages of every request.
async fn conversation(tools: ToolMode, refuses: fn(&[Value]) -> Option<String>, n_refused: usize) -> Vec<Vec<Value>> {
    let name = tools.name();
    // A receipt that does not exist is noted under the reply, and the note is part of the next turn.
    let ends = ["Hello to you. See the receipt 7F3K2.", "Good to hear.", "Good night."].map(Script::says);
    let scripts = [first_turn(tools), ends.to_vec()].concat();
    let n_scripts = scripts.len();
    let server = ScriptedModel::start_refusing(scripts, refuses).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"llama\"]\ntools = \"{name}\"\n", server.base_url());
    let folder = Folder::with(&config);
    let output = tokio::task::spawn_blocking(move || folder.console("hello there\nI am well\ngood night\n"));
    let output = output.await.unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();

    let asked = server.asked().into_iter().map(|asked| asked.body["messages"].as_array().unwrap().clone());
    let asked: Vec<_> = asked.collect();
    let refused: Vec<_> = (0..).zip(&asked).filter_map(|(n, messages)| refuses(messages).map(|_| n)).collect();
    assert_eq!(refused, (0..n_refused).collect::<Vec<_>>(), "{name}: {shown}");
    assert_eq!((asked.len(), server.n_left()), (n_refused + n_scripts, 0), "{name}: {shown}");
    for words in ["Hello to you.", "Good to hear.", "Good night."] {
        assert!(shown.contains(words), "{name}: {words} is not in\n{shown}");
    }
    asked
}
