//! Chat turns on Discord in which something runs: what a person sees meanwhile, and what only they can decide.

use std::time::Duration;

use discord_twin::{CHANNEL_ID, Fault, Interaction, Message, Recorded, USER_ID};
use serde_json::json;

use crate::discord::commands::{Connected, connect};
use crate::support::bot::PATIENCE;
use crate::support::said::{assert_says, label_none_ran, label_ran, said, says};
use crate::support::scripted_model::{Script, ScriptedModel};

async fn connect_to_model(scripts: Vec<Script>, more: &str) -> (Connected, ScriptedModel) {
    let model = ScriptedModel::start(scripts).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n{more}", model.base_url());
    let connected = connect(&config).await;
    connected.bot.hears(&["commands at Discord"]);
    (connected, model)
}

/// A model's call of a tool.
fn calls(tool: &str, arguments: serde_json::Value) -> Script {
    let call = json!({"id": "c1", "type": "function", "function": {"name": tool, "arguments": arguments.to_string()}});
    Script::message("tool_calls", json!({"role": "assistant", "content": null, "tool_calls": [call]}))
}

/// The first request for a message whose text says this.
async fn shown(connected: &Connected, text: &str) -> Recorded {
    let found = connected.twin.wait_for(PATIENCE, |request| request.accepted() && says(request.text(), text)).await;
    found.unwrap_or_else(|| panic!("nothing says {text}; {:#?}\n{}", connected.twin.requests(), connected.bot.log()))
}

/// The messages of the channel that the bot sent and did not take away, as they look now.
fn standing(connected: &Connected) -> Vec<String> {
    let path = format!("/channels/{CHANNEL_ID}/messages");
    let requests = connected.twin.requests();
    let sent = requests.iter().filter(|request| request.method == "POST" && request.path == path);
    let messages = sent.filter_map(|request| connected.twin.message(request.message_id()?));
    messages.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_is_shown_and_becomes_the_answer() {
    let (connected, _model) =
        connect_to_model(vec![calls("status", json!({})), Script::says("All is well.")], "").await;
    connected.twin.say(Message::to_bot("what's our status?"));
    let progress = shown(&connected, &said!("running", command = "/status")).await;
    let answer = shown(&connected, "All is well.").await;
    assert_eq!((answer.method.as_str(), answer.message_id()), ("PATCH", progress.message_id()));
    assert_says(answer.text(), format!("-# {}", label_ran("/status ✓ ⋯")));
    assert_eq!(standing(&connected).len(), 1);
    assert_eq!((&answer.body["flags"], &answer.body["allowed_mentions"]["parse"]), (&json!(4), &json!([])));
    assert_eq!(connected.twin.refused(), []);
}

const WRITES: &str = "[chat]\nwrite_tools = [\"/tasks add\"]\n";

fn buttons(question: &Recorded) -> (String, String) {
    let row = &question.body["components"][0]["components"];
    let id = |index: usize| row[index]["custom_id"].as_str().unwrap().to_owned();
    (id(0), id(1))
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_person_who_asked_lets_a_change_run() {
    for (is_confirmed, end) in [(true, said!("question-confirmed")), (false, said!("question-declined"))] {
        let scripts =
            vec![calls("tasks_add", json!({"title": "milk ```"})), Script::says("Well."), Script::says("Well.")];
        let (connected, _model) = connect_to_model(scripts, WRITES).await;
        connected.twin.say(Message::to_bot("remember the milk"));
        let question = shown(&connected, &said!("question-asked")).await;
        assert!(question.text().contains("```\n/tasks add title: \"milk ˋˋˋ\"\n```"), "{}", question.text());
        let (yes, no) = buttons(&question);
        let id = question.message_id().unwrap();
        let stranger = connected.answer(Interaction::press(id, &yes).by(USER_ID + 1)).await;
        assert_eq!(stranger.text(), said!("control-not-yours"));
        assert!(stranger.is_ephemeral());

        let press = connected.twin.interact(Interaction::press(id, if is_confirmed { &yes } else { &no }));
        let update = connected.twin.callback_to(&press, PATIENCE).await.unwrap();
        assert_eq!(update.body["type"], json!(7));
        shown(&connected, "Well.").await;
        let message = connected.twin.message(id).unwrap();
        assert!(message["content"].as_str().unwrap().ends_with(&format!("\n-# {end}")), "{message:#}");
        assert_eq!(message["components"], json!([]));
        let list = connected.answer(Interaction::slash("tasks").subcommand("list")).await;
        assert_eq!(list.text().contains("milk"), is_confirmed, "{}", list.text());
        // Pressed once more, on a client that did not see the update.
        let again = connected.answer(Interaction::button(&yes)).await;
        assert_eq!(again.text(), said!("press-closed"));
        assert_eq!(connected.twin.refused(), []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_nobody_answers_runs_nothing_and_shutdown_ends_it() {
    let config = format!("{WRITES}confirm_s = 5\n");
    let scripts = || vec![calls("tasks_add", json!({"title": "milk"})), Script::says("Well."), Script::says("Well.")];
    let (connected, _model) = connect_to_model(scripts(), &config).await;
    connected.twin.say(Message::to_bot("remember the milk"));
    let end = shown(&connected, &said!("question-unanswered")).await;
    assert_eq!((end.method.as_str(), &end.body["components"]), ("PATCH", &json!([])));
    let list = connected.answer(Interaction::slash("tasks").subcommand("list")).await;
    assert!(!list.text().contains("milk"), "{}", list.text());

    let (connected, _model) = connect_to_model(scripts(), WRITES).await;
    connected.twin.say(Message::to_bot("remember the milk"));
    shown(&connected, &said!("question-asked")).await;
    let Connected { bot, twin, folder: _folder, .. } = connected;
    assert!(bot.stop().success());
    let end = twin.wait_for(Duration::ZERO, |request| says(request.text(), said!("question-restarting"))).await;
    assert!(end.is_some(), "{:#?}", twin.requests());
    assert_eq!(twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_that_was_only_pretended_is_saved_once_by_its_person() {
    let made_up =
        "{\"success\": true, \"content\": \"the cat is called Mia\", \"kind\": \"fact\"}\nI'll keep that in mind!";
    let (connected, _model) = connect_to_model(vec![Script::says(made_up), Script::says(made_up)], "").await;
    connected.twin.say(Message::to_bot("remember that my cat is called Mia"));
    let reply = shown(&connected, &format!("-# {}", label_none_ran())).await;
    let fix = reply.body["components"][0]["components"][0]["custom_id"].as_str().unwrap_or_default().to_owned();
    assert!(!fix.is_empty(), "{reply:#?}");
    let id = reply.message_id().unwrap();
    let stranger = connected.answer(Interaction::press(id, &fix).by(USER_ID + 1)).await;
    assert_eq!((stranger.text(), stranger.is_ephemeral()), (said!("fix-not-theirs"), true));
    let saved = connected.answer(Interaction::press(id, &fix)).await;
    assert_says(saved.text(), format!("✓ /memory save · {}", said!("footer-recovered")));
    assert!(saved.is_ephemeral());
    let gone = connected
        .twin
        .wait_for(PATIENCE, |request| request.method == "PATCH" && request.message_id() == Some(id))
        .await;
    assert!(gone.is_some());
    assert_eq!(connected.twin.message(id).unwrap()["components"], json!([]));
    let again = connected.answer(Interaction::button(&fix)).await;
    assert_eq!(again.text(), said!("fix-saved-before"));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_menu_entry_takes_made_up_output_out_of_a_reply() {
    let (connected, _model) = connect_to_model(vec![Script::says("Hello there.")], "").await;
    let reply = connected.reply(Message::to_bot("hello")).await.message_id().unwrap();
    connected.bot.hears(&["routed", "chat"]);
    // As an older version of the bot may have shown it.
    let label = label_none_ran();
    connected.twin.edit_message(reply, &format!("{{\"status\": \"ok\", \"cpu\": 99}}\n\nAll is well.\n-# {label}"));
    let entry = || Interaction::on_message("Remove made-up output", reply).by(USER_ID + 1);
    let mut stranger = connected.answer(entry()).await;
    // The message is there a moment before it is known whose it is.
    for _ in 0..100 {
        if stranger.text() != said!("clean-no-turn") {
            break;
        }
        stranger = connected.answer(entry()).await;
    }
    assert_eq!(stranger.text(), said!("clean-not-theirs"));
    let done = connected.answer(Interaction::on_message("Remove made-up output", reply)).await;
    assert_eq!(done.text(), said!("clean-done", n = 1));
    let message = connected.twin.message(reply).unwrap();
    assert_eq!(message["content"], format!("All is well.\n-# {}\n-# {label}", said!("clean-note")));
    let nothing = connected.answer(Interaction::on_message("Remove made-up output", reply)).await;
    assert_eq!(nothing.text(), said!("clean-nothing-found"));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blocked_person_changes_nothing_not_even_as_an_operator() {
    let blocked = USER_ID + 1;
    let access = format!("[access]\noperators = [{blocked}]\nblocked = [{blocked}]\n");
    let made_up =
        "{\"success\": true, \"content\": \"the cat is called Mia\", \"kind\": \"fact\"}\nI'll keep that in mind!";
    let (connected, _model) = connect_to_model(vec![Script::says(made_up), Script::says(made_up)], &access).await;
    connected.twin.say(Message::to_bot("remember that my cat is called Mia"));
    let reply = shown(&connected, &format!("-# {}", label_none_ran())).await;
    let fix = reply.body["components"][0]["components"][0]["custom_id"].as_str().unwrap_or_default().to_owned();
    let id = reply.message_id().unwrap();
    let cases = [
        (Interaction::press(id, &fix), said!("fix-blocked")),
        (Interaction::on_message("Remove made-up output", id), said!("clean-blocked")),
        (Interaction::button("confirm:1-1:yes"), said!("press-blocked")),
    ];
    for (interaction, refusal) in cases {
        let answer = connected.answer(interaction.by(blocked)).await;
        assert_eq!((answer.text(), answer.is_ephemeral()), (refusal, true));
    }
    // It is still there for the person whose it is.
    let saved = connected.answer(Interaction::press(id, &fix)).await;
    assert_says(saved.text(), format!("✓ /memory save · {}", said!("footer-recovered")));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_models_words_never_stand_without_the_hosts_lines() {
    let messages = format!("/channels/{CHANNEL_ID}/messages");
    let refused = |method| Fault::new(method, &messages).status(400).code(50_035, "Invalid Form Body");
    let rest = format!("-# {}\n-# {}", said!("rest-missing"), label_ran("/status ✓ ⋯"));
    let nothing = format!("{}\n-# {}", said!("answer-not-shown"), said!("label-ran", commands = "/status ✓ ⋯"));
    let cases = [
        (vec![Fault::new("POST", &messages).times(2)], &rest),
        (vec![refused("POST")], &rest),
        (vec![refused("PATCH"), refused("POST")], &nothing),
    ];
    for (faults, end) in cases {
        // Slow enough that the faults are in place before it is sent.
        let long = Script::says(&"word ".repeat(420)).dripped(Duration::from_millis(1));
        let (connected, _model) = connect_to_model(vec![calls("status", json!({})), long], "").await;
        connected.twin.say(Message::to_bot("what's our status?"));
        shown(&connected, &said!("running", command = "/status")).await;
        for fault in faults {
            connected.twin.fail_next(fault);
        }
        shown(&connected, end).await;
        let standing = standing(&connected);
        assert_eq!(standing.len(), 1, "{standing:#?}");
        assert!(says(&standing[0], end) && standing[0].encode_utf16().count() <= 2_000, "{}", standing[0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_stands_below_the_question_that_was_asked_on_the_way_to_it() {
    let scripts =
        vec![calls("status", json!({})), calls("tasks_add", json!({"title": "milk"})), Script::says("Both are done.")];
    let (connected, _model) = connect_to_model(scripts, "[chat]\nwrite_tools = [\"/tasks add\"]\n").await;
    connected.twin.say(Message::to_bot("status, and note milk"));
    let progress = shown(&connected, &said!("running", command = "/status")).await.message_id().unwrap();
    let question = shown(&connected, &said!("question-asked")).await;
    let yes = question.body["components"][0]["components"][0]["custom_id"].as_str().unwrap().to_owned();
    connected.twin.interact(Interaction::press(question.message_id().unwrap(), &yes));
    let answer = shown(&connected, "Both are done.").await;
    assert_ne!(answer.message_id(), Some(progress));
    let is_gone = |request: &Recorded| request.method == "DELETE" && request.path.ends_with(&progress.to_string());
    assert!(connected.twin.requests().iter().any(is_gone), "the note above the question is taken away");
    assert_eq!(connected.twin.refused(), []);
}
