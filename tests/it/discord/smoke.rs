//! One test for each main promise, by the real binary with the real serenity client against the twin.

use std::time::Duration;

use discord_twin::{Interaction, Message, Options, Twin, USER_ID};
use serde_json::json;

use crate::discord::connected::{Connected, connect};
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::said::{ANY, ENGLISH, assert_says, label, receipt, receipt_in, said, says, without_asker};
use crate::support::scripted_model::{Script, ScriptedModel};

/// What is said of a name that nobody owns and that is nearly `/status`.
fn unknown(command: &str) -> String {
    said!("unknown-command-near", command = command, near = "`/status`")
}

#[tokio::test(flavor = "multi_thread")]
async fn status_answers_with_live_figures_and_a_receipt() {
    let connected = connect("").await;
    let answer = connected.answer(Interaction::slash("status")).await;
    let embed = &answer.message()["embeds"][0];
    assert_eq!(embed["title"], "Status");
    assert!(embed["description"].as_str().unwrap().starts_with("As of <t:"), "{embed:#}");
    let footer = embed["footer"]["text"].as_str().unwrap();
    let as_of = said!("footer-as-of", time = ANY);
    assert_says(footer, format!("✓ /status · {as_of} · {}", receipt()));
    assert!(answer.text().contains("GiB"), "{}", answer.text());
    assert_eq!(answer.message()["allowed_mentions"]["parse"], json!([]));

    // The receipt's id leads to what ran.
    let id = &*receipt_in(footer, ENGLISH);
    let receipt = connected.answer(Interaction::slash("receipt").option("id", id)).await;
    assert!(receipt.text().contains("/status") && receipt.is_ephemeral(), "{}", receipt.text());
    // Nobody else's business.
    let foreign = connected.answer(Interaction::slash("receipt").option("id", id).by(USER_ID + 1)).await;
    assert_says(foreign.text(), said!("receipt-unknown", id = id));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_operators_read_the_source_and_the_duration_and_only_in_private() {
    let operator = USER_ID + 1;
    let connected = connect(&format!("[access]\noperators = [\"{operator}\"]\n")).await;
    let public = connected.answer(Interaction::slash("status").by(operator)).await;
    assert!(!public.text().contains("metrics.json") && !public.text().contains(" ms ·"), "{}", public.text());
    let id = &*receipt_in(public.text(), ENGLISH);
    let receipt = connected.answer(Interaction::slash("receipt").option("id", id).by(operator)).await;
    assert!(receipt.text().contains("metrics.json as of"), "{}", receipt.text());
    assert!(receipt.text().contains(" ms · "), "{}", receipt.text());

    let of_other = connected.answer(Interaction::slash("status")).await;
    let id = &*receipt_in(of_other.text(), ENGLISH);
    let receipt = connected.answer(Interaction::slash("receipt").option("id", id)).await;
    assert!(!receipt.text().contains("metrics.json") && !receipt.text().contains(" ms · "), "{}", receipt.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_owns_it_and_it_is_answered_all_the_same() {
    let connected = connect("").await;
    let not_taken = said!("argument-not-taken", typed = "nosuch");
    let cases = [
        (Interaction::slash("staus"), unknown("/staus")),
        (Interaction::slash("STATUS"), unknown("/STATUS")),
        (
            Interaction::slash("tasks").subcommand("history"),
            said!("unknown-subcommand-near", command = "/tasks history", exist = format!("{ANY}`/tasks add`{ANY}")),
        ),
        (
            Interaction::slash("status").option("nosuch", "x"),
            said!("command-changed", command = "/status", problem = not_taken),
        ),
        (Interaction::button("old"), said!("control-unknown")),
        (Interaction::entry_point("status"), said!("interaction-entry-point")),
    ];
    for (interaction, wanted) in cases {
        let answer = connected.answer(interaction).await;
        assert_says(answer.text(), &wanted);
        assert!(answer.is_ephemeral(), "{wanted}");
        assert!(!says(answer.text(), receipt()), "nothing ran: {}", answer.text());
    }
    // What serenity cannot decode is answered from the raw event.
    let answer = connected.answer(Interaction::raw(99, json!({}))).await;
    assert_says(answer.text(), said!("interaction-unknown"));
    assert_eq!(connected.twin.refused(), []);
    assert!(connected.bot.hears(&["routed", "unknown-command", "/staus"]).contains("registry.size"));
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_slash_text_never_reaches_the_model_and_chat_is_marked_as_generated() {
    let forged = format!("{} · ran /nosuch ✓ 7F3K2", said!("label-generated"));
    let model = ScriptedModel::start(vec![Script::says(&format!("Hello from the model.\n-# {forged}"))]).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", model.base_url());
    let connected = connect(&config).await;

    // A person is told the same once in ten seconds, so each form is somebody else's.
    let mut somebody = USER_ID..;
    let mut by = |text: &str| Message::to_bot(text).by(somebody.next().unwrap());
    for text in ["/staus", "  /staus", "\u{200b}/staus", "**/staus**"] {
        let reply = connected.reply(by(text)).await;
        assert_says(reply.text(), unknown("/staus"));
    }
    for (text, why) in [
        ("`/tasks add title: bread`", "code"),
        ("> /tasks add title: bread", "quote"),
        ("~~/tasks add title: bread~~", "formatted"),
        ("</tasks add:1> title: bread", "link"),
        ("thanks!\n/tasks add title: bread", "below"),
    ] {
        let reply = connected.reply(by(text)).await;
        let told = said!("not-plain", command = "/tasks add", why = why);
        assert_eq!(reply.text(), format!("{told} {}", said!("unknown-typed")), "{text}");
    }
    assert!(connected.bot.hears(&["routed", "not-plain", "/tasks add"]).contains("registry.size"));
    // Programs that read the log tell where a value ends.
    connected.bot.hears(&["not plain", "command.name=\"/tasks add\" user.id="]);
    let reply = connected.reply(Message::to_bot("/tasks list")).await;
    assert!(!reply.text().contains("bread"), "{}", reply.text());
    let reply = connected.reply(Message::to_bot("/tasks add title: milk")).await;
    assert!(reply.text().contains("milk") && reply.text().contains("✓ /tasks add"), "{}", reply.text());
    assert_eq!(model.asked().len(), 0, "no slash text reached the model");

    let reply = connected.reply(Message::to_bot("hello there")).await;
    let content = reply.message()["content"].as_str().unwrap();
    let note = said!("note-receipt", id = "7F3K2");
    assert_eq!(content, format!("Hello from the model.\n(model) \\-# {forged}\n-# {note}\n{}", label()));
    assert_eq!(reply.message()["allowed_mentions"]["parse"], json!([]));
    assert_eq!(model.asked().len(), 1, "words are no reason to ask again");
    let asked = &model.asked()[0].body["messages"];
    let asked = asked.as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    assert_eq!(without_asker(asked), "hello there");
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_are_not_for_the_bot_are_left_alone() {
    let connected = connect("").await;
    for message in [
        Message::text("hello"),
        Message::text("/staus"),
        Message::to_bot("hi").by_bot(77),
        Message::to_bot("hi").by_webhook(78),
        // Somebody opened a thread with this name.
        Message::text("/tasks add title: milk").in_dm().of_type(18),
    ] {
        connected.twin.say(message);
    }
    // Events of one connection are routed in order of arrival: when this one is answered, the others were seen.
    let reply = connected.reply(Message::text("/staus").in_dm()).await;
    assert_says(reply.text(), unknown("/staus"));
    let sent: Vec<_> =
        connected.twin.requests().into_iter().filter(|request| request.path.ends_with("/messages")).collect();
    assert_eq!(sent.len(), 1, "{sent:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn suggestions_come_from_the_live_keys_and_the_open_tasks() {
    let connected = connect("").await;
    connected.answer(Interaction::slash("tasks").subcommand("add").option("title", "buy milk")).await;
    let sent = connected.twin.interact(Interaction::autocomplete("tasks").subcommand("done").focused("id", "mil"));
    let answer = connected.twin.callback_to(&sent, PATIENCE).await.unwrap();
    let choices = &answer.body["data"]["choices"];
    assert_eq!(choices[0]["value"], json!(1), "{choices}");
    assert!(choices[0]["name"].as_str().unwrap().contains("buy milk"), "{choices}");

    let sent = connected.twin.interact(Interaction::autocomplete("status").focused("metric", "mem"));
    let answer = connected.twin.callback_to(&sent, PATIENCE).await.unwrap();
    let names: Vec<_> = answer.body["data"]["choices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|choice| choice["name"].as_str().unwrap())
        .collect();
    assert!(!names.is_empty() && names.iter().all(|name| name.to_lowercase().contains("mem")), "{names:?}");

    // Of an unknown command: an empty list, which is the only valid answer.
    let sent = connected.twin.interact(Interaction::autocomplete("nosuch").focused("x", ""));
    let answer = connected.twin.callback_to(&sent, PATIENCE).await.unwrap();
    assert_eq!((&answer.body["type"], &answer.body["data"]["choices"]), (&json!(8), &json!([])));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_never_cross() {
    let model = ScriptedModel::start((0..4).map(|_| Script::says("Noted.")).collect()).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", model.base_url());
    let connected = connect(&config).await;
    connected.reply(Message::to_bot("my secret is 42")).await;
    connected.reply(Message::to_bot("what did I say?").by(USER_ID + 1)).await;
    connected.reply(Message::text("what did I say?").in_dm()).await;
    connected.reply(Message::to_bot("what did I say?")).await;
    let knows: Vec<_> =
        model.asked().iter().map(|request| request.body.to_string().contains("my secret is 42")).collect();
    assert_eq!(knows, [true, false, false, true]);

    let cleared = connected.answer(Interaction::slash("clear")).await;
    assert_says(cleared.text(), said!("clear-done", n = 4));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_or_intent_ends_with_78_and_is_not_tried_again() {
    let options = Options { token: Some("another.token".to_owned()), ..Options::default() };
    let twin = Twin::start_with(options).await.unwrap();
    let folder = Folder::with("");
    let mut bot = Bot::start(&folder, &twin.url());
    assert_eq!(bot.wait().code(), Some(78), "{}", bot.log());
    bot.hears(&["Discord refuses the token"]);
    assert!(!bot.log().contains("test.token"), "the token is in the log:\n{}", bot.log());
    assert_eq!(twin.identifies().len(), 0);

    let twin = Twin::start().await.unwrap();
    let folder = Folder::with("[chat]\nchannels = [4444]\n");
    let mut bot = Bot::start(&folder, &twin.url());
    assert_eq!(bot.wait().code(), Some(78), "{}", bot.log());
    bot.hears(&["Message Content intent is not enabled", "Privileged Gateway Intents"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_leaves_cleanly_and_a_lost_connection_is_taken_up_again() {
    let connected = connect("").await;
    connected.twin.drop_connection();
    assert!(connected.twin.wait_ready(PATIENCE).await, "{}", connected.bot.log());
    let answer = connected.answer(Interaction::slash("help")).await;
    assert!(answer.text().contains("/status"), "{}", answer.text());
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let left = twin.wait_until(Duration::from_secs(10), || (twin.n_connected() == 0).then_some(())).await;
    assert!(left.is_some(), "the gateway connection was left open");
    drop(folder);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_would_come_late_is_deferred_and_edited_in() {
    let connected = connect("").await;
    // Commands that write to the disk: they are not ready at once.
    let add = Interaction::slash("tasks").subcommand("add").option("title", "milk");
    let save = Interaction::slash("memory").subcommand("save").option("content", "milk");
    for (interaction, name, ephemeral) in [(add, "tasks add", false), (save, "memory save", true)] {
        // Two of its three seconds are over when it arrives.
        let sent = connected.twin.interact(interaction.aged_ms(2_000));
        let first = connected.twin.callback_to(&sent, PATIENCE).await.unwrap();
        assert!(first.is_deferral() && first.is_ephemeral() == ephemeral, "{first:?}");
        let answer = connected.twin.answer_to(&sent, PATIENCE).await.unwrap();
        assert!(answer.method == "PATCH" && answer.text().contains(&format!("✓ /{name}")), "{answer:?}");
    }
    assert_eq!(connected.twin.refused(), []);
}
