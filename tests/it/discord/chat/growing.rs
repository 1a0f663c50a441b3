//! Replies that are shown while the model writes them: what stands there at each moment, and what ends them early.

use discord_twin::{CHANNEL_ID, Fault, Interaction, Message, Recorded, USER_ID};
use serde_json::json;

use crate::discord::chat::talking::{buttons, press};
use crate::support::bot::PATIENCE;
use crate::support::inside::Inside;
use crate::support::said::{
    ANY, assert_says, footer, label, label_of, label_ran, said, says, unfinished, unfinished_of,
};
use candor_core::agent::tools::Cut;

/// The messages of the bot that stand in the channel, oldest first, as they are now.
fn standing(bot: &Inside) -> Vec<String> {
    let path = format!("/channels/{CHANNEL_ID}/messages");
    let requests = bot.twin.requests();
    let sent = requests.iter().filter(|request| request.method == "POST" && request.path == path);
    let ids: std::collections::BTreeSet<_> = sent.filter_map(Recorded::message_id).collect();
    let stands = |id| bot.twin.message(id);
    ids.into_iter().filter_map(stands).map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// The requests that show unfinished words, from this one on.
fn unfinished_since(bot: &Inside, n: u64) -> Vec<Recorded> {
    let requests = bot.twin.requests().into_iter().filter(|request| n <= request.n);
    requests.filter(|request| says(request.text(), said!("label-still-writing"))).collect()
}

/// The first request from this one on that shows these words, whole.
async fn whole(bot: &Inside, n: u64, words: &str) -> Recorded {
    whole_with(bot, n, words, &label()).await
}

/// The same with this mark.
async fn whole_with(bot: &Inside, n: u64, words: &str, mark: &str) -> Recorded {
    let content = json!(format!("{words}\n{mark}"));
    let is_it = |request: &Recorded| n <= request.n && request.accepted() && request.message()["content"] == content;
    bot.twin.wait_for(PATIENCE, is_it).await.unwrap_or_else(|| panic!("{words} is not whole: {:#?}", standing(bot)))
}

/// A reply that the model's limit of length cut off, and the number of the request that asked for it.
async fn cut_off(bot: &mut Inside) -> (u64, Recorded) {
    let n = bot.say(Message::to_bot("tell me a story"));
    let page = bot.pages.next().await;
    page.writes("Once upon a");
    page.breaks_off(Cut::Length);
    (n, bot.shows(n, &said!("note-cut-off")).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_is_edited_as_it_grows_and_is_marked_from_the_first_words() {
    let mut bot = Inside::start("").await;
    let n = bot.say(Message::to_bot("tell me a story"));
    let page = bot.pages.next().await;
    page.writes("Once upon a time");
    let first = bot.shows(n, "Once upon a time").await;
    assert_eq!(first.message()["content"], format!("Once upon a time\n{}", unfinished()));
    // Far more than could be shown one by one.
    for word in 0..500 {
        page.writes(&format!(" w{word}"));
    }
    let second = bot.shows(n, "w300").await;
    assert_eq!((second.method.as_str(), second.message_id()), ("PATCH", first.message_id()));
    page.writes(" The end. <@1>");
    page.ends();
    let last = bot.shows(n, "The end.").await;
    assert!(last.text().ends_with(&label_of(2, 2)) || says(last.text(), label()), "{}", last.text());
    let grown = unfinished_since(&bot, n);
    assert!(grown.len() <= 4, "{grown:#?}");
    for request in &grown {
        assert_eq!(request.body["allowed_mentions"]["parse"], json!([]));
        assert_eq!(request.body["flags"], json!(4));
    }
    for pair in grown.windows(2) {
        // Twice the time in between, less what a busy machine may add to the first of them.
        assert!(pair[0].at_ms + 800 <= pair[1].at_ms, "{} and {}", pair[0].at_ms, pair[1].at_ms);
    }
    let standing = standing(&bot);
    assert!(!standing.concat().contains(&said!("label-still-writing")), "{standing:#?}");
    assert!(standing.concat().contains("The end. @1"), "{standing:#?}");
    assert_eq!(bot.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_in_one_channel_share_its_pace() {
    let mut bot = Inside::start("").await;
    let n = bot.say(Message::to_bot("one"));
    let one = bot.pages.next().await;
    bot.say(Message::to_bot("two").by(USER_ID + 1));
    let two = bot.pages.next().await;
    one.writes("First words");
    two.writes("Second words");
    bot.shows(n, "First words").await;
    bot.shows(n, "Second words").await;
    let grown = unfinished_since(&bot, n);
    assert!(grown[0].at_ms + 800 <= grown[1].at_ms, "{} and {}", grown[0].at_ms, grown[1].at_ms);
    one.ends();
    two.ends();
    bot.shows(n, &format!("Second words\n{}", label())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_comes_at_once_is_sent_once_and_without_streaming_it_is_never_unfinished() {
    for settings in ["", "stream = false"] {
        let mut bot = Inside::start(settings).await;
        let n = bot.say(Message::to_bot("hello"));
        let page = bot.pages.next().await;
        page.writes("Hello there.");
        if settings.is_empty() {
            bot.shows(n, "Hello there.").await;
        }
        page.writes(" How are you?");
        page.ends();
        let reply = bot.shows(n, "How are you?").await;
        assert_eq!(reply.message()["content"], format!("Hello there. How are you?\n{}", label()));
        assert_eq!(unfinished_since(&bot, n).len(), usize::from(settings.is_empty()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_become_a_call_is_not_shown() {
    let mut bot = Inside::start("").await;
    let n = bot.say(Message::to_bot("what's our status?"));
    let page = bot.pages.next().await;
    for piece in ["<tool_call>", "{\"name\": \"status\"", ", \"arguments\": {}}", "</tool_call>"] {
        page.writes(piece);
    }
    page.ends();
    bot.shows(n, &footer("/status")).await;
    let page = bot.pages.next().await;
    page.writes("All is well.");
    bot.shows(n, &format!("All is well.\n{}", unfinished())).await;
    page.ends();
    bot.shows(n, &format!("All is well.\n{}", label_ran("/status"))).await;
    let shown = bot.twin.requests();
    assert!(!shown.iter().any(|request| request.text().contains("tool_call")), "{shown:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn words_before_a_call_make_room_for_what_runs() {
    let mut bot = Inside::start("").await;
    let n = bot.say(Message::to_bot("what's our status?"));
    let page = bot.pages.next().await;
    page.writes("Let me look.");
    let words = bot.shows(n, "Let me look.").await;
    page.calls(&["status"]);
    let ran = bot.shows(n, &footer("/status")).await;
    assert_eq!(ran.message_id(), words.message_id());
    let page = bot.pages.next().await;
    page.writes("All is well.");
    let later = bot.shows(n, "Let me look.\n\nAll is well.").await;
    assert_ne!(later.message_id(), words.message_id());
    page.ends();
    let last = whole_with(&bot, n, "Let me look.\n\nAll is well.", &label_ran("/status")).await;
    assert_eq!(last.message_id(), later.message_id());
    assert_eq!(standing(&bot).concat().matches("Let me look.").count(), 1);

    // What was written beside a call is not lost if nothing follows, and the model sees later what ran.
    let n = bot.say(Message::to_bot("and now?"));
    let page = bot.pages.next().await;
    page.writes("I look again.");
    page.calls(&["status"]);
    bot.shows(n, &footer("/status")).await;
    drop(bot.pages.next().await);
    let given_up = bot.shows(n, &said!("model-interrupted")).await;
    assert_says(given_up.text(), format!("I look again.\n-# {}", said!("model-interrupted")));
    assert!(given_up.text().contains(&label_ran("/status")), "{}", given_up.text());

    // So does a turn that failed without a word of the model.
    let n = bot.say(Message::to_bot("once more"));
    bot.pages.next().await.calls(&["status"]);
    bot.shows(n, &footer("/status")).await;
    drop(bot.pages.next().await);
    bot.shows(n, &said!("model-interrupted")).await;
    bot.say(Message::to_bot("what did you run?"));
    let page = bot.pages.next().await;
    let shown = format!("{:?}", page.shown);
    assert_eq!(shown.matches("ran /status (answered)").count(), 3, "{shown}");
    assert!(shown.contains("I look again.") && shown.contains("once more"), "{shown}");
    assert_eq!(bot.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_reply_grows_over_four_messages_and_ends_with_a_file() {
    let mut bot = Inside::start("").await;
    let n = bot.say(Message::to_bot("tell me a long story"));
    let page = bot.pages.next().await;
    page.writes(&"word ".repeat(500));
    bot.shows(n, &unfinished_of(2, 2)).await;
    page.writes(&"word ".repeat(2_500));
    let fourth = bot.shows(n, &unfinished_of(4, 4)).await;
    assert_says(fourth.text(), format!("[{}]", said!("button-stop")));
    page.ends();
    let end = format!("{} · {}", label_of(4, 4), said!("label-rest-in-file"));
    let last = bot.shows(n, &end).await;
    assert_eq!(last.message_id(), fourth.message_id(), "edited in place");
    assert!(bot.twin.file(last.message_id().unwrap(), "reply.md").is_some());
    let standing = standing(&bot);
    assert_eq!(standing.len(), 4, "{standing:#?}");
    for (n, message) in (1..).zip(&standing) {
        assert_says(message, label_of(n, 4));
        assert!(!says(message, said!("label-still-writing")), "{message}");
    }
    assert_eq!(bot.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_fails_is_left_out_and_the_end_is_what_counts() {
    let mut bot = Inside::start("").await;
    let messages = format!("/channels/{CHANNEL_ID}/messages");
    let n = bot.say(Message::to_bot("tell me a story"));
    let page = bot.pages.next().await;
    page.writes("Once upon");
    let first = bot.shows(n, "Once upon").await;
    bot.twin.fail_next(Fault::rate_limited("PATCH", &messages, 1.0));
    page.writes(" a time");
    let is_limited = |request: &Recorded| n <= request.n && request.status == 429;
    let limited = bot.twin.wait_for(PATIENCE, is_limited).await.unwrap();
    page.writes(" there was an end.");
    page.ends();
    let last = bot.shows(n, "there was an end.").await;
    assert_eq!(last.message()["content"], format!("Once upon a time there was an end.\n{}", label()));
    assert_eq!(last.message_id(), first.message_id());
    let edits = bot.twin.requests().into_iter().filter(|request| limited.n < request.n && request.method == "PATCH");
    assert_eq!(edits.count(), 1, "the edit that failed is not repeated");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_arrived_though_its_request_failed_does_not_stay_unfinished() {
    let messages = format!("/channels/{CHANNEL_ID}/messages");
    for calls in [false, true] {
        let mut bot = Inside::start("").await;
        bot.twin.fail_next(Fault::new("POST", &messages).status(502).carried_out());
        let n = bot.say(Message::to_bot("tell me a story"));
        let page = bot.pages.next().await;
        page.writes("Once upon a time");
        let is_lost = |request: &Recorded| n <= request.n && request.status == 502;
        let lost = bot.twin.wait_for(PATIENCE, is_lost).await.unwrap();
        let page = match calls {
            false => page,
            true => {
                page.calls(&["status"]);
                bot.shows(n, &footer("/status")).await;
                bot.pages.next().await
            }
        };
        page.writes(" there was an end.");
        page.ends();
        let words = if calls { "Once upon a time\n\nthere was an end." } else { "Once upon a time there was an end." };
        let mark = if calls { label_ran("/status") } else { label() };
        let last = whole_with(&bot, n, words, &mark).await;
        assert_eq!(last.message_id() == lost.message_id(), !calls, "what ran took its place");
        let standing = standing(&bot);
        assert_eq!(standing.len(), 1 + usize::from(calls), "{standing:#?}");
        assert!(!standing.concat().contains(&said!("label-still-writing")), "{standing:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_last_edit_that_fails_is_tried_again_so_that_the_reply_does_not_stay_unfinished() {
    let mut bot = Inside::start("").await;
    let n = bot.say(Message::to_bot("tell me a story"));
    let page = bot.pages.next().await;
    page.writes("Once upon a time");
    let first = bot.shows(n, "Once upon a time").await;
    bot.twin.fail_next(Fault::new("PATCH", &format!("/channels/{CHANNEL_ID}/messages")).status(503).times(3));
    page.ends();
    let last = whole(&bot, n, "Once upon a time").await;
    assert_eq!((last.method.as_str(), last.message_id()), ("PATCH", first.message_id()));
    assert_eq!(standing(&bot), [format!("Once upon a time\n{}", label())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_without_words_says_so_after_a_while_and_can_be_stopped() {
    for settings in ["", "stream = false"] {
        let mut bot = Inside::start(settings).await;
        let n = bot.say(Message::to_bot("tell me a story"));
        let page = bot.pages.next().await;
        let thinking = bot.shows(n, &said!("thinking")).await;
        assert_says(thinking.text(), format!("[{}]", said!("button-stop")));
        page.writes("Once upon a time");
        page.ends();
        let reply = whole(&bot, n, "Once upon a time").await;
        assert_eq!(reply.message_id(), thinking.message_id(), "it becomes the reply");

        let n = bot.say(Message::to_bot("and another one"));
        let page = bot.pages.next().await;
        let thinking = bot.shows(n, &said!("thinking")).await;
        bot.press(press(&thinking)).await;
        page.is_given_up().await;
        let stopped = bot.shows(n, &said!("note-stopped", person = ANY)).await;
        assert_eq!(stopped.message_id(), thinking.message_id());
        assert_eq!(standing(&bot).len(), 2);
        assert_eq!(bot.twin.refused(), []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_whose_bot_dies_says_that_it_is_not_finished() {
    let mut bot = Inside::start("").await;
    let n = bot.say(Message::to_bot("tell me a story"));
    let page = bot.pages.next().await;
    page.writes("Once upon a time");
    bot.shows(n, "Once upon a time").await;
    bot.kill();
    page.is_given_up().await;
    assert_eq!(standing(&bot), [format!("Once upon a time\n{}", unfinished())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_ends_a_reply_for_its_asker_and_operators_alone() {
    const OPERATOR: u64 = USER_ID + 1;
    const STRANGER: u64 = USER_ID + 2;
    for person in [USER_ID, OPERATOR] {
        let access = format!("\n[access]\noperators = [\"{OPERATOR}\"]");
        let mut bot = Inside::start(&access).await;
        let n = bot.say(Message::to_bot("tell me a story"));
        let page = bot.pages.next().await;
        page.writes("Once upon a time");
        let growing = bot.shows(n, "Once upon a time").await;
        assert_says(growing.text(), format!("[{}]", said!("button-stop")));
        let stranger = bot.answer(press(&growing).by(STRANGER)).await;
        assert_eq!((stranger.text(), stranger.is_ephemeral()), (said!("stop-not-theirs"), true));

        bot.press(press(&growing).by(person)).await;
        page.is_given_up().await;
        let line = said!("note-stopped", person = ANY);
        let stopped = bot.shows(n, &line).await;
        assert_eq!(stopped.message_id(), growing.message_id());
        assert_says(stopped.text(), format!("Once upon a time\n-# {line}\n{}", label()));
        assert_says(stopped.text(), format!("[{}]", said!("button-go-on")));
        let late = bot.answer(Interaction::press(growing.message_id().unwrap(), &buttons(&growing)[0])).await;
        assert_eq!((late.text(), late.is_ephemeral()), (said!("stop-over"), true));

        // The model sees that it was stopped, and goes on as in any conversation.
        bot.say(Message::to_bot("why?"));
        let page = bot.pages.next().await;
        assert!(format!("{:?}", page.shown).contains("Once upon a time"), "{:?}", page.shown);
        assert!(says(page.asked(), &line), "{}", page.asked());
        assert_eq!(bot.twin.refused(), []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_runs_is_finished_and_shown_before_a_stopped_turn_ends() {
    let mut bot = Inside::start("").await;
    let n = bot.say(Message::to_bot("wait, then look"));
    bot.pages.next().await.calls(&["slow", "status"]);
    let running = bot.shows(n, &said!("running", command = "/slow")).await;
    bot.press(press(&running)).await;
    assert!(bot.pages.is_idle());
    bot.slow.add_permits(1);
    let ran = bot.shows(n, &footer("/slow")).await;
    assert_says(ran.text(), "It was time.");
    let stopped = bot.shows(n, &said!("note-stopped", person = ANY)).await;
    let not_run = said!("note-not-run", command = "/status", why = said!("call-stopped"));
    assert_says(stopped.text(), not_run);
    assert!(bot.pages.is_idle(), "the model is not asked again");
    assert!(!standing(&bot).concat().contains(&said!("running", command = "/status")));
    assert_eq!(bot.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_also_ends_the_wait_for_a_confirmation() {
    let mut bot = Inside::start("write_tools = [\"/tasks add\"]").await;
    let n = bot.say(Message::to_bot("look, then note milk"));
    bot.pages.next().await.calls(&["slow"]);
    let running = bot.shows(n, &said!("running", command = "/slow")).await;
    bot.slow.add_permits(1);
    let page = bot.pages.next().await;
    page.writes("Now the milk.");
    bot.shows(n, "Now the milk.").await;
    page.calls_with(vec![("tasks_add", json!({"title": "milk"}))]);
    let question = bot.shows(n, &said!("question-asked")).await;
    // On a client that still shows the button.
    bot.press(Interaction::press(running.message_id().unwrap(), &buttons(&running)[0])).await;
    let ended = bot.shows(n, &said!("question-stopped")).await;
    assert_eq!((ended.message_id(), &ended.body["components"]), (question.message_id(), &json!([])));
    bot.shows(n, &said!("note-stopped", person = ANY)).await;
    let list = bot.answer(Interaction::slash("tasks").subcommand("list")).await;
    assert!(!list.text().contains("milk"), "{}", list.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_while_messages_make_room_for_a_question_leaves_none_of_them_behind() {
    let mut bot = Inside::start("write_tools = [\"/tasks add\"]").await;
    let n = bot.say(Message::to_bot("a long story, then note milk"));
    let page = bot.pages.next().await;
    page.writes(&"word ".repeat(500));
    let growing = bot.shows(n, &unfinished_of(2, 2)).await;
    // The first deletion takes long.
    let messages = format!("/channels/{CHANNEL_ID}/messages");
    bot.twin.fail_next(Fault::new("DELETE", &messages).status(503));
    let deleted = bot.twin.n_requests();
    page.calls_with(vec![("tasks_add", json!({"title": "milk"}))]);
    let is_deletion = |request: &Recorded| deleted <= request.n && request.method == "DELETE";
    assert!(bot.twin.wait_for(PATIENCE, is_deletion).await.is_some());
    bot.press(press(&growing)).await;
    bot.shows(n, &said!("note-stopped", person = ANY)).await;
    let standing = standing(&bot);
    assert!(!standing.concat().contains(&said!("label-still-writing")), "{standing:#?}");
    assert_eq!(standing.concat().matches("word").count(), 500, "{standing:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_others_followed_meanwhile_is_not_gone_on_with_either() {
    let mut bot = Inside::start("").await;
    let (n, half) = cut_off(&mut bot).await;
    bot.say(Message::to_bot("and now something else"));
    let page = bot.pages.next().await;
    // It waits for the turn that runs.
    bot.press(press(&half)).await;
    page.writes("Fine.");
    page.ends();
    whole(&bot, n, "Fine.").await;
    bot.shows(n, &said!("go-on-over")).await;
    assert!(bot.pages.is_idle());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_with_a_press_that_comes_too_late_is_answered_without_it() {
    let mut bot = Inside::start("").await;
    let (n, half) = cut_off(&mut bot).await;
    bot.say(Message::to_bot("and now something else"));
    let page = bot.pages.next().await;
    // Both wait for the turn that runs, and become one.
    bot.press(press(&half)).await;
    bot.say(Message::to_bot("and this"));
    bot.say(Message::to_bot("/clear please"));
    bot.shows(n, "/clear").await;
    page.writes("Fine.");
    page.ends();
    let page = bot.pages.next().await;
    assert_says(page.asked(), "and this");
    page.writes("This it is.");
    page.ends();
    bot.shows(n, &format!("This it is.\n-# {}", said!("go-on-over"))).await;
    assert!(bot.pages.is_idle());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_ends_in_the_middle_is_gone_on_with_once() {
    let mut bot = Inside::start("").await;
    let (n, half) = cut_off(&mut bot).await;
    assert_says(half.text(), format!("[{}]", said!("button-go-on")));
    let stranger = bot.answer(press(&half).by(USER_ID + 1)).await;
    assert_eq!((stranger.text(), stranger.is_ephemeral()), (said!("control-not-yours"), true));

    bot.press(press(&half)).await;
    let page = bot.pages.next().await;
    assert_says(page.asked(), said!("go-on-words"));
    assert!(format!("{:?}", page.shown).contains("Once upon a"), "{:?}", page.shown);
    let again = bot.answer(press(&half)).await;
    assert_eq!((again.text(), again.is_ephemeral()), (said!("go-on-before"), true));
    page.writes("time there was an end.");
    page.ends();
    let rest = whole(&bot, n, "time there was an end.").await;
    assert!(buttons(&rest).is_empty(), "it is whole");
    let sent = bot.shows(n, "time there").await;
    assert_eq!(sent.body["message_reference"]["message_id"], json!(half.message_id().unwrap().to_string()));
    assert_eq!(bot.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_forgotten_is_not_gone_on_with() {
    let mut bot = Inside::start("").await;
    let (_, half) = cut_off(&mut bot).await;
    bot.answer(Interaction::slash("clear")).await;
    let pressed = bot.answer(press(&half)).await;
    assert_eq!((pressed.text(), pressed.is_ephemeral()), (said!("go-on-nothing"), true));
    assert!(bot.pages.is_idle());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_others_followed_is_not_gone_on_with() {
    let mut bot = Inside::start("").await;
    let (n, half) = cut_off(&mut bot).await;
    bot.say(Message::to_bot("and now something else"));
    let page = bot.pages.next().await;
    page.writes("Fine.");
    page.ends();
    bot.shows(n, &format!("Fine.\n{}", label())).await;
    let pressed = bot.answer(press(&half)).await;
    assert_eq!((pressed.text(), pressed.is_ephemeral()), (said!("go-on-over"), true));
    assert!(bot.pages.is_idle());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_not_be_gone_on_with_can_be_tried_again() {
    let mut bot = Inside::start("").await;
    let (n, half) = cut_off(&mut bot).await;
    // The model does not answer.
    bot.press(press(&half)).await;
    drop(bot.pages.next().await);
    bot.shows(n, &said!("model-interrupted")).await;

    // Too much waits.
    let n = bot.say(Message::to_bot("and now something else"));
    let page = bot.pages.next().await;
    for _ in 0..5 {
        bot.say(Message::to_bot(&"y".repeat(1_990)));
    }
    let too_much = said!("chat-too-much", messages = 10, characters = 8_000);
    bot.shows(n, &too_much).await;
    let n = bot.twin.n_requests();
    bot.press(press(&half)).await;
    bot.shows(n, &too_much).await;
    drop(page);
    bot.shows(n, &said!("model-interrupted")).await;
    let n = bot.twin.n_requests();
    drop(bot.pages.next().await);
    bot.shows(n, &said!("model-interrupted")).await;

    bot.press(press(&half)).await;
    let page = bot.pages.next().await;
    assert_says(page.asked(), said!("go-on-words"));
    page.writes("time there was an end.");
    page.ends();
    bot.shows(n, &format!("time there was an end.\n{}", label())).await;
    let again = bot.answer(press(&half)).await;
    assert_eq!(again.text(), said!("go-on-before"));
    assert_eq!(bot.twin.refused(), []);
}
