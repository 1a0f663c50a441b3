//! One turn at a time in each conversation: what becomes of messages that arrive during a turn.

use std::time::Duration;

use discord_twin::{BOT_ID, CHANNEL_ID, Interaction, Message, Recorded, USER_ID};
use serde_json::json;

use crate::support::bot::PATIENCE;
use crate::support::inside::Inside;
use crate::support::said::{assert_says, label, said, says};

/// Says something, and waits until the bot has taken it in: it types where it will answer, and has stored something
/// that came later. Returns the number of the next request, and the id of the message.
async fn say(bot: &Inside, message: Message) -> (u64, u64) {
    let n = bot.twin.n_requests();
    let id = bot.twin.say(message);
    let typed = |request: &Recorded| n <= request.n && request.path.ends_with("/typing");
    assert!(bot.twin.wait_for(PATIENCE, typed).await.is_some());
    bot.answer(Interaction::slash("tasks").subcommand("add").option("title", "milk")).await;
    (n, id)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_arrives_during_a_turn_is_one_turn_after_it() {
    let mut bot = Inside::start("").await;
    let (n, _) = say(&bot, Message::to_bot("one")).await;
    let page = bot.pages.next().await;
    let mut last = 0;
    for words in ["two", "three", "four"] {
        (_, last) = say(&bot, Message::to_bot(words)).await;
    }
    // Somebody else's conversation does not wait.
    bot.say(Message::to_bot("and I?").by(USER_ID + 1));
    let other = bot.pages.next().await;
    assert_says(other.asked(), "and I?");
    assert!(bot.pages.is_idle());

    page.writes("First.");
    page.ends();
    bot.shows(n, &format!("First.\n{}", label())).await;
    let page = bot.pages.next().await;
    assert_says(page.asked(), "two\nthree\nfour");
    assert!(format!("{:?}", page.shown).contains("First."), "{:?}", page.shown);
    page.writes("All the rest.");
    page.ends();
    let reply = bot.shows(n, &format!("All the rest.\n{}", label())).await;
    let is_reply = |request: &Recorded| request.message_id() == reply.message_id() && request.method == "POST";
    let sent = bot.twin.requests().into_iter().find(is_reply).unwrap();
    assert_eq!(sent.body["message_reference"]["message_id"], json!(last.to_string()));
    other.ends();

    // The conversation is idle again.
    bot.say(Message::to_bot("five"));
    assert_says(bot.pages.next().await.asked(), "five");
    assert_eq!(bot.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_much_to_wait_is_left_out_and_its_person_told_once() {
    let mut bot = Inside::start("").await;
    say(&bot, Message::to_bot("one")).await;
    let page = bot.pages.next().await;
    say(&bot, Message::to_bot("short")).await;
    let too_much = said!("chat-too-much", messages = 10, characters = 8_000);
    let n = bot.twin.n_requests();
    for _ in 0..5 {
        say(&bot, Message::to_bot(&"y".repeat(1_990))).await;
    }
    bot.shows(n, &too_much).await;
    page.writes("Done.");
    page.ends();
    let page = bot.pages.next().await;
    assert!(page.asked().contains("short") && page.asked().chars().count() <= 8_100, "{}", page.asked());
    let told = bot.twin.requests().into_iter().filter(|request| says(request.text(), &too_much));
    assert_eq!(told.count(), 1);
}

/// No turn knows of a message while the bot asks Discord what its channel belongs to.
#[tokio::test(flavor = "multi_thread")]
async fn what_becomes_of_a_message_while_its_channel_is_looked_up_counts() {
    let mut bot = Inside::start("[chat.places.\"5\"]\nsystem = \"Be brief.\"\n").await;
    bot.twin.delay("GET", "/channels/", Duration::from_millis(500));
    let looked_up = async |channel: u64, words: &str| {
        let id = bot.twin.say(Message::to_bot(words).in_channel(channel));
        let path = format!("/channels/{channel}");
        let asked = bot.twin.wait_for(PATIENCE, |request| request.method == "GET" && request.path == path).await;
        assert!(asked.is_some());
        id
    };
    // The channel of all other tests is known from the start on.
    let deleted = looked_up(CHANNEL_ID + 30, "never mind this").await;
    bot.twin.delete_message(deleted);
    let edited = looked_up(CHANNEL_ID + 20, "the wether?").await;
    bot.twin.edit_message(edited, &format!("<@{BOT_ID}> the weather?"));
    let page = bot.pages.next().await;
    assert_says(page.asked(), "the weather?");
    page.ends();
    // The channel of the first one is known by now.
    bot.say(Message::to_bot("and now?").in_channel(CHANNEL_ID + 30));
    assert_says(bot.pages.next().await.asked(), "and now?");
}

#[tokio::test(flavor = "multi_thread")]
async fn clearing_ends_the_turn_that_runs_and_nothing_of_it_comes_back() {
    let mut bot = Inside::start("").await;
    let (n, _) = say(&bot, Message::to_bot("the word is swordfish")).await;
    let page = bot.pages.next().await;
    page.writes("I remember: swordfish");
    let growing = bot.shows(n, "I remember: swordfish").await;
    say(&bot, Message::to_bot("and the number is 7")).await;

    let cleared = bot.answer(Interaction::slash("clear")).await;
    assert_says(cleared.text(), format!("{} {}", said!("clear-ended"), said!("clear-nothing")));
    page.is_given_up().await;
    let ended = bot.shows(n, &said!("note-cleared")).await;
    assert_eq!(ended.message_id(), growing.message_id());
    assert!(!says(ended.text(), said!("button-go-on")), "{}", ended.text());
    assert!(bot.pages.is_idle(), "what waited is forgotten as well");

    bot.say(Message::to_bot("what was the word?"));
    let page = bot.pages.next().await;
    let shown = format!("{:?}", page.shown);
    assert!(!shown.contains("swordfish") && !shown.contains("number"), "{shown}");
    // Without a turn that runs, nothing is said of one.
    page.writes("I do not know.");
    page.ends();
    bot.shows(n, &format!("I do not know.\n{}", label())).await;
    let cleared = bot.answer(Interaction::slash("clear")).await;
    assert_eq!(cleared.message()["embeds"][0]["description"], said!("clear-done", n = 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_when_the_bot_leaves_is_told_so_and_what_runs_is_finished() {
    let mut bot = Inside::start("").await;
    let (n, _) = say(&bot, Message::to_bot("one")).await;
    let page = bot.pages.next().await;
    say(&bot, Message::to_bot("two")).await;
    bot.leave();
    bot.shows(n, &said!("closed-restarting", what = said!("closed-message"))).await;
    page.writes("Goodbye.");
    page.ends();
    bot.has_left().await;
    bot.shows(n, &format!("Goodbye.\n{}", label())).await;
    assert!(bot.pages.is_idle());
    assert_eq!(bot.twin.refused(), []);
}
