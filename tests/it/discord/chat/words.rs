//! Chat on Discord: what a model's words may not look like, and what shows what it wrote.

use discord_twin::{BOT_ID, Interaction, Message, USER_ID};
use serde_json::json;

use crate::discord::chat::talking::{buttons, connect_to_model, on_reply, press, shown, standing};
use crate::discord::connected::{Connected, connect};
use crate::support::said::{assert_says, label, label_of, said};
use crate::support::scripted_model::Script;
use candor_core::contract::WHAT_IT_SAID;

/// The id of a registered command.
fn id_of(connected: &Connected, name: &str) -> String {
    let commands = connected.twin.commands();
    let command = commands.iter().find(|command| command["name"] == name).unwrap();
    command["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_in_a_models_words_can_be_pressed_and_nothing_else_is_a_mention() {
    let words = "See /status or `/status`, </status:1>, <@1>, <@&2>, <#3> and [this](https://evil.example).\n> -# generated · ran /x ✓";
    let (connected, _model) = connect_to_model(vec![Script::says(words)], "").await;
    let reply = connected.reply(Message::to_bot("what can you do?")).await;
    let id = id_of(&connected, "status");
    assert_eq!(
        reply.text(),
        format!(
            "See </status:{id}> or `/status`, </status:{id}>, @1, @2, #3 and [this] (https://evil.example).\n\
             (model) > \\-# generated · ran /x ✓\n{}",
            label()
        )
    );
    // Links are not unfurled, nobody is pinged, and the message is known by its id.
    let message = connected.twin.message(reply.message_id().unwrap()).unwrap();
    assert_eq!((&message["flags"], &reply.body["allowed_mentions"]["parse"]), (&json!(4), &json!([])));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_code_block_is_whole_in_every_message() {
    let words = format!("```rust\n{}```\nThat is all.", "let x = 1;\n".repeat(300));
    let (connected, _model) = connect_to_model(vec![Script::says(&words)], "").await;
    connected.twin.say(Message::to_bot("show me code"));
    shown(&connected, &label_of(2, 2)).await;
    let texts = standing(&connected);
    assert_eq!(texts.len(), 2, "{texts:#?}");
    assert!(
        texts[0].starts_with("```rust\n") && texts[0].ends_with(&format!("\n```\n{}", label_of(1, 2))),
        "{}",
        texts[0]
    );
    let end = format!("```\nThat is all.\n{}", label_of(2, 2));
    assert!(texts[1].starts_with("```rust\n") && texts[1].ends_with(&end), "{}", texts[1]);
    assert_eq!(texts.concat().matches("let x = 1;").count(), 300);
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn code_in_a_reply_is_left_as_it_is() {
    // Outside of code each of these lines would be changed.
    let code = "<@1> and <#2>\n-# generated\n✓ /status · receipt 7F3K2\n[this](https://evil.example) a\u{200d}b";
    let words = format!("Like this:\n```md\n{code}\n```\nor `<@1>` and so on.");
    let (connected, model) = connect_to_model(vec![Script::says(&words)], "").await;
    let reply = connected.reply(Message::to_bot("how do I write this?")).await;
    let forged = said!("note-receipt", id = "7F3K2");
    assert_eq!(reply.message()["content"], format!("{words}\n-# {forged}\n{}", label()));
    assert_eq!(reply.message()["allowed_mentions"]["parse"], json!([]));
    assert_eq!(model.asked().len(), 1);
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_code_amid_words_is_left_there_and_offered() {
    // As often an example as a call: nobody can tell, so a person decides.
    let words = "A call looks like this:\n```json\n{\"tool\": \"status\", \"parameters\": {}}\n```\nThat is all.";
    let (connected, _model) = connect_to_model(vec![Script::says(words), Script::says(words)], "").await;
    let reply = connected.reply(Message::to_bot("what does a call look like?")).await;
    let line = said!("note-only-written", commands = "/status");
    assert_eq!(reply.message()["content"], format!("{words}\n-# {line}\n{}", label()));
    assert_says(reply.text(), format!("[{}]", said!("button-run", command = "/status")));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_command_alone_is_answered_with_its_button_and_never_reaches_the_model() {
    let (connected, model) = connect_to_model(vec![Script::says("It is all fine.")], "").await;
    for (text, command) in [("tasks_list()", "/tasks list"), ("Run the status command.", "/status")] {
        let reply = connected.reply(Message::to_bot(text)).await;
        assert_says(reply.text(), said!("named-command", command = command));
        assert_eq!(buttons(&reply).len(), 1, "{}", reply.text());
        let answer = connected.answer(press(&reply)).await;
        assert!(answer.text().contains(command) && answer.text().contains("receipt"), "{}", answer.text());
    }
    let reply = connected.reply(Message::to_bot("settings_undo")).await;
    assert!(buttons(&reply).is_empty() && reply.text().contains("did not run"), "{}", reply.text());
    // A button for a change works once.
    let reply = connected.reply(Message::to_bot("clear")).await;
    connected.answer(press(&reply)).await;
    assert_eq!(connected.answer(press(&reply)).await.text(), said!("control-used", command = "/clear"));
    assert_eq!(model.asked().len(), 0);
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_is_over_or_not_ours_does_nothing_and_says_so() {
    let connected = connect("").await;
    let cases = [
        // As earlier versions of this bot wrote them, without a signature.
        ("confirm:1-1:yes", said!("control-outdated")),
        ("fix:999", said!("control-outdated")),
        ("old", said!("control-unknown")),
    ];
    for (custom_id, wanted) in cases {
        let answer = connected.answer(Interaction::button(custom_id)).await;
        assert_eq!(answer.text(), wanted, "{custom_id}");
        assert!(answer.is_ephemeral(), "{custom_id}");
    }
    assert_eq!(standing(&connected), Vec::<String>::new());
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_said_shows_what_the_model_wrote_to_its_person_and_to_operators() {
    let call = "<tool_call>{\"name\": \"save_memory\", \"arguments\": {\"content\": \"likes tea\"}}</tool_call>";
    let wrote = Script::says(&format!("Kept.\n{call}\n```\nlast line"));
    let settings = format!("[access]\noperators = [{}]\n", USER_ID + 2);
    let scripts = vec![Script::calls(&[("status", json!({}))]), wrote.clone(), wrote];
    let (connected, _model) = connect_to_model(scripts, &settings).await;
    let entry = connected.twin.commands().into_iter().find(|command| command["name"] == WHAT_IT_SAID).unwrap();
    assert_eq!((&entry["type"], &entry["description"]), (&json!(3), &json!("")));

    connected.twin.say(Message::to_bot("what's our status? and I like tea"));
    let reply = shown(&connected, "Kept.").await;
    assert!(!reply.text().contains("tool_call"), "{}", reply.text());
    let reply = reply.message_id().unwrap();
    let ask = || Interaction::on_message(WHAT_IT_SAID, reply);
    let answer = on_reply(&connected, ask).await;
    for (what, answer) in [("its person", answer), ("an operator", connected.answer(ask().by(USER_ID + 2)).await)] {
        let text = answer.text();
        assert!(answer.is_ephemeral(), "{what}: {text}");
        assert_says(&text, said!("said-title"));
        assert!(text.contains(call), "{what}: {text}");
        // A fence that the model wrote does not end the block that it is shown in.
        assert!(text.contains("\nˋˋˋ\nlast line\n```"), "{what}: {text}");
        // What commands answered may be for their person alone.
        let is_theirs = what == "its person";
        assert_eq!(text.contains(&said!("said-results")), is_theirs, "{what}: {text}");
        assert_eq!(text.contains("`status`") && text.contains("GiB"), is_theirs, "{what}: {text}");
    }
    let stranger = connected.answer(ask().by(USER_ID + 1)).await;
    assert_eq!((stranger.text(), stranger.is_ephemeral()), (said!("said-not-theirs"), true));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_said_knows_of_nothing_behind_other_messages() {
    let (connected, _model) = connect_to_model(vec![Script::says("Hello.")], "").await;
    let theirs = connected.twin.say(Message::text("{\"made\": \"up\"}").by(USER_ID + 1));
    // Of this bot, but no reply to anybody.
    let other = connected.twin.say(Message::text("{\"made\": \"up\"}").by_bot(BOT_ID));
    for message in [theirs, other] {
        let answer = connected.answer(Interaction::on_message(WHAT_IT_SAID, message)).await;
        assert_eq!((answer.text(), answer.is_ephemeral()), (said!("said-none"), true));
    }
    // Another message context-menu command is not ours.
    let answer = connected.answer(Interaction::on_message("status", theirs)).await;
    assert_eq!(answer.text(), said!("menu-command-unknown", name = "status"));
    assert_eq!(connected.twin.refused(), []);
}
