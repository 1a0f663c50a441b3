//! *Ask again* and *Delete reply* in the context menu of a reply, and the button that an edited question gives it.

use std::sync::Arc;
use std::time::Duration;

use discord_twin::{CHANNEL_ID, Interaction, Message, Recorded, USER_ID};
use tokio::sync::Notify;

use crate::discord::chat::talking::{buttons, connect_to_model, on_reply, press, shown, shown_since};
use crate::discord::connected::Connected;
use crate::support::bot::PATIENCE;
use crate::support::said::{label, said, says, without_asker};
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::contract::{ASK_AGAIN, DELETE_REPLY, HIDE_JSON};

const OPERATOR: u64 = USER_ID + 2;

async fn connect(n_answers: usize) -> (Connected, ScriptedModel) {
    let scripts = (1..=n_answers).map(|n| Script::says(&format!("Answer {n}."))).collect();
    connect_to_model(scripts, &format!("[access]\noperators = [{OPERATOR}]\nblocked = [{}]\n", USER_ID + 3)).await
}

/// The message with the n-th answer.
async fn answer(connected: &Connected, n: usize) -> u64 {
    let words = format!("Answer {n}.");
    shown(connected, &words).await;
    let requests = connected.twin.requests();
    requests.iter().rev().filter(|request| request.text().contains(&words)).find_map(Recorded::message_id).unwrap()
}

/// What the menu command answers.
async fn choose(connected: &Connected, name: &str, reply: u64, by: u64) -> String {
    let answer = on_reply(connected, || Interaction::on_message(name, reply).by(by)).await;
    assert!(answer.is_ephemeral(), "{answer:#?}");
    answer.text()
}

/// What the model was asked last.
fn asked(model: &ScriptedModel) -> String {
    let asked = model.asked();
    let messages = asked.last().unwrap().body["messages"].as_array().unwrap().clone();
    without_asker(messages.last().unwrap()["content"].as_str().unwrap())
}

const AGAIN: &str = "[host] This was asked before, and another answer is wanted.\n\n";

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_question_can_be_asked_again_under_its_reply_and_by_the_menu() {
    let (connected, model) = connect(3).await;
    let twin = &connected.twin;
    let question = twin.say(Message::to_bot("one"));
    let first = answer(&connected, 1).await;
    assert_eq!(choose(&connected, ASK_AGAIN, first, USER_ID + 1).await, said!("ask-again-not-theirs"));
    assert_eq!(choose(&connected, ASK_AGAIN, first, OPERATOR).await, said!("ask-again-not-theirs"));

    twin.edit_message(question, "<@1100000000000000001> two");
    let is_offer = |request: &Recorded| request.method == "PATCH" && buttons(request).len() == 1;
    let offer = twin.wait_for(PATIENCE, is_offer).await.expect("the reply gets a button");
    assert_eq!(offer.message_id(), Some(first));
    assert_eq!(offer.message()["components"][0]["components"][0]["label"], said!("button-ask-again"));
    let stranger = connected.answer(press(&offer).by(USER_ID + 1)).await;
    assert_eq!(stranger.text(), said!("control-not-yours"));
    assert_eq!(connected.answer(press(&offer)).await.text(), said!("ask-again-asked"));
    let second = answer(&connected, 2).await;
    assert_eq!(asked(&model), format!("{AGAIN}two"));
    assert_ne!(first, second);
    // The new reply answers the question, and can be asked again as well.
    assert_eq!(choose(&connected, ASK_AGAIN, second, USER_ID).await, said!("ask-again-asked"));
    answer(&connected, 3).await;
    assert_eq!(asked(&model), format!("{AGAIN}two"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_edited_while_it_is_answered_can_be_asked_again() {
    let go_on = Arc::new(Notify::new());
    let first = Script::writes(&["Here you are. This is "]).waits(&go_on).and(&["Answer 1."]).ends("stop");
    let (connected, model) = connect_to_model(vec![first, Script::says("Answer 2.")], "").await;
    let question = connected.twin.say(Message::to_bot("one"));
    shown(&connected, "Here you are.").await;
    connected.twin.edit_message(question, "<@1100000000000000001> two");
    // Events of one connection are read in order.
    connected.answer(Interaction::slash("help")).await;
    go_on.notify_one();
    let reply = answer(&connected, 1).await;
    let is_offer = |request: &Recorded| {
        let labels = request.message()["components"].to_string();
        request.message_id() == Some(reply) && labels.contains(&said!("button-ask-again"))
    };
    let offer = connected.twin.wait_for(PATIENCE, is_offer).await.expect("the reply gets a button");
    let text = connected.twin.message(reply).unwrap()["content"].to_string();
    assert!(says(&text, said!("note-edited")), "{text}");
    assert_eq!((asked(&model), model.asked().len()), ("one".to_owned(), 1));
    assert_eq!(connected.answer(press(&offer)).await.text(), said!("ask-again-asked"));
    answer(&connected, 2).await;
    // The model sees the note on its reply, too.
    assert!(asked(&model).ends_with(&format!("{AGAIN}two")), "{}", asked(&model));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_question_any_more_is_not_asked_and_does_not_run() {
    let (connected, model) = connect(1).await;
    let question = connected.twin.say(Message::to_bot("one"));
    let reply = answer(&connected, 1).await;
    for edited in ["<@1100000000000000001> /status", "/status", "no longer for the bot"] {
        connected.twin.edit_message(question, edited);
        assert_eq!(choose(&connected, ASK_AGAIN, reply, USER_ID).await, said!("ask-again-no-words"), "{edited}");
    }
    connected.twin.delete_message(question);
    assert_eq!(choose(&connected, ASK_AGAIN, reply, USER_ID).await, said!("ask-again-gone"));
    let blocked = connected.answer(Interaction::on_message(ASK_AGAIN, reply).by(USER_ID + 3)).await;
    assert_eq!(blocked.text(), said!("chat-blocked"));
    let no_reply = connected.twin.say(Message::text("hello").by(USER_ID + 1));
    let none = connected.answer(Interaction::on_message(ASK_AGAIN, no_reply)).await;
    assert_eq!(none.text(), said!("said-none"));
    assert_eq!(model.asked().len(), 1);
    let refused = connected.twin.refused();
    assert!(refused.iter().all(|it| it.method == "GET" && it.code == Some(10008)), "{refused:#?}");
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_were_answered_together_are_asked_again_together() {
    let go_on = Arc::new(Notify::new());
    let first = Script::writes(&["Answer "]).waits(&go_on).and(&["1."]).ends("stop");
    let (connected, model) =
        connect_to_model(vec![first, Script::says("Answer 2."), Script::says("Answer 3.")], "").await;
    connected.twin.say(Message::to_bot("one"));
    while model.asked().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    connected.twin.say(Message::to_bot("two"));
    connected.twin.say(Message::to_bot("three"));
    // Events of one connection are read in order.
    connected.answer(Interaction::slash("help")).await;
    go_on.notify_one();
    let both = answer(&connected, 2).await;
    assert_eq!(asked(&model), "two\nthree");
    assert_eq!(choose(&connected, ASK_AGAIN, both, USER_ID).await, said!("ask-again-asked"));
    shown_since(&connected, 0, "Answer 3.").await;
    assert_eq!(asked(&model), format!("{AGAIN}two\nthree"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_is_deleted_for_whoever_asked_and_for_operators() {
    let (connected, _model) = connect(2).await;
    let twin = &connected.twin;
    for (n, by) in [(1, USER_ID), (2, OPERATOR)] {
        twin.say(Message::to_bot("hello"));
        let reply = answer(&connected, n).await;
        assert_eq!(choose(&connected, DELETE_REPLY, reply, USER_ID + 1).await, said!("reply-not-theirs"));
        assert!(twin.message(reply).is_some());
        assert_eq!(choose(&connected, DELETE_REPLY, reply, by).await, said!("delete-done"));
        assert!(twin.message(reply).is_none());
    }
    assert_eq!(twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn leading_json_is_hidden_for_the_asker_and_operators_and_nothing_runs() {
    let wrote = "{\"success\": true} {\"saved\": \"{tea}\"}Hello there.";
    for by in [USER_ID, OPERATOR] {
        let settings = format!("[access]\noperators = [{OPERATOR}]\n");
        let (connected, model) = connect_to_model(vec![Script::says(wrote)], &settings).await;
        connected.twin.say(Message::to_bot("hello"));
        let reply = shown(&connected, "Hello there.").await.message_id().unwrap();
        let content = || connected.twin.message(reply).unwrap()["content"].as_str().unwrap().to_owned();
        assert_eq!(content(), format!("{wrote}\n{}", label()));
        assert_eq!(choose(&connected, HIDE_JSON, reply, USER_ID + 1).await, said!("reply-not-theirs"));

        assert_eq!(choose(&connected, HIDE_JSON, reply, by).await, said!("hide-json-done"));
        assert_eq!(content(), format!("Hello there.\n{}\n-# {}", label(), said!("hide-json-line")));
        assert_eq!(choose(&connected, HIDE_JSON, reply, by).await, said!("hide-json-none"));
        assert_eq!(model.asked().len(), 1);
        assert_eq!(connected.twin.refused(), []);
    }
}

/// H5: what the bot's own menu commands do at Discord was in nobody's share.
#[tokio::test(flavor = "multi_thread")]
async fn h5_a_question_that_is_looked_up_again_holds_its_persons_share_of_slots() {
    const SHARE: usize = 16;
    let (connected, _model) = connect(1).await;
    let question = connected.twin.say(Message::to_bot("one"));
    let reply = answer(&connected, 1).await;
    choose(&connected, DELETE_REPLY, reply, USER_ID + 1).await;
    let path = format!("/channels/{CHANNEL_ID}/messages/{question}");
    connected.twin.delay("GET", &path, PATIENCE);
    let sent: Vec<_> = (0..SHARE).map(|_| connected.twin.interact(Interaction::on_message(ASK_AGAIN, reply))).collect();
    for sent in sent {
        let callback = connected.twin.callback_to(&sent, PATIENCE).await.unwrap();
        assert_eq!(callback.body["type"], 5, "its answer is put off");
    }
    let one_more = connected.answer(Interaction::on_message(ASK_AGAIN, reply)).await;
    assert_eq!(one_more.text(), said!("closed-busy", what = said!("closed-command", command = ASK_AGAIN)));
    let other = connected.answer(Interaction::slash("help").by(USER_ID + 1)).await;
    assert!(other.text().contains("/help"), "{}", other.text());
}
