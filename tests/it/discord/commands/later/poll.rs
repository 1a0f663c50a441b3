//! `/poll`, by the real binary against the twin: everybody votes with the same buttons, and it ends once.

use discord_twin::{CHANNEL_ID, Fault, Interaction, Message, Recorded, Twin, USER_ID};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::discord::connected::{Connected, connect, connect_in};
use crate::support::bot::{Folder, PATIENCE};
use crate::support::said::said;

const BEN: u64 = USER_ID + 1;
const CLEO: u64 = USER_ID + 2;
const BLOCKED: u64 = USER_ID + 3;

/// A message with a poll: its id and its buttons.
struct Shown {
    message: u64,
    buttons: Vec<String>,
}

impl Shown {
    fn press(&self, answer: usize, by: u64) -> Interaction {
        Interaction::press(self.message, &self.buttons[answer - 1]).by(by)
    }
}

/// The poll "Lunch?" of [`USER_ID`]: "pizza | salad".
async fn asked(connected: &Connected) -> Shown {
    let ask = Interaction::slash("poll").subcommand("ask").option("question", "Lunch?");
    let sent = connected.twin.interact(ask.option("answers", "pizza | salad").option("for", "1h"));
    let answer = connected.twin.answer_to(&sent, PATIENCE).await;
    assert!(answer.is_some_and(|answer| !answer.is_ephemeral()), "no poll; log:\n{}", connected.bot.log());
    remembered(connected, connected.twin.original_of(&sent).unwrap())
}

/// A poll's message, once the bot has noted that the last answer about the poll replaces it.
fn remembered(connected: &Connected, message: Value) -> Shown {
    let id = message["id"].as_str().unwrap();
    connected.bot.hears(&["will replace a message", id]);
    let row = message["components"][0]["components"].as_array().unwrap();
    let buttons = row.iter().map(|button| button["custom_id"].as_str().unwrap().to_owned()).collect();
    Shown { message: id.parse().unwrap(), buttons }
}

/// Waits until the poll's message shows the result, without buttons.
async fn shows_the_result(connected: &Connected, poll: &Shown) {
    let message = || connected.twin.message(poll.message).unwrap();
    let is_closed = || {
        let title = message()["embeds"][0]["title"].as_str().unwrap().to_owned();
        (title.contains("closed") && message()["components"] == json!([])).then_some(())
    };
    let shown = connected.twin.wait_until(PATIENCE, is_closed).await;
    assert!(shown.is_some(), "{:#}\n{}", message(), connected.bot.log());
}

/// The votes for each answer, as a text shows them.
fn counts(text: &str) -> Vec<usize> {
    let lines = text.lines().filter(|line| line.contains(" % · "));
    lines.map(|line| line.split_once("` ").unwrap().1.split(' ').next().unwrap().parse().unwrap()).collect()
}

/// The votes that the poll's message shows now.
fn shown(connected: &Connected, poll: &Shown) -> Vec<usize> {
    counts(connected.twin.message(poll.message).unwrap()["embeds"][0]["description"].as_str().unwrap())
}

async fn vote(connected: &Connected, poll: &Shown, answer: usize, by: u64) -> Vec<usize> {
    let update = connected.answer(poll.press(answer, by)).await;
    assert_eq!(update.body["type"], json!(7), "the message is shown anew: {}", update.text());
    shown(connected, poll)
}

fn database(folder: &Folder) -> Connection {
    Connection::open(folder.path().join("data/candor.db")).unwrap()
}

/// What is kept of people about polls.
fn n_of_people(folder: &Folder) -> i64 {
    let of_people = "SELECT count(*) FROM records WHERE module = 'poll' AND scope LIKE '%/user:%'";
    database(folder).query_row(of_people, (), |row| row.get(0)).unwrap()
}

/// The results that were sent at their time.
fn results(twin: &Twin) -> Vec<Recorded> {
    let is_result = |request: &Recorded| {
        let is_message = request.method == "POST" && request.path == format!("/channels/{CHANNEL_ID}/messages");
        is_message && request.text().contains("Most votes")
    };
    twin.requests().into_iter().filter(is_result).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_votes_with_the_same_buttons_with_their_own_rights_and_receipts() {
    let connected = connect(&format!("[access]\nblocked = [{BLOCKED}]\n")).await;
    let poll = asked(&connected).await;
    assert_eq!(vote(&connected, &poll, 1, USER_ID).await, [1, 0]);
    assert_eq!(vote(&connected, &poll, 2, BEN).await, [1, 1]);
    assert_eq!(vote(&connected, &poll, 1, BEN).await, [2, 0], "it moved");
    // The buttons are still those of the first message, though others were signed since.
    assert_eq!(vote(&connected, &poll, 1, USER_ID).await, [1, 0], "it is taken back");
    assert_eq!(vote(&connected, &poll, 2, CLEO).await, [1, 1]);

    let refused = connected.answer(poll.press(1, BLOCKED)).await;
    assert_eq!((refused.text(), refused.is_ephemeral()), (said!("denied-blocked", command = "/poll vote"), true));
    assert_eq!((refused.body["type"].as_u64(), shown(&connected, &poll)), (Some(4), vec![1, 1]));

    // A vote has the receipt of whoever pressed.
    let receipts = connected.answer(Interaction::slash("receipt").option("page", 1).by(CLEO)).await;
    assert!(receipts.text().contains("/poll vote"), "{}", receipts.text());
    let close = |by| Interaction::slash("poll").subcommand("close").option("id", 1).by(by).permissions(0);
    let not_theirs = connected.answer(close(BEN)).await;
    assert!(not_theirs.text().contains("can be closed by whoever asked it"), "{}", not_theirs.text());
    let closed = connected.answer(close(USER_ID)).await;
    assert!(closed.text().contains("closed · 2 votes") && counts(&closed.text()) == [1, 1], "{}", closed.text());

    // A press that is late changes nothing and shows the result in the poll's place.
    let late = connected.answer(poll.press(1, CLEO)).await;
    assert_eq!(late.body["type"], json!(7));
    assert!(late.text().contains("closed · 2 votes") && counts(&late.text()) == [1, 1], "{}", late.text());
    assert_eq!(n_of_people(&connected.folder), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn votes_at_once_are_all_kept_and_each_person_has_one() {
    let connected = connect("").await;
    let poll = asked(&connected).await;
    let voters = USER_ID..USER_ID + 12;
    let sent: Vec<_> = voters.clone().map(|user| connected.twin.interact(poll.press(1, user))).collect();
    for press in &sent {
        let update = connected.twin.answer_to(press, PATIENCE).await.unwrap();
        assert_eq!(update.body["type"], json!(7), "{}", update.text());
    }
    let show = || Interaction::slash("poll").subcommand("show").option("id", 1);
    assert_eq!(counts(&connected.answer(show()).await.text()), [12, 0]);
    // One person for two answers at once: one of them stays.
    let both = [1, 2].map(|answer| connected.twin.interact(poll.press(answer, USER_ID + 50)));
    for press in &both {
        assert!(connected.twin.answer_to(press, PATIENCE).await.is_some());
    }
    let after = counts(&connected.answer(show()).await.text());
    assert_eq!(after.iter().sum::<usize>(), 13, "{after:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_poll_ends_once_at_its_time_also_after_a_restart() {
    let connected = connect("").await;
    let poll = asked(&connected).await;
    vote(&connected, &poll, 2, USER_ID).await;
    vote(&connected, &poll, 2, BEN).await;
    let Connected { bot, twin, folder, _log } = connected;
    assert!(bot.stop().success());

    // Its buttons work on.
    let connected = connect_in(folder, twin).await;
    assert_eq!(vote(&connected, &poll, 1, CLEO).await, [1, 2]);
    assert_eq!(results(&connected.twin).len(), 0);
    let Connected { bot, twin, folder, _log } = connected;
    assert!(bot.stop().success());

    // Its hour passes meanwhile.
    let passes = "UPDATE due_calls SET due_ms = due_ms - 3600000, next_ms = next_ms - 3600000";
    assert_eq!(database(&folder).execute(passes, ()).unwrap(), 1);
    let connected = connect_in(folder, twin).await;
    let told = connected.twin.wait_until(PATIENCE, || results(&connected.twin).into_iter().next()).await;
    let told = told.unwrap_or_else(|| panic!("no result; log:\n{}", connected.bot.log()));
    assert_eq!(told.body["content"], format!("<@{USER_ID}>"));
    assert!(told.text().contains("closed · 3 votes") && told.text().contains("Most votes: salad"), "{}", told.text());
    assert_eq!(counts(&told.text()), [1, 2]);
    shows_the_result(&connected, &poll).await;
    let late = connected.answer(poll.press(1, BEN)).await;
    assert!(late.text().contains("closed · 3 votes"), "{}", late.text());
    let Connected { bot, twin, folder, _log } = connected;
    assert!(bot.stop().success());

    let connected = connect_in(folder, twin).await;
    let again = connected.answer(Interaction::slash("poll").subcommand("show").option("id", 1)).await;
    assert_eq!((counts(&again.text()), results(&connected.twin).len()), (vec![1, 2], 1));
    assert_eq!(n_of_people(&connected.folder), 0, "votes are kept until the end alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_messages_of_a_poll_show_its_result_wherever_it_was_closed() {
    let connected = connect("").await;
    let poll = asked(&connected).await;
    vote(&connected, &poll, 1, BEN).await;
    let sent = connected.twin.interact(Interaction::slash("poll").subcommand("show").option("id", 1));
    connected.twin.answer_to(&sent, PATIENCE).await.unwrap();
    let shown_again = remembered(&connected, connected.twin.original_of(&sent).unwrap());
    let other = Interaction::slash("poll").subcommand("ask").option("question", "Dinner?");
    let other = connected.twin.interact(other.option("answers", "soup | bread"));
    connected.twin.answer_to(&other, PATIENCE).await.unwrap();
    let other = remembered(&connected, connected.twin.original_of(&other).unwrap());

    let closed = connected.reply(Message::to_bot("/poll close id: 1")).await;
    assert!(closed.text().contains("closed · 1 vote"), "{}", closed.text());
    shows_the_result(&connected, &poll).await;
    shows_the_result(&connected, &shown_again).await;
    assert_eq!(vote(&connected, &other, 2, BEN).await, [0, 1], "another poll stays open");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_answer_to_a_vote_does_not_replace_the_result() {
    let connected = connect("").await;
    let poll = asked(&connected).await;
    connected.twin.fail_next(Fault::rate_limited("POST", "/interactions/", 0.8));
    let vote = connected.twin.interact(poll.press(1, BEN));
    connected.bot.hears(&["command ran", "/poll vote"]);
    let closed = connected.reply(Message::to_bot("/poll close id: 1")).await;
    assert!(closed.text().contains("closed · 1 vote"), "{}", closed.text());
    assert!(connected.twin.answer_to(&vote, PATIENCE).await.unwrap().text().contains("Open until"));
    shows_the_result(&connected, &poll).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_answer_to_a_vote_does_not_replace_that_to_a_later_one() {
    let connected = connect("").await;
    let poll = asked(&connected).await;
    connected.twin.fail_next(Fault::rate_limited("POST", "/interactions/", 0.8));
    let first = connected.twin.interact(poll.press(1, BEN));
    connected.bot.hears(&["command ran", "/poll vote"]);
    let second = connected.twin.interact(poll.press(1, CLEO));
    for vote in [first, second] {
        assert!(connected.twin.answer_to(&vote, PATIENCE).await.is_some());
    }
    assert_eq!(shown(&connected, &poll), [2, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vote_goes_with_what_is_kept_of_its_person() {
    let connected = connect("").await;
    let poll = asked(&connected).await;
    vote(&connected, &poll, 1, BEN).await;
    vote(&connected, &poll, 1, CLEO).await;
    let kept = connected.answer(Interaction::slash("privacy").subcommand("show").by(BEN)).await;
    let kept: Value = serde_json::from_slice(&kept.files[0].bytes).unwrap();
    assert_eq!(kept["records"][0]["record"], json!({ "answer": 1 }), "{kept:#}");
    let erase = Interaction::slash("privacy").subcommand("erase").option("confirm", true).by(BEN);
    connected.answer(erase).await;
    let show = Interaction::slash("poll").subcommand("show").option("id", 1);
    assert_eq!(counts(&connected.answer(show).await.text()), [1, 0]);
    // Whoever erased a vote has one again, and not two.
    assert_eq!(vote(&connected, &poll, 2, BEN).await, [1, 1]);
}
