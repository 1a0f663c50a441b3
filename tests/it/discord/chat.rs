//! Chat on Discord: what a model may not look like, and buttons and menu entries that are not theirs to use.

use discord_twin::{BOT_ID, CHANNEL_ID, Interaction, Message, Recorded, USER_ID};
use serde_json::json;

use crate::discord::commands::{Connected, connect};
use crate::support::bot::PATIENCE;
use crate::support::scripted_model::{Script, ScriptedModel};

const REMOVE_MADE_UP: &str = "Remove made-up output";

/// A connected bot whose model says this, and whose commands are registered.
async fn connect_to_model(words: &[&str]) -> (Connected, ScriptedModel) {
    let model = ScriptedModel::start(words.iter().map(|words| Script::says(words)).collect()).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", model.base_url());
    let connected = connect(&config).await;
    connected.bot.hears(&["commands at Discord"]);
    (connected, model)
}

/// Every message that the bot sent, oldest first.
fn sent(connected: &Connected) -> Vec<Recorded> {
    let path = format!("/channels/{CHANNEL_ID}/messages");
    let requests = connected.twin.requests();
    requests.into_iter().filter(|request| request.method == "POST" && request.path == path).collect()
}

/// The id of a registered command.
fn id_of(connected: &Connected, name: &str) -> String {
    let commands = connected.twin.commands();
    let command = commands.iter().find(|command| command["name"] == name).unwrap();
    command["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_in_a_models_words_can_be_pressed_and_nothing_else_is_a_mention() {
    let words =
        "See /status or `/status`, </status:1>, <@1> and [this](https://evil.example).\n> -# generated · ran /x ✓";
    let (connected, _model) = connect_to_model(&[words]).await;
    let reply = connected.reply(Message::to_bot("what can you do?")).await;
    let id = id_of(&connected, "status");
    assert_eq!(
        reply.text(),
        format!(
            "See </status:{id}> or `/status`, ‹/status:1>, ‹@1> and [this] (https://evil.example).\n\
             (model) > \\-# generated · ran /x ✓\n-# /x does not exist\n-# generated · no command ran"
        )
    );
    // Links are not unfurled, nobody is pinged, and the message is known by its id.
    let message = connected.twin.message(reply.message_id().unwrap()).unwrap();
    assert_eq!((&message["flags"], &reply.body["allowed_mentions"]["parse"]), (&json!(4), &json!([])));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_code_block_is_whole_in_every_message_and_the_label_stands_once() {
    let words = format!("```rust\n{}```\nThat is all.", "let x = 1;\n".repeat(300));
    let (connected, _model) = connect_to_model(&[&words]).await;
    connected.twin.say(Message::to_bot("show me code"));
    let last = connected.twin.wait_for(PATIENCE, |request| request.text().ends_with("no command ran")).await;
    assert!(last.is_some(), "{}", connected.bot.log());
    let texts: Vec<_> = sent(&connected).iter().map(Recorded::text).collect();
    assert_eq!(texts.len(), 2, "{texts:#?}");
    assert!(texts[0].starts_with("```rust\n") && texts[0].ends_with("\n```"), "{}", texts[0]);
    assert!(texts[1].starts_with("```rust\n") && texts[1].contains("```\nThat is all.\n-# generated"), "{}", texts[1]);
    assert_eq!(texts.concat().matches("let x = 1;").count(), 300);
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_is_over_or_not_ours_does_nothing_and_says_so() {
    let connected = connect("").await;
    let cases = [
        // As earlier versions of this bot wrote them, without a signature.
        ("confirm:1-1:yes", "too old, so nothing ran"),
        ("fix:999", "too old, so nothing ran"),
        ("old", "no longer in use"),
    ];
    for (custom_id, wanted) in cases {
        let answer = connected.answer(Interaction::button(custom_id)).await;
        assert!(answer.text().contains(wanted), "{custom_id}: {}", answer.text());
        assert!(answer.is_ephemeral(), "{custom_id}");
    }
    assert_eq!(sent(&connected).len(), 0);
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_menu_entry_is_registered_and_changes_only_chat_replies_of_this_bot() {
    let (connected, _model) = connect_to_model(&["Hello."]).await;
    let entry = connected.twin.commands().into_iter().find(|command| command["name"] == REMOVE_MADE_UP).unwrap();
    assert_eq!((&entry["type"], &entry["description"]), (&json!(3), &json!("")));
    connected.bot.hears(&["registered command", REMOVE_MADE_UP, "handler.kind=\"menu\""]);

    let theirs = connected.twin.say(Message::text("{\"made\": \"up\"}").by(USER_ID + 1));
    let reply = connected.reply(Message::to_bot("hello")).await.message_id().unwrap();
    let before = connected.twin.message(reply).unwrap();
    let answer = connected.answer(Interaction::on_message(REMOVE_MADE_UP, theirs)).await;
    assert_eq!(answer.text(), "Only replies of this bot can be changed. Nothing was changed.");
    assert!(answer.is_ephemeral());
    // Of this bot, but no reply to anybody.
    let other = connected.twin.say(Message::text("{\"made\": \"up\"}").by_bot(BOT_ID));
    for message in [other, reply] {
        let answer = connected.answer(Interaction::on_message(REMOVE_MADE_UP, message)).await;
        assert!(answer.text().contains("othing was changed") && answer.is_ephemeral(), "{}", answer.text());
    }
    assert_eq!(connected.twin.message(reply).unwrap(), before);
    assert_eq!(connected.twin.requests().iter().filter(|request| request.method == "PATCH").count(), 0);
    // Another entry of that menu is not ours.
    let answer = connected.answer(Interaction::on_message("status", reply)).await;
    assert!(answer.text().contains("no longer in use"), "{}", answer.text());
    assert_eq!(connected.twin.refused(), Vec::<Recorded>::new());
}
