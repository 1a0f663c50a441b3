//! Threads for conversations: opened by `/thread`, and by a mention where `[chat.places]` says so.

use discord_twin::{CHANNEL_ID, Fault, GUILD_ID, Interaction, Message, Recorded};
use serde_json::{Value, json};

use crate::discord::chat::talking::{connect_to_model, on_reply, shown_since};
use crate::discord::connected::{Connected, connect};
use crate::support::said::said;
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::contract::ASK_AGAIN;

/// Create Public Threads, and Send Messages in Threads.
const MAY_OPEN: u64 = 1 << 35 | 1 << 38;

async fn connect_with(more: &str) -> (Connected, ScriptedModel) {
    let scripts = (1..=4).map(|n| Script::says(&format!("Answer {n}."))).collect();
    connect_to_model(scripts, more).await
}

/// Says something, and returns the message's id and the reply.
async fn ask(connected: &Connected, n_answer: usize, message: Message) -> (u64, Recorded) {
    let n = connected.twin.n_requests();
    let id = connected.twin.say(message);
    (id, shown_since(connected, n, &format!("Answer {n_answer}.")).await)
}

/// The channel in which a reply stands.
fn channel(reply: &Recorded) -> u64 {
    let mut parts = reply.path.split('/').skip_while(|part| *part != "channels");
    parts.nth(1).unwrap().parse().unwrap()
}

/// The bodies of the requests that open a thread.
fn opened(connected: &Connected) -> Vec<Value> {
    let requests = connected.twin.requests();
    let opening = requests.iter().filter(|request| request.method == "POST" && request.path.ends_with("/threads"));
    opening.map(|request| request.body.clone()).collect()
}

fn n_messages(asked: &Value) -> usize {
    asked["messages"].as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mention_is_answered_in_a_thread_of_its_own_where_the_place_says_so() {
    let (connected, model) = connect_with(&format!("[chat.places.{GUILD_ID}]\nthread = true\n")).await;
    let (first, reply) = ask(&connected, 1, Message::to_bot("how do I bake bread?\nWith rye.")).await;
    // Discord gives it the id of the message above it.
    assert_eq!(channel(&reply), first);
    assert_eq!(opened(&connected), [json!({ "name": "how do I bake bread?", "auto_archive_duration": 1440 })]);
    assert_eq!(reply.message().get("message_reference"), None, "the question stands in another channel");

    // In the thread the conversation goes on, and no further one is opened.
    let (_, reply) = ask(&connected, 2, Message::to_bot("and how long?").in_channel(first)).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (first, 1));
    assert_eq!(n_messages(&model.asked()[1].body), n_messages(&model.asked()[0].body) + 2);

    // Another mention begins another conversation.
    let (second, reply) = ask(&connected, 3, Message::to_bot("what is the weather?")).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (second, 2));
    assert_eq!(n_messages(&model.asked()[2].body), n_messages(&model.asked()[0].body));

    // What is asked again in a thread is the question above it, and it is answered in the thread.
    let (n, reply) = (connected.twin.n_requests(), reply.message_id().unwrap());
    on_reply(&connected, || Interaction::on_message(ASK_AGAIN, reply).in_guild(GUILD_ID, second)).await;
    assert_eq!(channel(&shown_since(&connected, n, "Answer 4.").await), second);
    assert!(model.asked()[3].body["messages"].to_string().contains("what is the weather?"));

    // A typed command is answered where it stands.
    let n = connected.twin.n_requests();
    connected.twin.say(Message::to_bot("/status"));
    let answer = shown_since(&connected, n, "✓ /status").await;
    assert_eq!((channel(&answer), opened(&connected).len()), (CHANNEL_ID, 2));
    // The question is looked for in the thread first: in a forum it stands there.
    assert!(connected.twin.refused().iter().all(|request| request.method == "GET"), "{:#?}", connected.twin.refused());
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_thread_a_mention_is_answered_in_its_channel() {
    let places =
        format!("[chat.places.{GUILD_ID}]\nthread = true\n[chat.places.\"{}\"]\nthread = false\n", CHANNEL_ID + 20);
    let (connected, _model) = connect_with(&places).await;
    let missing = json!({ "message": "Missing Permissions", "code": 50013 });
    let path = format!("/channels/{CHANNEL_ID}/messages/");
    connected.twin.fail_next(Fault::new("POST", &path).status(403).body(missing));
    let (_, reply) = ask(&connected, 1, Message::to_bot("hi")).await;
    assert_eq!(channel(&reply), CHANNEL_ID);
    connected.bot.hears(&["no thread was opened"]);
    // A reply to it goes on there, although Discord's ping makes it a mention as well.
    let to_reply = Message::to_bot("and then?").replying_to_message(reply.message_id().unwrap());
    let (_, reply) = ask(&connected, 2, to_reply).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (CHANNEL_ID, 1));
    // Where the nearest place says no, none is opened.
    let (_, reply) = ask(&connected, 3, Message::to_bot("hi").in_channel(CHANNEL_ID + 20)).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (CHANNEL_ID + 20, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn none_is_opened_in_which_the_answer_would_be_a_refusal() {
    let narrowed = format!("[chat.access]\nchannels = [\"{CHANNEL_ID}\"]\n[chat.places.{GUILD_ID}]\nthread = true\n");
    let (connected, _model) = connect_with(&narrowed).await;
    let (_, reply) = ask(&connected, 1, Message::to_bot("hi")).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (CHANNEL_ID, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_opens_a_thread_for_those_who_may() {
    let connected = connect("").await;
    connected.bot.hears(&["commands at Discord"]);
    let thread = || Interaction::slash("thread").permissions(MAY_OPEN);

    let answer = connected.answer(thread().option("title", "Bread\nand  butter")).await.text();
    let [opening] = &opened(&connected)[..] else { panic!("{:?}", opened(&connected)) };
    assert_eq!(opening, &json!({ "name": "Bread and butter", "auto_archive_duration": 1440, "type": 11 }));
    assert!(answer.contains("<#") && answer.contains("✓ /thread"), "{answer}");

    let refused = json!({ "message": "Missing Permissions", "code": 50013 });
    let path = format!("/channels/{CHANNEL_ID}/threads");
    let cases = [
        (Interaction::slash("thread").permissions(1 << 38), None, said!("thread-not-allowed")),
        (thread(), Some(Fault::new("POST", &path)), said!("thread-failed")),
        // Last: the bot does not ask again for a while what was forbidden.
        (thread(), Some(Fault::new("POST", &path).status(403).body(refused)), said!("thread-forbidden")),
    ];
    for (interaction, fault, expected) in cases {
        fault.into_iter().for_each(|fault| connected.twin.fail_next(fault));
        let answer = connected.answer(interaction).await.text();
        assert!(crate::support::said::says(&answer, &expected) && !answer.contains('✓'), "{expected}\n{answer}");
    }
}
