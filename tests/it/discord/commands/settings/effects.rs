//! What is set counts at once: for who may chat and where, for the model, and for commands.

use discord_twin::{CHANNEL_ID, GUILD_ID, Interaction, Message, USER_ID};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Notify;

use super::administrators::{ALL, ask, connect, connect_to, field, set, sets, settings, standing};
use crate::discord::chat::talking::shown_since;
use crate::discord::connected::Connected;
use crate::support::bot::PATIENCE;
use crate::support::said::{ANY, assert_says, receipt, said};
use crate::support::scripted_model::Script;
use candor_core::language::Language;

const THREAD: u64 = CHANNEL_ID + 7;
const ELSEWHERE: u64 = CHANNEL_ID + 20;
const MEMBERS: u64 = 40;

async fn refused(connected: &Connected, message: Message, expected: &str) {
    assert_eq!(connected.reply(message).await.text(), expected);
}

/// Somebody for each refusal: who was told the same a moment ago is not told again.
fn somebody(n: u64) -> u64 {
    USER_ID + 100 + n
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_is_switched_off_and_on_again() {
    let (connected, model) = connect(2, ALL).await;
    ask(&connected, &model, Message::to_bot("hi")).await;
    sets(&connected, "chat", "off").await;
    refused(&connected, Message::to_bot("and now?"), &said!("chat-denied-server-off")).await;
    // Commands keep working, and other servers have settings of their own.
    assert_says(connected.answer(Interaction::slash("status")).await.text(), receipt());
    let there = settings("show").in_guild(GUILD_ID + 1, CHANNEL_ID + 1);
    let page = connected.answer(there).await;
    assert_eq!(field(&page, "chat"), format!("`on`\n{}", said!("settings-source-default")));
    sets(&connected, "chat", "on").await;
    ask(&connected, &model, Message::to_bot("and now?")).await;
    assert_eq!(model.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_before_chat_was_switched_off_and_waited_is_not_answered() {
    let go_on = Arc::new(Notify::new());
    let first = Script::writes(&["Answer "]).waits(&go_on).and(&["1."]).ends("stop");
    let (connected, model) = connect_to(vec![first, Script::says("Answer 2.")], ALL).await;
    let n = connected.twin.n_requests();
    for (words, n_routed) in [("one", 1), ("two", 2)] {
        connected.twin.say(Message::to_bot(words));
        let is_routed = || (connected.bot.log().matches("route=\"chat\"").count() == n_routed).then_some(());
        connected.twin.wait_until(PATIENCE, is_routed).await.unwrap();
    }
    sets(&connected, "chat", "off").await;
    go_on.notify_one();
    shown_since(&connected, n, &said!("chat-denied-server-off")).await;
    assert_eq!(model.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_is_for_some_channels_with_their_threads_and_for_some_roles() {
    let (connected, model) = connect(3, ALL).await;
    connected.twin.open_thread(THREAD, CHANNEL_ID, "Plans");
    sets(&connected, "chat_channels", &format!("<#{CHANNEL_ID}>")).await;
    ask(&connected, &model, Message::to_bot("hi")).await;
    ask(&connected, &model, Message::to_bot("hi").in_channel(THREAD)).await;
    let other = Message::to_bot("hi").in_channel(ELSEWHERE);
    refused(&connected, other, &said!("chat-denied-server-channel")).await;

    connected.answer(settings("clear").option("name", "chat_channels")).await;
    sets(&connected, "chat_roles", &format!("<@&{MEMBERS}>")).await;
    refused(&connected, Message::to_bot("hi").by(somebody(1)), &said!("chat-denied-server-role")).await;
    ask(&connected, &model, Message::to_bot("hi").in_channel(ELSEWHERE).roles(&[MEMBERS])).await;
    assert_eq!(model.asked().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_is_for_a_category_with_its_channels_and_their_threads() {
    const CATEGORY: u64 = CHANNEL_ID + 30;
    let (connected, model) = connect(2, ALL).await;
    connected.twin.put_into_category(CHANNEL_ID, CATEGORY);
    connected.twin.open_thread(THREAD, CHANNEL_ID, "Plans");
    let (page, controls, _) = standing(&connected, settings("show")).await;
    let picked = Interaction::choose(page, &controls[0], &[&CATEGORY.to_string()]).permissions(1 << 5);
    let (now, none) = (format!("<#{CATEGORY}>"), said!("settings-none"));
    let changed = said!("settings-changed", setting = "chat_channels", now = now, before = none);
    assert_says(connected.answer(picked).await.text(), changed);
    ask(&connected, &model, Message::to_bot("hi")).await;
    ask(&connected, &model, Message::to_bot("hi").in_channel(THREAD)).await;
    let other = Message::to_bot("hi").in_channel(ELSEWHERE);
    refused(&connected, other, &said!("chat-denied-server-channel")).await;
    assert_eq!(model.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_that_the_bot_opens_is_of_its_channel() {
    let (connected, model) = connect(1, &format!("{ALL}[chat.places.{GUILD_ID}]\nthread = true\n")).await;
    sets(&connected, "chat_channels", &CHANNEL_ID.to_string()).await;
    let (_, reply) = ask(&connected, &model, Message::to_bot("what shall we plan?")).await;
    assert_ne!(reply.path, format!("/channels/{CHANNEL_ID}/messages"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_is_offered_no_change_where_the_administrators_say_so() {
    let (connected, model) = connect(3, ALL).await;
    let offers = async || {
        let (asked, _) = ask(&connected, &model, Message::to_bot("hi")).await;
        let tools = asked["tools"].to_string();
        ["tasks_list", "tasks_add"].map(|name| tools.contains(&format!("\"{name}\"")))
    };
    assert_eq!(offers().await, [true, true]);
    sets(&connected, "write_tools", "off").await;
    assert_eq!(offers().await, [true, false]);
    sets(&connected, "write_tools", "on").await;
    assert_eq!(offers().await, [true, true]);
}

#[tokio::test(flavor = "multi_thread")]
async fn persona_model_and_language_reach_the_model_and_the_reply() {
    let (connected, model) = connect(3, ALL).await;
    let persona = |asked: &Value| asked["messages"][0]["content"].as_str().unwrap().lines().next().unwrap().to_owned();
    let (before, _) = ask(&connected, &model, Message::to_bot("hi")).await;
    assert_ne!(persona(&before), "You are a pirate of \"Twin\".");

    sets(&connected, "persona", "You are a pirate of {server}.").await;
    sets(&connected, "language", "de").await;
    sets(&connected, "model", "second").await;
    let (asked, reply) = ask(&connected, &model, Message::to_bot("hi")).await;
    assert_eq!(persona(&asked), "You are a pirate of \"Twin\".");
    assert_eq!((&before["model"], &asked["model"]), (&Value::from("scripted"), &Value::from("second")));
    let german = Language::of_locale("de").unwrap();
    assert!(reply.text().contains(&said!(in german, "label-generated")), "{}", reply.text());

    connected.answer(settings("clear").option("name", "persona")).await;
    let (after, _) = ask(&connected, &model, Message::to_bot("hi")).await;
    assert_eq!(persona(&after), persona(&before));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_or_a_module_that_is_switched_off_runs_for_nobody() {
    let (connected, model) = connect(1, ALL).await;
    sets(&connected, "commands", "/tasks add, memory").await;
    let add = || Interaction::slash("tasks").subcommand("add");
    let switched_off = |command: &str| said!("denied-switched-off", command = command);
    let denied = [
        (add().option("title", "tea"), "/tasks add"),
        // No form is opened for it either.
        (add(), "/tasks add"),
        (Interaction::slash("memory").subcommand("list"), "/memory list"),
    ];
    for (interaction, command) in denied {
        let answer = connected.answer(interaction.permissions(8)).await;
        assert_eq!((answer.text(), answer.is_ephemeral()), (switched_off(command), true));
    }
    refused(&connected, Message::to_bot("/tasks add title: tea"), &switched_off("/tasks add")).await;
    assert_says(connected.answer(Interaction::slash("tasks").subcommand("list")).await.text(), receipt());

    // Neither people nor the model are told of it.
    let help = connected.answer(Interaction::slash("help")).await.text();
    assert!(help.contains("/tasks") && !help.contains("/memory"), "{help}");
    let help = connected.answer(Interaction::slash("help").option("command", "tasks")).await.text();
    assert!(help.contains("/tasks list") && !help.contains("/tasks add"), "{help}");
    let (asked, _) = ask(&connected, &model, Message::to_bot("hi")).await;
    let tools = asked["tools"].to_string();
    assert!(tools.contains("tasks_list") && !tools.contains("memory_"), "{tools}");

    // In direct messages and in other servers it is on.
    assert_says(connected.answer(Interaction::slash("memory").subcommand("list").in_dm()).await.text(), receipt());
    connected.answer(settings("undo")).await;
    assert_says(connected.answer(add().option("title", "tea")).await.text(), receipt());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_is_switched_off_during_a_turn_is_not_run_in_it() {
    let go_on = Arc::new(Notify::new());
    let function = json!({"name": "tasks_list", "arguments": "{}"});
    let call = json!({"index": 0, "id": "call_1", "type": "function", "function": function});
    let delta = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
    let calls = Script::events("").waits(&go_on).piece(format!("data: {delta}\n\n")).ends("tool_calls");
    let (connected, model) = connect_to(vec![calls, Script::says("Answer 2.")], ALL).await;
    let n = connected.twin.n_requests();
    connected.twin.say(Message::to_bot("what is to be done?"));
    let is_asked = || (model.asked().len() == 1).then_some(());
    connected.twin.wait_until(PATIENCE, is_asked).await.unwrap();
    sets(&connected, "commands", "/tasks list").await;
    go_on.notify_one();
    shown_since(&connected, n, "Answer 2.").await;
    let asked = model.asked();
    assert!(asked[0].body["tools"].to_string().contains("tasks_list"), "it was offered before");
    let told = asked[1].body["messages"].to_string();
    assert!(told.contains(&said!("denied-switched-off", command = "/tasks list")), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn how_often_a_command_may_run_is_set_for_one_server_alone() {
    let (connected, _model) = connect(0, ALL).await;
    let list = || Interaction::slash("tasks").subcommand("list");
    let memories = || Interaction::slash("memory").subcommand("list");
    let runs = async |call: Interaction| assert_says(connected.answer(call).await.text(), receipt());
    let waits = async |call: Interaction, told: String| assert_says(connected.answer(call).await.text(), told);
    sets(&connected, "cooldowns", "/tasks 1h, /memory list 1h server").await;
    connected.bot.hears(&["a server's setting was changed", "now=\"/memory list 3600s server, /tasks 3600s\""]);
    runs(list()).await;
    waits(list(), said!("cooldown-user", command = "/tasks list", wait = ANY, at = ANY)).await;
    runs(list().by(somebody(1))).await;
    // Nobody waits in one server for what they ran in another, whatever is set there.
    let there = |call: Interaction| call.in_guild(GUILD_ID + 1, CHANNEL_ID + 1);
    runs(there(list())).await;
    runs(there(set("cooldowns", "/tasks 1h"))).await;
    runs(there(list())).await;
    waits(there(list()), said!("cooldown-user", command = "/tasks list", wait = ANY, at = ANY)).await;
    runs(memories()).await;
    waits(memories().by(somebody(1)), said!("cooldown-guild", command = "/memory list", wait = ANY, at = ANY)).await;

    connected.answer(settings("undo")).await;
    runs(list()).await;
    runs(memories().by(somebody(1))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_cannot_do_without_stays() {
    let (connected, _model) = connect(0, ALL).await;
    for command in ["/settings", "/help", "/privacy erase", "/receipt"] {
        let stays = command.split(' ').next().unwrap();
        let what = said!("unfit-stays", command = stays);
        let answer = connected.answer(set("commands", command)).await;
        assert_says(answer.text(), said!("settings-unfit", setting = "commands", what = what));
        let what = said!("unfit-waits", command = command);
        let answer = connected.answer(set("cooldowns", &format!("{command} 30s"))).await;
        assert_says(answer.text(), said!("settings-unfit", setting = "cooldowns", what = what));
    }
}
