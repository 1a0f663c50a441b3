//! Threads for conversations: opened by `/thread`, and by a mention where `[chat.places]` says so.

use std::time::Duration;

use discord_twin::{BOT_ID, CHANNEL_ID, Fault, GUILD_ID, Interaction, Message, Options, Recorded, Twin, USER_ID};
use serde_json::{Value, json};

use crate::discord::chat::talking::{connect_to_model, on_reply, shown_since};
use crate::discord::commands::later::events::intents;
use crate::discord::connected::{Connected, connect_in, connect_to};
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::said::{said, says, without_asker};
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::contract::ASK_AGAIN;

/// Create Public Threads, and Send Messages in Threads.
const MAY_OPEN: u64 = 1 << 35 | 1 << 38;

async fn connect_with(more: &str) -> (Connected, ScriptedModel) {
    let scripts = (1..=4).map(|n| Script::says(&format!("Answer {n}."))).collect();
    connect_to_model(scripts, more).await
}

/// The same where the application has the Message Content intent.
async fn connect_with_content(more: &str) -> (Connected, ScriptedModel) {
    let model = ScriptedModel::start((1..=4).map(|n| Script::says(&format!("Answer {n}."))).collect()).await;
    let twin = Twin::start_with(Options { message_content_allowed: true, ..Options::default() }).await.unwrap();
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n{more}", model.base_url());
    let connected = connect_to(twin, &config).await;
    connected.bot.hears(&["commands at Discord"]);
    (connected, model)
}

const MESSAGE_CONTENT: u64 = 1 << 15;

/// How often the bot asked what this channel is.
fn n_lookups(connected: &Connected, channel: u64) -> usize {
    let path = format!("/channels/{channel}");
    connected.twin.requests().iter().filter(|request| request.method == "GET" && request.path == path).count()
}

/// Another channel of the guild.
const ELSEWHERE: u64 = CHANNEL_ID + 20;

fn threads_everywhere() -> String {
    format!("[chat.places.{GUILD_ID}]\nthread = true\n")
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

/// The thread that `/thread` opens.
async fn thread_of_command(connected: &Connected) -> u64 {
    let answer = connected.answer(Interaction::slash("thread").permissions(MAY_OPEN)).await.text();
    answer.split("<#").nth(1).and_then(|rest| rest.split('>').next()).unwrap().parse().unwrap()
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
    let (connected, model) = connect_with(&threads_everywhere()).await;
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
    let settings = format!("[chat]\nthread = true\n[chat.places.\"{ELSEWHERE}\"]\nthread = false\n");
    let (connected, _model) = connect_with(&settings).await;
    let missing = json!({ "message": "Missing Permissions", "code": 50013 });
    let path = format!("/channels/{CHANNEL_ID}/messages/");
    connected.twin.fail_next(Fault::new("POST", &path).status(403).body(missing));
    let (_, reply) = ask(&connected, 1, Message::to_bot("hi")).await;
    assert_eq!(channel(&reply), CHANNEL_ID);
    connected.bot.hears(&["no thread opened"]);
    // A reply to it goes on there, although Discord's ping makes it a mention as well.
    let to_reply = Message::to_bot("and then?").replying_to_message(reply.message_id().unwrap());
    let (_, reply) = ask(&connected, 2, to_reply).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (CHANNEL_ID, 1));
    // Where the nearest place says no, none is opened.
    let (_, reply) = ask(&connected, 3, Message::to_bot("hi").in_channel(ELSEWHERE)).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (ELSEWHERE, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn none_is_opened_in_which_the_answer_would_be_a_refusal() {
    let narrowed = format!("[chat.access]\nchannels = [\"{CHANNEL_ID}\"]\n[chat.places.{GUILD_ID}]\nthread = true\n");
    let (connected, _model) = connect_with(&narrowed).await;
    let (_, reply) = ask(&connected, 1, Message::to_bot("hi")).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (CHANNEL_ID, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn none_is_opened_without_a_budget_for_what_is_said_in_it() {
    for limit in
        ["[chat.budget]\nperson_turns = 1\n".to_owned(), format!("[chat.places.{CHANNEL_ID}]\nday_turns = 1\n")]
    {
        let (connected, _model) = connect_with(&format!("[chat]\nthread = true\n{limit}")).await;
        let (first, reply) = ask(&connected, 1, Message::to_bot("hi")).await;
        assert_eq!(channel(&reply), first);
        let refused = connected.reply(Message::to_bot("and now?")).await;
        assert!(refused.text().contains("It resets"), "{}", refused.text());
        let of_command = connected.answer(Interaction::slash("thread").permissions(MAY_OPEN)).await.text();
        assert!(of_command.contains("It resets") && !of_command.contains('✓'), "{of_command}");
        assert_eq!((channel(&refused), opened(&connected).len()), (CHANNEL_ID, 1), "{limit}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn none_is_opened_by_command_for_whoever_may_not_talk_in_it() {
    let cases = [
        ("users = [\"5\"]".to_owned(), said!("chat-denied-person")),
        (format!("channels = [\"{CHANNEL_ID}\"]"), said!("chat-denied-place")),
    ];
    for (access, why) in cases {
        let (connected, _model) = connect_with(&format!("[chat.access]\n{access}\n")).await;
        let answer = connected.answer(Interaction::slash("thread").permissions(MAY_OPEN)).await.text();
        assert!(says(&answer, said!("thread-mute", why = why)), "{answer}");
        assert_eq!(opened(&connected), [Value::Null; 0], "{access}");
    }
}

/// Discord lets a bot open a thread in which it may say nothing.
#[tokio::test(flavor = "multi_thread")]
async fn none_stays_empty_because_the_bot_may_not_write_in_it() {
    let (connected, _model) = connect_with(&threads_everywhere()).await;
    connected.twin.deny(CHANNEL_ID, 1 << 38);
    let (_, reply) = ask(&connected, 1, Message::to_bot("hi")).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (CHANNEL_ID, 0));
    let answer = connected.answer(Interaction::slash("thread").permissions(MAY_OPEN)).await.text();
    assert!(says(&answer, said!("thread-forbidden")), "{answer}");
    assert_eq!(opened(&connected).len(), 0);

    // What it may do is not known: then the question's channel tells what became of the answer.
    connected.twin.fail_next(Fault::new("GET", &format!("/guilds/{GUILD_ID}/members/{BOT_ID}")));
    let n = connected.twin.n_requests();
    let thread = connected.twin.say(Message::to_bot("and now?"));
    let told = shown_since(&connected, n, &said!("thread-not-written", thread = format!("<#{thread}>"))).await;
    assert_eq!((channel(&told), opened(&connected).len()), (CHANNEL_ID, 1));
    assert_eq!(told.message()["message_reference"]["message_id"], json!(thread.to_string()));
    connected.bot.hears(&["could not send a message"]);
    connected._log.may_hold_refused();
}

/// The turn does not know of a question before its thread is there.
#[tokio::test(flavor = "multi_thread")]
async fn what_becomes_of_a_question_while_its_thread_is_opened_counts() {
    let (connected, model) = connect_with(&threads_everywhere()).await;
    let is_opening = |request: &Recorded| request.method == "POST" && request.path.ends_with("/threads");
    connected.twin.delay("POST", &format!("/channels/{CHANNEL_ID}/messages/"), Duration::from_secs(1));
    let opening = async |message: Message| {
        let n = connected.twin.n_requests();
        let id = connected.twin.say(message);
        let asked = connected.twin.wait_for(PATIENCE, |request| n <= request.n && is_opening(request)).await;
        assert!(asked.is_some(), "{}", connected.bot.log());
        id
    };
    let deleted = opening(Message::to_bot("never mind this")).await;
    connected.twin.delete_message(deleted);
    let turned = opening(Message::to_bot("add milk")).await;
    connected.twin.edit_message(turned, &format!("<@{BOT_ID}> /tasks add title: milk"));
    let edited = opening(Message::to_bot("the wether?")).await;
    connected.twin.edit_message(edited, &format!("<@{BOT_ID}> the weather?"));
    let reply = shown_since(&connected, 0, "Answer 1.").await;
    assert_eq!((channel(&reply), model.asked().len()), (edited, 1));
    let asked = model.asked()[0].body["messages"][1]["content"].as_str().unwrap().to_owned();
    assert_eq!(without_asker(&asked), "the weather?");
    assert!(connected.answer(Interaction::slash("tasks").subcommand("list")).await.text().contains("Nothing is open."));
    // A question that is gone before its thread could begin with it.
    connected.twin.fail_next(
        Fault::new("POST", &format!("/channels/{CHANNEL_ID}/messages/")).status(404).code(10_008, "Unknown Message"),
    );
    opening(Message::to_bot("gone")).await;
    connected.bot.hears(&["no thread opened"]);
    let (_, reply) = ask(&connected, 2, Message::to_bot("still there?")).await;
    assert!(model.asked().len() == 2 && reply.text().contains("Answer 2."), "{}", model.asked().len());
}

/// What Discord answers comes too late, or is lost: the thread stands there all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_thread_that_was_opened_without_an_answer_is_used() {
    let (connected, _model) = connect_with(&threads_everywhere()).await;
    let path = format!("/channels/{CHANNEL_ID}/messages/");
    connected.twin.fail_next(Fault::new("POST", &path).status(500).carried_out());
    let (first, reply) = ask(&connected, 1, Message::to_bot("hi")).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (first, 1));

    connected.twin.delay("POST", &path, Duration::from_secs(8));
    let (second, reply) = ask(&connected, 2, Message::to_bot("how do I bake bread?")).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (second, 2));

    // Where there really is none, it is answered where it was said.
    connected.twin.clear_faults();
    connected.twin.fail_next(Fault::new("POST", &path).status(500));
    let (_, reply) = ask(&connected, 3, Message::to_bot("and cake?")).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (CHANNEL_ID, 3));
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_that_another_process_opened_for_the_message_is_used() {
    let (connected, _model) = connect_with(&threads_everywhere()).await;
    let there = Fault::new("POST", &format!("/channels/{CHANNEL_ID}/messages/")).status(400);
    connected.twin.fail_next(there.code(160_004, "A thread has already been created for this message").carried_out());
    let (first, reply) = ask(&connected, 1, Message::to_bot("hi")).await;
    assert_eq!((channel(&reply), opened(&connected).len()), (first, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_of_a_channel_for_announcements_has_a_type_of_its_own() {
    let (connected, _model) = connect_with("[chat]\nthread = true\n").await;
    connected.twin.set_channel_type(ELSEWHERE, 5);
    let thread = Interaction::slash("thread").permissions(MAY_OPEN).in_guild(GUILD_ID, ELSEWHERE);
    let answer = connected.answer(thread).await.text();
    assert!(answer.contains("<#") && answer.contains("✓ /thread"), "{answer}");
    assert_eq!(opened(&connected)[0]["type"], json!(10));
    let (first, reply) = ask(&connected, 1, Message::to_bot("hi").in_channel(ELSEWHERE)).await;
    assert_eq!(channel(&reply), first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_opens_a_thread_for_those_who_may() {
    let (connected, _model) = connect_with("").await;
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
        assert!(says(&answer, &expected) && !answer.contains('✓'), "{expected}\n{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_its_own_thread_the_bot_answers_the_person_for_whom_it_opened_it() {
    let (connected, model) = connect_with_content(&threads_everywhere()).await;
    assert_eq!(intents(&connected.twin) & MESSAGE_CONTENT, MESSAGE_CONTENT);
    let (first, _) = ask(&connected, 1, Message::to_bot("how do I bake bread?")).await;
    // Somebody else needs a mention there, and everybody does in a channel and in a thread of a person.
    connected.twin.say(Message::text("I bake cake").by(77).in_channel(first));
    connected.twin.open_thread(ELSEWHERE + 1, CHANNEL_ID, "Plans");
    for _ in 0..3 {
        connected.twin.say(Message::text("who has flour?").in_channel(ELSEWHERE));
        connected.twin.say(Message::text("who has flour?").in_channel(ELSEWHERE + 1));
    }
    let (_, reply) = ask(&connected, 2, Message::text("and how long?").in_channel(first)).await;
    assert_eq!((channel(&reply), model.asked().len()), (first, 2));
    let (_, reply) = ask(&connected, 3, Message::to_bot("and cake?").by(77).in_channel(first)).await;
    assert_eq!((channel(&reply), model.asked().len()), (first, 3));
    assert_eq!(n_lookups(&connected, ELSEWHERE), 1, "Discord is asked once for each channel");

    // The same in a thread that a command opened.
    let thread = thread_of_command(&connected).await;
    connected.twin.say(Message::text("not for me").by(77).in_channel(thread));
    let (_, reply) = ask(&connected, 4, Message::text("hello there").in_channel(thread)).await;
    assert_eq!((channel(&reply), model.asked().len()), (thread, 4));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_of_a_thread_is_known_after_a_restart_by_the_message_that_it_begins_with() {
    let (connected, model) = connect_with_content(&threads_everywhere()).await;
    let (first, _) = ask(&connected, 1, Message::to_bot("how do I bake bread?")).await;
    let Connected { bot, twin, folder, .. } = connected;
    bot.stop();
    let connected = connect_in(folder, twin).await;
    let (_, reply) = ask(&connected, 2, Message::text("and how long?").in_channel(first)).await;
    assert_eq!((channel(&reply), model.asked().len()), (first, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_of_a_thread_of_the_command_is_known_after_a_restart_by_the_bots_first_message() {
    let (connected, model) = connect_with_content("").await;
    let thread = thread_of_command(&connected).await;
    let first = format!("/channels/{thread}/messages");
    let first = connected.twin.requests().into_iter().find(|request| request.path == first).unwrap();
    let names = said!("thread-owner", person = format!("<@{USER_ID}>"));
    assert!(says(first.text(), &names), "{}", first.text());
    assert_eq!(first.message()["allowed_mentions"]["parse"], json!([]), "it pings nobody");

    let Connected { bot, twin, folder, _log } = connected;
    bot.stop();
    // The thread does not begin with a message, which the bot learns by a refusal.
    _log.may_hold_refused();
    let connected = connect_in(folder, twin).await;
    connected.twin.say(Message::text("not for the bot").by(77).in_channel(thread));
    let (_, reply) = ask(&connected, 1, Message::text("hello there").in_channel(thread)).await;
    assert_eq!((channel(&reply), model.asked().len()), (thread, 1));
    let (_, reply) = ask(&connected, 2, Message::text("and again").in_channel(thread)).await;
    assert_eq!(channel(&reply), thread);
    let is_look =
        |request: &&Recorded| request.method == "GET" && request.path == format!("/channels/{thread}/messages");
    assert_eq!(connected.twin.requests().iter().filter(is_look).count(), 1, "it is read once");
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_answered_in_its_own_threads_is_set() {
    let all = format!("[chat]\nown_threads = \"all\"\n{}", threads_everywhere());
    let (connected, model) = connect_with_content(&all).await;
    let (first, _) = ask(&connected, 1, Message::to_bot("how do I bake bread?")).await;
    let (_, reply) = ask(&connected, 2, Message::text("I bake cake").by(77).in_channel(first)).await;
    assert_eq!((channel(&reply), model.asked().len()), (first, 2));

    let none = format!("[chat]\nown_threads = \"mention\"\n{}", threads_everywhere());
    let (connected, model) = connect_with_content(&none).await;
    assert_eq!(intents(&connected.twin) & MESSAGE_CONTENT, 0);
    let (first, _) = ask(&connected, 1, Message::to_bot("how do I bake bread?")).await;
    connected.twin.say(Message::text("and how long?").in_channel(first));
    ask(&connected, 2, Message::to_bot("and now?").in_channel(first)).await;
    assert_eq!(model.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_channel_is_one_with_its_threads_and_posts() {
    let config = format!("[chat]\nchannels = [\"{CHANNEL_ID}\"]\nown_threads = \"mention\"\n");
    let (connected, model) = connect_with_content(&config).await;
    connected.twin.open_thread(ELSEWHERE, CHANNEL_ID, "Plans");
    let (_, reply) = ask(&connected, 1, Message::text("hello").by(77).in_channel(ELSEWHERE)).await;
    assert_eq!((channel(&reply), model.asked().len()), (ELSEWHERE, 1));
    connected.twin.say(Message::text("not for you").in_channel(ELSEWHERE + 1));
    let (_, reply) = ask(&connected, 2, Message::text("hello").by(USER_ID)).await;
    assert_eq!((channel(&reply), model.asked().len()), (CHANNEL_ID, 2));
    let checked = String::from_utf8(connected.folder.run(&["check"]).stdout).unwrap();
    assert!(checked.contains("`[chat] channels` needs Discord's Message Content intent"), "{checked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_intent_its_own_threads_need_a_mention_unless_a_setting_asks_for_more() {
    let (connected, model) = connect_with(&threads_everywhere()).await;
    connected.bot.hears(&["the Message Content intent is not enabled", "own_threads"]);
    assert_eq!(intents(&connected.twin) & MESSAGE_CONTENT, 0);
    let (first, _) = ask(&connected, 1, Message::to_bot("how do I bake bread?")).await;
    connected.twin.say(Message::text("and how long?").in_channel(first));
    ask(&connected, 2, Message::to_bot("and now?").in_channel(first)).await;
    assert_eq!(model.asked().len(), 2);

    let folder =
        Folder::with("[model]\nbase_url = \"http://127.0.0.1:9\"\nmodels = [\"m\"]\n[chat]\nown_threads = \"owner\"\n");
    let mut bot = Bot::start(&folder, &connected.twin.url());
    bot.hears(&["Message Content intent is not enabled", "own_threads"]);
    assert_eq!(bot.wait().code(), Some(78));
}
