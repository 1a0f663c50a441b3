//! The commands as people use them, with records and later calls in memory.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use super::*;
use candor_core::contract::{DUE_CALLS_MAX, HostServices, Records as _, personal_scope};
use candor_core::inbound::{Caller, ChannelId, GuildId, Member, UserId};
use candor_core::reply::{Control, Thing};
use candor_core::testing::{self, InMemory, InMemoryCalls, said};

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };
const ELSEWHERE: Place = Place::Guild { guild: GuildId(9), channel: ChannelId(2) };
const ANN: u64 = 7;
const BOB: u64 = 8;

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

/// The module with what it keeps.
#[derive(Default)]
struct Polls {
    records: Arc<InMemory>,
    calls: Arc<InMemoryCalls>,
}

impl Polls {
    fn call(&self, user: u64) -> Call {
        self.call_at(user, HERE, now())
    }

    fn call_at(&self, user: u64, place: Place, now: SystemTime) -> Call {
        let host = HostServices {
            records: Some(self.records.clone()),
            time: Some(self.calls.clone()),
            ..HostServices::default()
        };
        let asked = [ServiceName::Records, ServiceName::Time];
        testing::call("poll", &host, &asked, Caller::new(UserId(user), "somebody"), place, now)
    }

    /// A poll that Ann asked: "tea | coffee".
    async fn asked() -> Self {
        let polls = Self::default();
        ask(new("What *now*?", "tea | coffee", Some("1h")), polls.call(ANN)).await.unwrap();
        polls
    }

    async fn vote(&self, user: u64, answer: usize) -> String {
        said(vote(Ballot { id: 1, answer }, self.call(user)).await)
    }

    /// What is kept of a person about poll 1.
    async fn kept_of(&self, user: u64) -> Vec<Value> {
        let scope = personal_scope("guild:1/thing:1", UserId(user));
        self.records.list("poll", &scope).await.unwrap().into_iter().map(|(_, body)| body).collect()
    }
}

fn new(question: &str, answers: &str, lasts: Option<&str>) -> NewPoll {
    NewPoll { question: question.to_owned(), answers: answers.to_owned(), lasts: lasts.map(str::to_owned) }
}

/// The lines of the answers: votes, share and answer.
fn counts(said: &str) -> Vec<&str> {
    said.lines().filter(|line| line.contains(" % · ")).filter_map(|line| Some(line.split_once("` ")?.1)).collect()
}

#[tokio::test]
async fn a_poll_is_shown_with_a_button_for_everyone_for_each_answer_and_is_to_be_closed_at_its_time() {
    let polls = Polls::default();
    let asked = ask(new("What *now*?", "tea; coffee;", Some("1h")), polls.call(ANN)).await.unwrap();
    assert_eq!(
        asked.plain(),
        "Poll 1\nopen · 0 votes\n**What \\*now\\*?**\n`░░░░░░░░░░` 0 · 0 % · tea\n`░░░░░░░░░░` 0 · 0 % · coffee\n\
         Press an answer to vote, another one to move your vote, the same one to take it back. Closes <t:1800003600:R>.\n\
         `/poll show id: 1` shows the poll again, `/poll close id: 1` ends it."
    );
    // Discord's message says until when, and stays true when that is over.
    let lasting = "Open until <t:1800003600:f> (<t:1800003600:R>): 0 votes";
    assert_eq!(asked.lasting_state.as_deref(), Some(lasting));
    assert_eq!(asked.thing, Some(Thing { name: "1".to_owned(), is_over: false }));
    let [row] = &*asked.controls else { panic!("{asked:?}") };
    let pressed = row.iter().map(|control| match control {
        Control::Button { label, call: Some(call), .. } => {
            assert!(call.for_everyone && call.in_place && !call.once);
            format!("{label}: {} {}", call.path, Value::Object(call.arguments.clone()))
        }
        other => panic!("{other:?}"),
    });
    let expected = ["tea: /poll vote {\"id\":1,\"answer\":1}", "coffee: /poll vote {\"id\":1,\"answer\":2}"];
    assert_eq!(pressed.collect::<Vec<_>>(), expected);
    let due = polls.calls.all().remove(0);
    assert_eq!((due.path.to_string(), due.due), ("/poll close".to_owned(), now() + Duration::from_secs(3_600)));
    assert_eq!(Value::Object(due.arguments), json!({ "id": 1 }));

    let ten = ask(new("Which?", "a|b|c|d|e|f|g|h|i|j;k", None), polls.call(ANN)).await.unwrap();
    assert_eq!(ten.controls.iter().map(Vec::len).collect::<Vec<_>>(), [5, 5]);
    assert!(ten.text.contains("j;k"), "{}", ten.text);
}

#[tokio::test]
async fn a_servers_own_emoji_is_that_of_the_button() {
    let long = "b".repeat(80);
    let answers = format!("<:blob:12> yes | no <a:wave:13> | <:ok:14> | a<:x:15>b <:y:16> | <:z:17>{long}");
    let polls = Polls::default();
    let asked = ask(new("Which?", &answers, None), polls.call(ANN)).await.unwrap();
    let looks = asked.controls.iter().flatten().map(|control| match control {
        Control::Button { label, emoji: Some(emoji), .. } => format!("{} {} {label}", emoji.id, emoji.is_animated),
        other => panic!("{other:?}"),
    });
    let last = format!("17 false {long}");
    assert_eq!(looks.collect::<Vec<_>>(), ["12 false yes", "13 true no", "14 false ok", "15 false ab :y:", &last]);
    assert!(asked.text.contains("0 % · <:blob:12> yes\n"), "{}", asked.text);
}

#[tokio::test]
async fn each_person_has_one_vote_that_moves_and_can_be_taken_back() {
    let polls = Polls::asked().await;
    let steps = [
        (ANN, 1, ["1 · 100 % · tea", "0 · 0 % · coffee"]),
        (BOB, 2, ["1 · 50 % · tea", "1 · 50 % · coffee"]),
        (BOB, 1, ["2 · 100 % · tea", "0 · 0 % · coffee"]),
        (BOB, 1, ["1 · 100 % · tea", "0 · 0 % · coffee"]),
        (BOB, 2, ["1 · 50 % · tea", "1 · 50 % · coffee"]),
    ];
    for (user, answer, expected) in steps {
        assert_eq!(counts(&polls.vote(user, answer).await), expected, "{user} for {answer}");
    }
    assert_eq!(polls.kept_of(ANN).await, [json!({ "asked": true }), json!({ "answer": 1 })]);
    assert_eq!(polls.kept_of(BOB).await, [json!({ "answer": 2 })]);
    let shared = polls.records.list("poll", "guild:1").await.unwrap();
    assert!(!json!(shared[0].1).to_string().contains('7'), "the poll itself names nobody: {shared:?}");
    let german = Caller { language: Language::of_locale("de").unwrap(), ..Caller::new(UserId(BOB), "Bob") };
    let shown = said(show(PollNumber { id: 1 }, Call { caller: german, ..polls.call(BOB) }).await);
    assert!(shown.starts_with("Poll 1\nopen · 2 votes"), "in the words of whoever asked: {shown}");
}

#[tokio::test]
async fn a_vote_that_is_erased_counts_no_more() {
    let polls = Polls::asked().await;
    polls.vote(ANN, 1).await;
    polls.vote(BOB, 1).await;
    let scope = personal_scope("guild:1/thing:1", UserId(BOB));
    let (id, _) = polls.records.list("poll", &scope).await.unwrap().remove(0);
    polls.records.remove("poll", &scope, id).await.unwrap();
    assert_eq!(counts(&polls.vote(9, 2).await), ["1 · 50 % · tea", "1 · 50 % · coffee"]);
}

#[tokio::test]
async fn a_poll_is_closed_at_its_time_and_then_only_its_counts_are_kept() {
    let polls = Polls::asked().await;
    polls.vote(BOB, 2).await;
    let end = now() + Duration::from_secs(3_600);
    let late = said(vote(Ballot { id: 1, answer: 2 }, polls.call_at(BOB, HERE, end)).await);
    assert!(late.starts_with("! Poll 1 is closed, so your vote changed nothing."), "{late}");
    let due = || Call { due: Some(end), ..polls.call_at(ANN, HERE, end) };
    let closed = close(PollNumber { id: 1 }, due()).await.unwrap();
    assert_eq!(closed.state.as_deref(), Some("closed · 1 vote"));
    assert!(closed.text.ends_with("Most votes: coffee") && closed.controls.is_empty(), "{}", closed.text);
    // It replaces the messages in which the poll is open.
    assert_eq!(closed.thing, Some(Thing { name: "1".to_owned(), is_over: true }));
    assert_eq!((polls.kept_of(ANN).await, polls.kept_of(BOB).await), (vec![], vec![]));
    // A button of an older message shows the result, and counts for nothing.
    assert_eq!(vote(Ballot { id: 1, answer: 1 }, polls.call_at(BOB, HERE, end)).await.unwrap(), closed);
    // Told once more it says the same; asked for by hand, it is refused.
    assert_eq!(close(PollNumber { id: 1 }, due()).await.unwrap(), closed);
    let again = said(close(PollNumber { id: 1 }, polls.call(ANN)).await);
    assert!(again.starts_with("! Poll 1 is closed already."), "{again}");
}

#[tokio::test]
async fn before_its_time_a_poll_is_closed_by_whoever_asked_and_by_moderators_and_nobody_else() {
    let moderator = |call: Call| {
        let permissions = Permissions::from_name("manage_messages");
        let member = Some(Member { permissions, ..Member::default() });
        Call { caller: Caller { member, ..call.caller.clone() }, ..call }
    };
    let polls = Polls::asked().await;
    let others = said(close(PollNumber { id: 1 }, polls.call(BOB)).await);
    assert!(others.starts_with("! Poll 1 can be closed by whoever asked it"), "{others}");
    let closed = said(close(PollNumber { id: 1 }, polls.call(ANN)).await);
    assert!(closed.starts_with("Poll 1\nclosed · 0 votes") && closed.ends_with("Nobody voted."), "{closed}");
    assert_eq!(polls.calls.all(), [], "it is not closed again");

    let polls = Polls::asked().await;
    let closed = said(close(PollNumber { id: 1 }, moderator(polls.call(BOB))).await);
    assert!(closed.starts_with("Poll 1\nclosed"), "{closed}");
    // Whoever asked is gone, and so is the call: anybody ends what is over.
    let polls = Polls::asked().await;
    let end = now() + Duration::from_secs(3_600);
    let closed = said(close(PollNumber { id: 1 }, polls.call_at(BOB, HERE, end)).await);
    assert!(closed.starts_with("Poll 1\nclosed"), "{closed}");
}

#[tokio::test]
async fn what_cannot_be_a_poll_or_a_vote_is_refused_and_why() {
    let polls = Polls::asked().await;
    let long = format!("a | {}", "b".repeat(81));
    let cases = [
        (new("\u{200b}", "a|b", None), "needs a question"),
        (new("Q", "a", None), "you gave 1: separate them with `;`"),
        (new("Q", "Pizza, Sushi", None), "A poll needs 2 to 10 answers, and you gave 1: separate them with `;`"),
        (new("Q", "a | ; |", None), "these are 2."),
        (new("Q", "a|b|c|d|e|f|g|h|i|j|k", None), "you gave 11."),
        (new("Q", "tea | b | Tea", None), "Tea is there twice"),
        (new("Q", &long, None), "at most 80 characters"),
        (new("Q", "a|b", Some("soon")), "is not a duration"),
        (new("Q", "a|b", Some("1M")), "`M` may mean minutes or months"),
        (new("Q", "a|b", Some("1mo")), "is not a duration"),
        (new("Q", "a|b", Some("59s")), "a minute at least"),
        (new("Q", "a|b", Some("31d")), "30 days at most"),
    ];
    for (poll, why) in cases {
        let answer = said(ask(poll, polls.call(ANN)).await);
        match why {
            // The `;` is an answer here.
            "these are 2." => assert!(counts(&answer)[1].ends_with("· ;"), "{answer}"),
            _ => assert!(answer.starts_with("! ") && answer.contains(why), "{answer}"),
        }
    }
    let console = said(ask(new("Q", "a|b", None), polls.call_at(ANN, Place::Console, now())).await);
    assert!(console.starts_with("! Polls are for Discord"), "{console}");
    assert_eq!(polls.vote(BOB, 3).await, "! Poll 1 has 2 answers.");
    let elsewhere = said(vote(Ballot { id: 1, answer: 1 }, polls.call_at(BOB, ELSEWHERE, now())).await);
    assert_eq!(elsewhere, "! There is no poll 1 here.");
}

#[tokio::test]
async fn a_place_keeps_so_many_polls_and_a_new_one_takes_the_place_of_the_oldest_closed_one() {
    let polls = Polls::default();
    let ask_by = |user: u64| ask(new("Q", "a|b", Some("1h")), polls.call(user));
    for n in 0..POLLS_MAX {
        ask_by(100 + n as u64).await.unwrap();
    }
    let full = said(ask_by(ANN).await);
    assert!(full.starts_with("! 50 polls are open here"), "{full}");
    close(PollNumber { id: 3 }, polls.call(102)).await.unwrap();
    assert!(said(ask_by(ANN).await).starts_with("Poll 51\nopen"));
    let gone = said(show(PollNumber { id: 3 }, polls.call(ANN)).await);
    assert_eq!(gone, "! There is no poll 3 here.");

    let polls = Polls::default();
    let ask_at = |guild: u64| {
        let place = Place::Guild { guild: GuildId(guild), channel: ChannelId(2) };
        ask(new("Q", "a|b", None), polls.call_at(ANN, place, now()))
    };
    for guild in 0..DUE_CALLS_MAX {
        ask_at(guild as u64).await.unwrap();
    }
    let full = said(ask_at(99).await);
    assert!(full.starts_with("! You have reached the limit of polls"), "{full}");
}

#[tokio::test]
async fn one_person_has_a_share_of_the_polls_and_makes_room_by_closing_one() {
    let polls = Polls::default();
    let ask_by = |user: u64| ask(new("Q", "a|b", Some("1h")), polls.call(user));
    for _ in 0..OPEN_OF_PERSON_MAX {
        ask_by(ANN).await.unwrap();
    }
    let full = said(ask_by(ANN).await);
    assert!(full.starts_with("! You have 10 open polls here, which is the limit"), "{full}");
    assert!(full.contains(": 1, 2, 3, 4, 5, 6, 7, 8, 9, 10. `/poll close id:` ends one of yours"), "{full}");
    assert!(said(ask_by(BOB).await).starts_with("Poll 11\nopen"), "others have their own share");
    close(PollNumber { id: 3 }, polls.call(ANN)).await.unwrap();
    assert!(said(ask_by(ANN).await).starts_with("Poll 12\nopen"));
    assert!(said(ask_by(ANN).await).starts_with("! You have 10 open polls"));
    let elsewhere = ask(new("Q", "a|b", None), polls.call_at(ANN, ELSEWHERE, now()));
    assert!(said(elsewhere.await).starts_with("Poll 1"));
    let after = ask(new("Q", "a|b", None), polls.call_at(ANN, HERE, now() + Duration::from_hours(1)));
    assert!(said(after.await).starts_with("Poll 13"), "what is over is not open, also before it is closed");
}

#[tokio::test]
async fn a_poll_takes_so_many_votes_and_those_can_still_move() {
    let polls = Polls::asked().await;
    for user in 0..VOTES_MAX {
        polls.vote(1_000 + user as u64, 1).await;
    }
    let full = polls.vote(BOB, 1).await;
    assert!(full.starts_with("! This poll has 500 votes"), "{full}");
    assert_eq!(counts(&polls.vote(1_000, 2).await), ["499 · 100 % · tea", "1 · 0 % · coffee"]);
}
