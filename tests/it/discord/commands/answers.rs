//! Answers on Discord when something is late, broken or not to be read: no command runs unseen, none is lost.

use std::time::{Duration, Instant};

use discord_twin::{BOT_ROLE_ID, Fault, Interaction, Message, Options, Recorded, Twin, USER_ID};
use serde_json::json;

use crate::discord::chat::talking::press;
use crate::discord::connected::{connect, connect_to};
use crate::support::bot::PATIENCE;
use crate::support::inside::Inside;
use crate::support::said::{ENGLISH, assert_says, receipt, receipt_in, said, says};

/// Old enough that the answer is put off at once, with half of its three seconds left.
const DEFERRED_MS: u64 = 1_500;

/// A command that writes to the disk, so it is never ready at once.
fn add() -> Interaction {
    Interaction::slash("tasks").subcommand("add").option("title", "milk")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interaction_that_comes_too_late_runs_nothing() {
    let connected = connect("").await;
    connected.answer(Interaction::slash("help")).await;
    let add = Interaction::slash("tasks").subcommand("add").option("title", "late milk");
    let sent = [
        connected.twin.interact(add.aged_ms(60_000)),
        connected.twin.interact(Interaction::autocomplete("status").focused("metric", "mem").aged_ms(60_000)),
        connected.twin.interact(Interaction::button("old").aged_ms(60_000)),
    ];
    for kind in ["kind=Command", "kind=Autocomplete", "kind=Component"] {
        connected.bot.hears(&["came too late; dropped", kind]);
    }
    let list = connected.answer(Interaction::slash("tasks").subcommand("list")).await;
    assert!(!list.text().contains("late milk"), "{}", list.text());
    for late in &sent {
        assert_eq!(connected.twin.replies_to(late), []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn held_04_an_id_of_the_future_stops_nothing() {
    let connected = connect("").await;
    for ahead_ms in [3_000, 3_600_000] {
        connected.answer(Interaction::slash("help").ahead_ms(ahead_ms)).await;
        for _ in 0..8 {
            connected.answer(Interaction::slash("help")).await;
        }
    }
    assert!(!connected.bot.log().contains("came too late"), "{}", connected.bot.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn held_06_a_burst_waits_its_turn() {
    let connected = connect("").await;
    // Of as many people as press at once after an announcement.
    let ask = |n: u64| connected.twin.interact(Interaction::slash("help").by(USER_ID + n % 50));
    let sent: Vec<_> = (0..500).map(ask).collect();
    for sent in &sent {
        let answer = connected.twin.answer_to(sent, PATIENCE).await;
        let answer = answer.unwrap_or_else(|| panic!("no answer; log:\n{}", connected.bot.log()));
        assert!(answer.text().contains("✓ /help"), "{}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_very_long_is_told_of_and_its_answer_is_kept_for_a_receipt() {
    let bot = Inside::start("[commands]\ntell_after_s = 1\n").await;
    // Its time to be told of is over before it runs.
    let sent = bot.twin.interact(Interaction::slash("slow").aged_ms(DEFERRED_MS));
    let told = bot.twin.answer_to(&sent, PATIENCE).await.unwrap();
    assert_says(told.text(), said!("still-running"));
    bot.slow.add_permits(1);
    let is_shown = |request: &Recorded| request.accepted() && request.text().contains("It was time.");
    let shown = bot.twin.wait_for(PATIENCE, is_shown).await.unwrap();
    // There was still time for it, so it stands there as well.
    assert!(shown.text().contains("✓ /slow"), "{}", shown.text());
    let methods: Vec<_> = bot.twin.replies_to(&sent).into_iter().map(|request| request.method).collect();
    assert_eq!(methods, ["POST", "PATCH", "PATCH"]);
    let id = receipt_in(shown.text(), ENGLISH);
    let end = Instant::now() + PATIENCE;
    while !bot.answer(Interaction::slash("receipt").option("id", id.clone())).await.text().contains("It was time.") {
        assert!(Instant::now() < end, "its answer is not kept");
    }
    assert_eq!(bot.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_survives_a_passing_error() {
    let connected = connect("").await;
    // (what fails, age, the methods of all requests for it)
    let cases = [
        (Fault::new("POST", "/interactions"), 0, vec!["POST", "POST"]),
        (Fault::rate_limited("POST", "/interactions", 0.1), 0, vec!["POST", "POST"]),
        // The waiting note fails once; then it stands and is edited.
        (Fault::new("POST", "/interactions").status(503), DEFERRED_MS, vec!["POST", "POST", "PATCH"]),
        (Fault::new("POST", "/interactions").times(2), DEFERRED_MS, vec!["POST", "POST", "POST", "PATCH"]),
        (Fault::new("PATCH", "/webhooks").status(502), DEFERRED_MS, vec!["POST", "PATCH", "PATCH"]),
    ];
    for (fault, age, requests) in cases {
        connected.twin.fail_next(fault.clone());
        let sent = connected.twin.interact(add().aged_ms(age));
        let answer = connected.twin.answer_to(&sent, PATIENCE).await;
        let answer = answer.unwrap_or_else(|| panic!("{fault:?}: no answer; log:\n{}", connected.bot.log()));
        assert!(answer.text().contains("✓ /tasks add"), "{fault:?}: {}", answer.text());
        let sent: Vec<_> = connected.twin.replies_to(&sent).into_iter().map(|request| request.method).collect();
        assert_eq!(sent, requests, "{fault:?}");
    }
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn held_01_a_person_with_what_serenity_does_not_know_is_answered_like_everybody() {
    let connected = connect("").await;
    let decoration = json!({ "asset": format!("v2_a_{}", "0".repeat(32)), "sku_id": "1" });
    let wide = json!(1_u64 << 40);
    let cases = [
        ("/member/user", "avatar_decoration_data", decoration.clone()),
        ("/member", "avatar_decoration_data", decoration),
        ("/member/user", "public_flags", wide.clone()),
        ("/member", "flags", wide),
        ("/member", "flags", json!(null)),
        ("/member", "joined_at", json!("yesterday")),
        ("", "locale", json!(null)),
        ("", "entitlements", json!(null)),
        ("/data", "type", json!(null)),
    ];
    for (object, field, value) in cases {
        let answer = connected.answer(add().with(object, field, value)).await;
        assert!(answer.text().contains("✓ /tasks add"), "{object}/{field}: {}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn held_03_the_pause_that_discord_asks_for_is_kept_and_no_answer_given_up() {
    let connected = connect("").await;
    // (what fails, age, the shortest time between the first request and the last, in milliseconds)
    let cases = [
        (vec![Fault::rate_limited("POST", "/interactions", 0.7)], 0, 700),
        (vec![Fault::rate_limited("PATCH", "/webhooks", 1.5).times(2)], DEFERRED_MS, 3_000),
        (vec![Fault::new("PATCH", "/webhooks").times(2)], DEFERRED_MS, 1_500),
    ];
    for (faults, age, at_least_ms) in cases {
        faults.iter().cloned().for_each(|fault| connected.twin.fail_next(fault));
        let sent = connected.twin.interact(add().aged_ms(age));
        let answer = connected.twin.answer_to(&sent, PATIENCE).await;
        let answer = answer.unwrap_or_else(|| panic!("{faults:?}: no answer; log:\n{}", connected.bot.log()));
        assert!(answer.text().contains("✓ /tasks add"), "{faults:?}: {}", answer.text());
        let failed = connected.twin.replies_to(&sent).into_iter().find(|request| 400 <= request.status).unwrap();
        assert!(at_least_ms <= answer.at_ms - failed.at_ms, "{faults:?}: {} ms", answer.at_ms - failed.at_ms);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn held_09_a_callback_that_was_answered_with_something_else_is_looked_up() {
    let connected = connect("").await;
    let cases = [
        (Fault::page("POST", "/interactions"), vec!["POST", "GET", "POST"]),
        (Fault::page("POST", "/interactions").carried_out(), vec!["POST", "GET"]),
        (Fault::broken_off("POST", "/interactions"), vec!["POST", "GET", "POST"]),
        (Fault::broken_off("POST", "/interactions").carried_out(), vec!["POST", "GET"]),
    ];
    for (fault, requests) in cases {
        connected.twin.fail_next(fault.clone());
        let sent = connected.twin.interact(Interaction::slash("help"));
        let n = requests.len();
        let replies = connected.twin.wait_until(PATIENCE, || {
            let replies = connected.twin.replies_to(&sent);
            (n <= replies.len() && connected.twin.original_of(&sent).is_some()).then_some(replies)
        });
        let replies = replies.await.unwrap_or_else(|| panic!("{fault:?}: no answer; log:\n{}", connected.bot.log()));
        let methods: Vec<_> = replies.into_iter().map(|request| request.method).collect();
        assert_eq!(methods, requests, "{fault:?}");
        assert!(!connected.bot.log().contains(&sent.token), "a token is in the log");
    }
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn held_09_a_look_up_that_is_limited_waits_or_leaves_it_to_the_next_try() {
    let connected = connect("").await;
    let limited = |seconds| Fault::rate_limited("GET", "/webhooks", seconds);
    let lost = || Fault::page("POST", "/interactions").carried_out();
    // What fails, for how long the callback takes, and the requests: with a code where Discord refuses one.
    let cases = [
        // A short pause is kept, and the look-up tells.
        (vec![lost(), limited(0.3)], 0, vec![("POST", 200), ("GET", 429), ("GET", 200)]),
        (
            vec![Fault::page("POST", "/interactions"), limited(0.3)],
            0,
            vec![("POST", 200), ("GET", 429), ("GET", 404), ("POST", 204)],
        ),
        // After a long one it would be too late for another try, which tells as well.
        (vec![lost(), limited(60.0)], 0, vec![("POST", 200), ("GET", 429), ("POST", 400)]),
        // Each try takes a second, so the third is the last: the look-up after it has time.
        (
            vec![Fault::new("POST", "/interactions"), lost().times(2), limited(2.5)],
            1_000,
            vec![("POST", 500), ("POST", 200), ("GET", 429), ("POST", 200), ("GET", 200)],
        ),
        // An earlier try may have arrived, though the last one is told that it came too often.
        (
            vec![lost(), limited(2.5), Fault::rate_limited("POST", "/interactions", 60.0)],
            0,
            vec![("POST", 200), ("GET", 429), ("POST", 429), ("GET", 200)],
        ),
    ];
    for (faults, takes_ms, requests) in cases {
        connected.twin.delay("POST", "/interactions", Duration::from_millis(takes_ms));
        faults.iter().cloned().for_each(|fault| connected.twin.fail_next(fault));
        let sent = connected.twin.interact(Interaction::slash("help"));
        let replies = connected.twin.wait_until(PATIENCE, || {
            let replies = connected.twin.replies_to(&sent);
            (requests.len() <= replies.len()).then_some(replies)
        });
        let replies = replies.await.unwrap_or_else(|| panic!("{faults:?}:\n{}", connected.bot.log()));
        let seen: Vec<_> = replies.iter().map(|request| (request.method.as_str(), request.status)).collect();
        assert_eq!(seen, requests, "{faults:?}");
        assert!(connected.twin.original_of(&sent).is_some(), "{faults:?}");
    }
    assert!(!connected.bot.log().contains("could not answer an interaction"), "{}", connected.bot.log());
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_which_no_word_came_back_is_not_given_twice() {
    let connected = connect("").await;
    // Discord takes the first request and is silent about it for longer than a first try may take.
    connected.twin.delay("POST", "/interactions", Duration::from_secs(2));
    let sent = connected.twin.interact(add().aged_ms(DEFERRED_MS));
    let answer = connected.twin.answer_to(&sent, PATIENCE).await;
    let answer = answer.unwrap_or_else(|| panic!("no answer; log:\n{}", connected.bot.log()));
    assert!(answer.method == "PATCH" && answer.text().contains("✓ /tasks add"), "{answer:?}");
    let codes: Vec<_> = connected.twin.replies_to(&sent).into_iter().map(|request| request.code).collect();
    assert_eq!(codes, [None, Some(40_060), None]);
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_discord_does_not_take_gives_way_to_a_plain_one() {
    let connected = connect("").await;
    let refused = |method: &str, path: &str| Fault::new(method, path).status(400).code(50_035, "Invalid Form Body");
    let ran = |command: &str| said!("answer-of-command-not-shown", command = command, record = receipt());
    for (fault, age) in [(refused("POST", "/interactions"), 0), (refused("PATCH", "/webhooks"), DEFERRED_MS)] {
        connected.twin.fail_next(fault);
        let answer = connected.answer(add().aged_ms(age)).await;
        assert_says(answer.text(), ran("/tasks add"));
        assert!(answer.is_ephemeral() || answer.method == "PATCH", "{answer:?}");
        // The receipt is there, whatever was shown.
        let id = receipt_in(answer.text(), ENGLISH);
        let receipt = connected.answer(Interaction::slash("receipt").option("id", id)).await;
        assert!(receipt.text().contains("/tasks add"), "{}", receipt.text());
    }

    connected.twin.fail_next(refused("POST", "/channels"));
    connected.twin.say(Message::to_bot("/status"));
    let sent =
        connected.twin.wait_for(PATIENCE, |request| request.accepted() && says(request.text(), ran("/status"))).await;
    assert!(sent.is_some(), "{}", connected.bot.log());
    connected.bot.hears(&["could not send a message", "channel.id="]);
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interaction_that_is_over_gets_no_second_request() {
    let connected = connect("").await;
    connected.twin.fail_next(Fault::new("POST", "/interactions").status(404).code(10_062, "Unknown interaction"));
    let add = Interaction::slash("tasks").subcommand("add").option("title", "unseen milk");
    let over = connected.twin.interact(add.aged_ms(DEFERRED_MS));
    connected.bot.hears(&["command ran", "/tasks add"]);
    // What began was done, and the list says so.
    let list = connected.answer(Interaction::slash("tasks").subcommand("list")).await;
    assert!(list.text().contains("unseen milk"), "{}", list.text());
    assert_eq!(connected.twin.replies_to(&over).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_types_always_gets_a_list_of_suggestions() {
    let connected = connect("").await;
    let cases = [
        ("no completer", Interaction::autocomplete("tasks").subcommand("add").focused("title", "mil")),
        ("nothing in focus", Interaction::autocomplete("status").option("metric", "mem")),
        ("no such option", Interaction::autocomplete("status").focused("nosuch", "mem")),
        ("no such command", Interaction::autocomplete("nosuch").focused("x", "")),
        ("not to be decoded", Interaction::raw(4, json!({"name": "status"}))),
    ];
    for (name, interaction) in cases {
        let sent = connected.twin.interact(interaction);
        let answer = connected.twin.callback_to(&sent, PATIENCE).await;
        let answer = answer.unwrap_or_else(|| panic!("{name}: no answer; log:\n{}", connected.bot.log()));
        assert_eq!((&answer.body["type"], &answer.body["data"]["choices"]), (&json!(8), &json!([])), "{name}");
        assert_eq!(connected.twin.replies_to(&sent).len(), 1, "{name}");
    }
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_cannot_be_read_is_said_not_to_have_run() {
    let connected = connect("").await;
    let broken = json!([{"name": "metric", "type": 3, "value": 7}]);
    let answer = connected.answer(Interaction::raw(2, json!({"name": "status", "type": 1, "options": broken}))).await;
    let wanted = said!("interaction-unreadable", command = "/status");
    assert_eq!((answer.text(), answer.is_ephemeral()), (wanted, true));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_for_one_person_alone_is_shown_to_them_by_a_button_in_a_channel() {
    let connected = connect("").await;
    let reply = connected.reply(Message::to_bot("/receipt")).await;
    assert_says(reply.text(), said!("answer-for-one-alone", command = "/receipt"));
    assert!(!connected.bot.log().contains("command ran"), "{}", connected.bot.log());
    let help = connected.reply(Message::to_bot("/help command: /tasks add")).await;
    assert_eq!(
        connected.answer(press(&help).by(USER_ID + 1)).await.text(),
        said!("control-foreign", command = "/help")
    );
    let shown = connected.answer(press(&help)).await;
    assert!(
        shown.is_ephemeral() && shown.text().contains("title") && shown.text().contains("✓ /help"),
        "{}",
        shown.text()
    );
    // An answer to a message that its author took back is sent all the same.
    assert_eq!(reply.body["message_reference"]["fail_if_not_exists"], json!(false));

    let reply = connected.reply(Message::text("/help").in_dm()).await;
    assert!(reply.text().contains("✓ /help"), "{}", reply.text());
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mention_of_the_bots_own_role_is_one_of_the_bot() {
    let of_role = |text: &str| Message::text(text).mentioning_role(BOT_ROLE_ID);
    // Without the intent for it, Discord sends no words with such a mention.
    let connected = connect("").await;
    assert_eq!(connected.reply(of_role(&format!("<@&{BOT_ROLE_ID}> hello"))).await.text(), said!("mention-unread"));
    let allowed = Options { message_content_allowed: true, application_flags: 1 << 18, ..Options::default() };
    let connected = connect_to(Twin::start_with(allowed).await.unwrap(), "[chat]\nchannels = [\"5\"]\n").await;
    let reply = connected.reply(of_role(&format!("<@&{BOT_ROLE_ID}> /tasks list"))).await;
    assert!(reply.text().contains("✓ /tasks list"), "{}", reply.text());
    connected.twin.say(Message::text("<@&5> /tasks list").mentioning_role(5));
    assert!(connected.reply(Message::to_bot("/nothing")).await.text().contains("/nothing"));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_who_corrects_one_typing_error_by_another_is_answered_each_time() {
    let connected = connect("").await;
    for name in ["/staus", "/statsu", "/tasks ad", "/hepl"] {
        assert!(connected.reply(Message::to_bot(name)).await.text().contains(name), "{name}");
    }
    // From here on the last notice is changed.
    connected.twin.say(Message::to_bot("/statuss"));
    let changed = |request: &Recorded| request.method == "PATCH" && request.text().contains("/statuss");
    let changed = connected.twin.wait_for(PATIENCE, changed).await.expect("the last notice says so");
    assert_says(changed.text(), said!("notice-changed", seconds = 10));
    for name in ["/a1", "/a2", "/a3", "/a4", "/a5", "/a6"] {
        assert!(connected.reply(Message::text(name).in_dm()).await.text().contains(name), "{name}");
    }
    assert_eq!(connected.twin.refused(), []);
}
