//! A person who floods the bot fills only their own share, and is told once.

use discord_twin::{CHANNEL_ID, Interaction, Message, Options, RateLimits, Recorded, Twin, USER_ID};

use crate::discord::chat::talking::{connect_to_model, shown};
use crate::discord::connected::connect_to;
use crate::discord::connection::{admin_address, answers_so};
use crate::support::bot::PATIENCE;
use crate::support::said::{said, says};
use crate::support::scripted_model::Script;

const ANN: u64 = USER_ID;
const BEN: u64 = USER_ID + 1;
const CARL: u64 = USER_ID + 2;

/// H5: seventy messages of one person at a slow model made the bot "busy" for everybody.
#[tokio::test(flavor = "multi_thread")]
async fn h5_seventy_messages_of_one_person_keep_nobody_else_from_an_answer() {
    let scripts = vec![Script::never(), Script::says("To Ben.")];
    let (connected, model) = connect_to_model(scripts, "[chat.access]\nper_minute = 100\n").await;
    let twin = &connected.twin;
    twin.say(Message::to_bot("0").by(ANN));
    while model.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    for n in 1..70 {
        twin.say(Message::to_bot(&n.to_string()).by(ANN));
    }
    twin.say(Message::to_bot("hello").by(BEN));
    shown(&connected, "To Ben.").await;
    twin.say(Message::text("/tasks list").mentions_bot().by(CARL));
    shown(&connected, "Nothing is open.").await;
    assert_eq!(twin.refused(), []);
}

/// M8: each of a flood of messages was answered by a notice of its own.
#[tokio::test(flavor = "multi_thread")]
async fn m8_who_floods_is_told_by_four_messages_and_others_are_all_answered() {
    let (connected, _model) =
        connect_to_model(vec![Script::says("To Ben.")], "[chat.access]\nper_minute = 1\nusers = [\"5\"]\n").await;
    let twin = &connected.twin;
    for _ in 0..20 {
        twin.say(Message::to_bot("let me in").by(ANN));
    }
    let refused = said!("chat-denied-person");
    let changed = said!("notice-changed", seconds = 10);
    shown(&connected, &changed).await;
    // Of somebody else, also several of another kind, or about something else.
    for name in ["/nothing", "/no", "/tasks add"] {
        twin.say(Message::text(name).mentions_bot().by(BEN));
        shown(&connected, &format!("`{name}`")).await;
    }
    let is_told = |request: &Recorded| request.method == "POST" && says(request.text(), refused.clone());
    let n_told = twin.requests().iter().filter(|request| is_told(request)).count();
    // One more may be due while the machine is slow.
    assert!((4..=6).contains(&n_told), "{n_told}: {}", connected.bot.log());
    // In another channel it is another conversation, and what runs is always answered.
    twin.say(Message::text("/nothing").mentions_bot().by(BEN).in_channel(CHANNEL_ID + 20));
    twin.say(Message::text("/tasks list").mentions_bot().by(BEN));
    shown(&connected, "Nothing is open.").await;
    let elsewhere = format!("/channels/{}/messages", CHANNEL_ID + 20);
    let is_told = |request: &Recorded| request.accepted() && request.path == elsewhere;
    assert!(twin.wait_for(PATIENCE, is_told).await.is_some(), "{}", connected.bot.log());
}

/// M8: what waited for Discord in a flood had no bound, and went on for minutes after it.
#[tokio::test(flavor = "multi_thread")]
async fn m8_under_discords_limits_a_flood_is_answered_by_a_few_posts_and_every_other_one_is_counted() {
    const N: usize = 200;
    /// Five that Discord accepts at once, four that wait, and some more if the flood outlasts Discord's five seconds.
    const POSTS_MAX: usize = 20;
    const UNSENT: &str = "candor_unsent_total{what=\"notice\"} ";
    let options = Options { rate_limits: RateLimits::strict(), ..Options::default() };
    let connected = connect_to(Twin::start_with(options).await.unwrap(), "").await;
    connected.bot.hears(&["commands at Discord"]);
    let twin = &connected.twin;
    // Of many, each of whom would be told.
    for n in 0..N {
        twin.say(Message::to_bot(&format!("/nothing{n}")).by(BEN + n as u64 % 50));
    }
    let others = connected.answer(Interaction::slash("help").by(ANN)).await;
    assert!(others.is_callback(), "{}", others.body);
    let n_posts = || {
        let is_told = |request: &Recorded| request.accepted() && request.text().contains("`/nothing");
        twin.requests().into_iter().filter(is_told).count()
    };
    let all_are_known = |metrics: &str| {
        let unsent = metrics.lines().find_map(|line| line.strip_prefix(UNSENT)?.parse::<usize>().ok());
        unsent.is_some_and(|unsent| unsent + n_posts() == N)
    };
    answers_so(admin_address(&connected.bot), "/metrics", true, "all notices, sent or not", all_are_known).await;
    assert!((5..=POSTS_MAX).contains(&n_posts()), "{}", n_posts());
    // Whoever types a command there afterwards gets its answer, and Discord never had to refuse anything.
    twin.say(Message::to_bot("/tasks list").by(ANN));
    shown(&connected, "Nothing is open.").await;
    assert_eq!(twin.n_invalid(), 0);
}
