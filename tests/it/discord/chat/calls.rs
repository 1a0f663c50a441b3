//! Chat turns on Discord in which something runs: what a person sees meanwhile, and what only they can decide.

use std::sync::Arc;
use std::time::Duration;

use discord_twin::{CHANNEL_ID, Fault, Interaction, Message, Recorded, USER_ID};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::discord::chat::talking::{buttons, connect_to_model, press, shown, standing, taken};
use crate::discord::connected::Connected;
use crate::support::bot::PATIENCE;
use crate::support::said::{assert_says, footer, label, label_of, label_ran, said, says};
use crate::support::scripted_model::Script;

/// A model's call of a tool.
fn calls(tool: &str, arguments: Value) -> Script {
    Script::calls(&[(tool, arguments)])
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_is_announced_in_the_message_that_then_shows_it() {
    let (connected, _model) =
        connect_to_model(vec![calls("status", json!({})), Script::says("All is well.")], "").await;
    connected.twin.say(Message::to_bot("what's our status?"));
    let progress = shown(&connected, &said!("running", command = "/status")).await;
    let ran = shown(&connected, &footer("/status")).await;
    assert_eq!((ran.method.as_str(), ran.message_id()), ("PATCH", progress.message_id()));
    // Links of the announcement are not unfurled; suppressing them now would hide the embed.
    assert_eq!((&progress.body["flags"], &ran.body["flags"], &ran.body["content"]), (&json!(4), &json!(0), &json!("")));
    let words = shown(&connected, "All is well.").await;
    assert_eq!((words.method.as_str(), &words.body["flags"]), ("POST", &json!(4)));
    for request in [&progress, &ran, &words] {
        assert_eq!(request.body["allowed_mentions"]["parse"], json!([]));
    }
    assert_eq!(connected.twin.refused(), []);
}

const WRITES: &str = "[chat]\nwrite_tools = [\"/tasks add\"]\n";

#[tokio::test(flavor = "multi_thread")]
async fn only_the_person_who_asked_lets_a_change_run() {
    for (is_confirmed, end) in [(true, said!("question-confirmed")), (false, said!("question-declined"))] {
        let scripts =
            vec![calls("tasks_add", json!({"title": "milk ```"})), Script::says("Well."), Script::says("Well.")];
        let (connected, _model) = connect_to_model(scripts, WRITES).await;
        connected.twin.say(Message::to_bot("remember the milk"));
        let question = shown(&connected, &said!("question-asked")).await;
        assert!(question.text().contains("```\n/tasks add title: \"milk ˋˋˋ\"\n```"), "{}", question.text());
        let [yes, no] = <[String; 2]>::try_from(buttons(&question)).unwrap();
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
async fn m1_a_right_taken_away_in_mid_turn_stops_the_next_call() {
    const ROLE: u64 = 71;
    let of = |command| format!("[permissions.\"{command}\"]\nroles = [\"{ROLE}\"]\n");
    let config = of("/tasks") + &of("/status");
    for (then, refusal) in [
        (Some(&[ROLE][..]), None),
        (Some(&[]), Some(said!("denied-roles", command = "/status"))),
        (None, Some(said!("denied-roles-not-said", command = "/status"))),
    ] {
        let go_on = Arc::new(Notify::new());
        let function = json!({"name": "status", "arguments": "{}"});
        let call = json!({"index": 0, "id": "call_2", "type": "function", "function": function});
        let delta = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
        let second = Script::events("").waits(&go_on).piece(format!("data: {delta}\n\n")).ends("tool_calls");
        let scripts = vec![calls("tasks_list", json!({})), second, Script::says("Well.")];
        let (connected, model) = connect_to_model(scripts, &config).await;
        connected.twin.set_member(USER_ID, Some(&[ROLE]));
        connected.twin.say(Message::to_bot("what is to be done?").roles(&[ROLE]));
        shown(&connected, &footer("/tasks list")).await;
        connected.twin.set_member(USER_ID, then);
        go_on.notify_one();
        shown(&connected, "Well.").await;
        let told = model.asked().last().unwrap().body["messages"].to_string();
        let has_run = standing(&connected).iter().any(|text| says(text, footer("/status")));
        assert_eq!(has_run, refusal.is_none(), "{then:?}: {told}");
        assert!(refusal.is_none_or(|refusal| says(&told, refusal)), "{then:?}: {told}");
        connected._log.may_hold_refused();
    }
}

/// Nothing but that they are there decides about the command.
#[tokio::test(flavor = "multi_thread")]
async fn m1_whoever_left_in_mid_turn_has_no_further_call_run_and_discord_is_asked_once_in_a_while() {
    // Who was heard just now is there.
    const A_WHILE: Duration = Duration::from_millis(5_200);
    let lookup = format!("/members/{USER_ID}");
    let cases = [
        ("still there", Some(&[][..]), A_WHILE, false, 1),
        ("left", None, A_WHILE, false, 1),
        ("heard just now", None, Duration::ZERO, false, 0),
        ("in a direct message", None, A_WHILE, true, 0),
    ];
    let tried = cases.map(async |(case, then, pause, is_direct, n_lookups)| {
        let go_on = Arc::new(Notify::new());
        let mut second = Script::events("").waits(&go_on);
        for (index, tool) in (0..).zip(["status", "files_list"]) {
            let function = json!({"name": tool, "arguments": "{}"});
            let call = json!({"index": index, "id": format!("call_{index}"), "type": "function", "function": function});
            let delta = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
            second = second.piece(format!("data: {delta}\n\n"));
        }
        let scripts = vec![calls("tasks_list", json!({})), second.ends("tool_calls"), Script::says("Well.")];
        let (connected, model) = connect_to_model(scripts, "[chat.access]\ndirect = \"everybody\"\n").await;
        let words = Message::to_bot("what is to be done?");
        connected.twin.say(if is_direct { Message::text("what is to be done?").in_dm() } else { words });
        shown(&connected, &footer("/tasks list")).await;
        connected.twin.set_member(USER_ID, then);
        tokio::time::sleep(pause).await;
        go_on.notify_one();
        shown(&connected, "Well.").await;
        let asked = model.asked().last().unwrap().body["messages"].as_array().cloned().unwrap();
        let results =
            asked.iter().filter(|message| message["role"] == "tool").map(|message| message["content"].clone());
        let results: Vec<_> = results.map(|result| result.as_str().unwrap_or_default().to_owned()).collect();
        let has_left = case == "left";
        let n_run = results.iter().filter(|result| result.contains("\"outcome\":\"answered\"")).count();
        assert_eq!(n_run, if has_left { 1 } else { 3 }, "{case}: {results:?}");
        let told = results.concat();
        assert_eq!(told.contains(&said!("call-left")), has_left, "{case}: {told}");
        let n_asked = connected.twin.requests().iter().filter(|request| request.path.ends_with(&lookup)).count();
        assert_eq!(n_asked, n_lookups, "{case}: {results:?}");
        connected._log.may_hold_refused();
    });
    futures_util::future::join_all(tried).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn m1_a_right_that_was_taken_away_before_the_press_counts_for_the_rest_of_the_turn() {
    const ROLE: u64 = 71;
    let config = format!(
        "{WRITES}[permissions.\"/tasks add\"]\nroles = [\"{ROLE}\"]\n[permissions.\"/status\"]\nroles = [\"{ROLE}\"]\n"
    );
    for (roles, refused) in [(&[ROLE][..], false), (&[], true)] {
        let scripts =
            vec![calls("tasks_add", json!({"title": "milk"})), calls("status", json!({})), Script::says("Well.")];
        let (connected, model) = connect_to_model(scripts, &config).await;
        connected.twin.set_member(USER_ID, Some(roles));
        connected.twin.say(Message::to_bot("remember the milk").roles(&[ROLE]));
        let question = shown(&connected, &said!("question-asked")).await;
        let yes = buttons(&question).swap_remove(0);
        connected.answer(Interaction::press(question.message_id().unwrap(), &yes).roles(roles)).await;
        shown(&connected, "Well.").await;
        let told = model.asked().last().unwrap().body["messages"].to_string();
        for command in ["/tasks add", "/status"] {
            assert_eq!(says(&told, said!("denied-roles", command = command)), refused, "{command}: {told}");
        }
        let list = connected.answer(Interaction::slash("tasks").subcommand("list")).await;
        assert_eq!(list.text().contains("milk"), !refused, "{}", list.text());
        assert_eq!(connected.twin.refused(), []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_was_denied_says_so_under_words_that_claim_that_it_ran() {
    const ROLE: u64 = 71;
    let config = format!("{WRITES}[permissions.\"/tasks add\"]\nroles = [\"{ROLE}\"]\n");
    let scripts = vec![calls("tasks_add", json!({"title": "milk"})), Script::says("Done! Milk is on the list.")];
    let (connected, _model) = connect_to_model(scripts, &config).await;
    connected.twin.say(Message::to_bot("put milk on the list").roles(&[ROLE]));
    let question = shown(&connected, &said!("question-asked")).await;
    let yes = buttons(&question).swap_remove(0);
    connected.answer(Interaction::press(question.message_id().unwrap(), &yes)).await;
    let reply = shown(&connected, "Done! Milk is on the list.").await;
    // The line of the host has no code in it.
    let why = said!("denied-roles", command = "/tasks add").replace('`', "'");
    assert_says(reply.text(), said!("note-not-run", command = "/tasks add", why = why));
    assert_says(reply.text(), label());
    let list = connected.answer(Interaction::slash("tasks").subcommand("list")).await;
    assert!(!list.text().contains("milk"), "{}", list.text());
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reasons_that_a_model_wrote_with_its_calls_are_shown() {
    let call = json!({"reasoning": "they want to know", "tool_calls": [{"tool": "status", "parameters": {}}]});
    let scripts = vec![Script::says(&call.to_string()), Script::says("All is well.")];
    let (connected, _model) = connect_to_model(scripts, "tools = \"text\"\n").await;
    connected.twin.say(Message::to_bot("what's our status?"));
    let reply = shown(&connected, "All is well.").await.message_id().unwrap().to_string();
    // The message is there a moment before it is known whose it is.
    let mut text = said!("receipt-no-turn");
    for _ in 0..100 {
        if !says(&text, said!("receipt-no-turn")) {
            break;
        }
        text = connected.answer(Interaction::slash("receipt").option("reply", reply.as_str())).await.text();
    }
    assert_says(&text, said!("turn-reasoning"));
    assert!(text.contains("`they want to know`"), "{text}");
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

    let (connected, model) = connect_to_model(scripts(), WRITES).await;
    connected.twin.say(Message::to_bot("remember the milk"));
    shown(&connected, &said!("question-asked")).await;
    let Connected { bot, twin, folder: _folder, .. } = connected;
    assert!(bot.stop().success());
    let end = twin.wait_for(Duration::ZERO, |request| says(request.text(), said!("question-restarting"))).await;
    assert!(end.is_some(), "{:#?}", twin.requests());
    assert_eq!(model.asked().len(), 1, "the model is not asked what to say to that");
    let told = twin.wait_for(Duration::ZERO, |request| says(request.text(), said!("note-leaving"))).await;
    assert!(told.is_some(), "{:#?}", twin.requests());
    assert_eq!(twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blocked_person_runs_nothing_and_sees_nothing_not_even_as_an_operator() {
    let blocked = USER_ID + 1;
    let access = format!("[access]\noperators = [{blocked}]\nblocked = [{blocked}]\n");
    let (connected, _model) = connect_to_model(vec![Script::says("save_memory")], &access).await;
    connected.twin.say(Message::to_bot("my cat is called Mia"));
    let reply = shown(&connected, &said!("note-only-written", commands = "/memory save")).await;
    let cases = [
        (press(&reply), said!("press-blocked")),
        (Interaction::on_message("What it said", reply.message_id().unwrap()), said!("chat-blocked")),
        (Interaction::button("confirm:1-1:yes"), said!("press-blocked")),
    ];
    for (interaction, refusal) in cases {
        let answer = connected.answer(interaction.by(blocked)).await;
        assert_eq!((answer.text(), answer.is_ephemeral()), (refusal, true));
    }
    // It is still there for the person whose it is.
    let opened = connected.twin.interact(press(&reply));
    let form = connected.twin.callback_to(&opened, PATIENCE).await.unwrap();
    assert_eq!(form.body["type"], json!(9), "{form:#?}");
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_models_words_never_stand_without_the_hosts_lines() {
    let messages = format!("/channels/{CHANNEL_ID}/messages");
    let refused = |method| Fault::new(method, &messages).status(400).code(50_035, "Invalid Form Body");
    let end = format!("-# {}\n{}", said!("rest-missing"), label());
    let (part, nothing) = (label_of(1, 2), said!("answer-not-shown"));
    // What happens to the second of two messages, and what then stands there.
    let cases = [
        // As often as it is tried.
        (vec![Fault::new("POST", &messages).times(4)], vec![&end]),
        (vec![refused("POST")], vec![&end]),
        (vec![refused("POST"), refused("PATCH")], vec![&part, &nothing]),
    ];
    for (faults, ends) in cases {
        let (connected, _model) = connect_to_model(vec![Script::says(&"word ".repeat(420))], "").await;
        // Slow enough that the faults are in place before the second message is sent.
        connected.twin.delay("POST", &messages, Duration::from_secs(1));
        connected.twin.say(Message::to_bot("tell me a story"));
        shown(&connected, &part).await;
        for fault in faults {
            connected.twin.fail_next(fault);
        }
        shown(&connected, ends.last().unwrap()).await;
        let standing = standing(&connected);
        assert_eq!(standing.len(), ends.len(), "{standing:#?}");
        for (message, end) in standing.iter().zip(ends) {
            assert!(message.ends_with(end) && message.encode_utf16().count() <= 2_000, "{end}: {message}");
        }
        let is_marked = |message: &String| says(message, said!("label-generated"));
        assert_eq!(standing.iter().filter(|message| is_marked(message)).count(), 1, "{standing:#?}");
        connected._log.may_hold_refused();
    }
    // Nothing of the words is shown, and the host says so.
    let (connected, _model) = connect_to_model(vec![Script::says("All is well.")], "").await;
    connected.twin.fail_next(refused("POST"));
    let reply = connected.reply(Message::to_bot("how are you?")).await;
    assert!(!reply.accepted());
    shown(&connected, &nothing).await;
    assert_eq!(standing(&connected), [nothing]);
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ran_and_cannot_be_shown_is_named_under_the_words() {
    let messages = format!("/channels/{CHANNEL_ID}/messages");
    let refused = |method| Fault::new(method, &messages).status(400).code(50_035, "Invalid Form Body");
    let scripts = vec![calls("status", json!({})), Script::says("All is well.")];
    let (connected, _model) = connect_to_model(scripts, "").await;
    // Slow enough that the faults are in place before the answer is shown.
    connected.twin.delay("POST", &messages, Duration::from_secs(1));
    connected.twin.say(Message::to_bot("what's our status?"));
    shown(&connected, &said!("running", command = "/status")).await;
    connected.twin.fail_next(refused("PATCH"));
    connected.twin.fail_next(refused("POST"));
    let words = shown(&connected, "All is well.").await;
    assert_says(words.text(), said!("note-unshown", run = "/status ✓ ⋯"));
    assert_eq!(standing(&connected), [words.text()]);
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_and_what_is_asked_stand_in_their_order() {
    let scripts =
        vec![calls("status", json!({})), calls("tasks_add", json!({"title": "milk"})), Script::says("Both are done.")];
    let (connected, _model) = connect_to_model(scripts, WRITES).await;
    connected.twin.say(Message::to_bot("status, and note milk"));
    let question = shown(&connected, &said!("question-asked")).await;
    connected.twin.interact(press(&question));
    shown(&connected, "Both are done.").await;
    let standing = standing(&connected);
    assert_eq!(standing.len(), 4, "{standing:#?}");
    let expected = [
        footer("/status"),
        said!("question-confirmed"),
        footer("/tasks add"),
        format!("Both are done.\n{}", label_ran("/status, /tasks add")),
    ];
    for (message, expected) in standing.iter().zip(expected) {
        assert_says(message, expected);
    }
    let is_deleted = |request: &Recorded| request.method == "DELETE";
    assert!(!connected.twin.requests().iter().any(is_deleted), "what ran is not taken away");
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_meant_as_a_call_and_could_not_be_run_loses_no_words_and_has_its_button() {
    let block = "{\"reasoning\": \"look\", \"tool_calls\": [{\"tool\": \"status\", \"parameters\": {}}]}";
    let written = format!("{block}\nThis is how it is.");
    let (connected, model) = connect_to_model(vec![Script::says(&written); 2], "tools = \"text\"\n").await;
    connected.twin.say(Message::to_bot("hello there"));
    let reply = shown(&connected, "This is how it is.").await;
    let line = said!("note-only-written", commands = "/status");
    assert_eq!(reply.message()["content"], format!("This is how it is.\n-# {line}\n{}", label()));
    assert_eq!(model.asked().len(), 2, "one reminder");
    assert_says(connected.answer(press(&reply)).await.text(), footer("/status"));

    // A call that does not fit, and words as if it had run.
    let scripts = vec![calls("tasks_add", json!({"title": 7, "x": 1})), Script::says("Milk it is.")];
    let (connected, _model) = connect_to_model(scripts, WRITES).await;
    connected.twin.say(Message::to_bot("hello there"));
    let reply = shown(&connected, "Milk it is.").await;
    assert_says(reply.text(), said!("note-only-written", commands = "/tasks add"));
    assert_says(reply.text(), format!("[{}]", said!("button-run", command = "/tasks add")));
    assert_eq!(connected.twin.refused(), []);
}

/// L2: of a long command its person approved what they did not see.
/// What was asked, what the model wrote (also when it is asked again), what is left of that, the command of the button,
/// and what a press answers.
const WRITTEN: [(&str, &str, &str, &str, &str); 4] = [
    (
        "hello there",
        "I put it there.\n<tool_call>{\"name\": \"tasks_add\", \"arguments\": {\"title\": \"oat milk\"}}</tool_call>",
        "I put it there.",
        "/tasks add",
        "oat milk",
    ),
    // The private content fills the modal, and no record of the turn has it.
    (
        "hello there",
        "I wrote it.\n<tool_call>{\"name\": \"files_write\", \"arguments\": {\"path\": \"a.txt\", \"content\": \"oat milk\"}}</tool_call>",
        "I wrote it.",
        "/files write",
        "with 8 B",
    ),
    // Keys without quotation marks.
    (
        "hello there",
        "I keep that.\n{tool: save_memory, parameters: {content: \"likes oat milk\"}}",
        "I keep that.",
        "/memory save",
        "likes oat milk",
    ),
    // Without a fence, amid words: as often an example as a call.
    (
        "hello there",
        "One would write\n{\"tool\": \"status\", \"parameters\": {}}\nfor that.",
        "One would write\n…\nfor that.",
        "/status",
        "GiB",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn the_button_of_a_command_that_did_not_run_runs_it_for_its_person_alone() {
    for (asked, written, left, command, answers) in WRITTEN {
        let (connected, model) = connect_to_model(vec![Script::says(written); 2], "").await;
        connected.twin.say(Message::to_bot(asked));
        let reply = shown(&connected, &format!("[{}]", said!("button-run", command = command))).await;
        let content = reply.message()["content"].as_str().unwrap().to_owned();
        assert!(content.starts_with(&format!("{left}\n-# ")), "{content}");
        assert_says(content, said!("note-only-written", commands = command));
        let n_asked = if written.ends_with(['>', '}']) { 2 } else { 1 };
        assert_eq!(model.asked().len(), n_asked, "{command}: words behind a call explain it");

        let stranger = connected.answer(press(&reply).by(USER_ID + 1)).await;
        assert_eq!((stranger.text(), stranger.is_ephemeral()), (said!("control-not-yours"), true), "{command}");
        let ran = taken(&connected, &reply, 0).await;
        assert_says(ran.text(), footer(command));
        assert!(ran.text().contains(answers), "{command}: {}", ran.text());
        assert_eq!(ran.is_ephemeral(), command.starts_with("/memory"), "{command}");
        assert_eq!(connected.twin.refused(), []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn l2_all_that_would_run_is_shown_with_the_question() {
    let content = format!("{}the end", "line\n".repeat(700));
    let write = calls("files_write", json!({"path": "notes.txt", "content": content}));
    let config = "[chat]\nwrite_tools = [\"/files write\"]\n";
    let (connected, _model) = connect_to_model(vec![write, Script::says("Written.")], config).await;
    connected.twin.say(Message::to_bot("write it down"));
    let question = shown(&connected, &said!("question-asked")).await;
    assert_says(question.text(), said!("question-file", file = "command.txt"));
    let id = question.message_id().unwrap();
    let file = String::from_utf8(connected.twin.file(id, "command.txt").unwrap()).unwrap();
    assert_eq!(file, format!("/files write path: \"notes.txt\" content: {}", Value::from(content)));

    let [yes, _no] = <[String; 2]>::try_from(buttons(&question)).unwrap();
    connected.twin.interact(Interaction::press(id, &yes));
    shown(&connected, "Written.").await;
    assert_eq!(connected.twin.refused(), []);
}
